"""``gate`` and jars that are none, or not whole, or for another Java: a diagnosis, never *same*."""

import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.engine.run import CellRunner
from conformance.errors import UsageError
from conformance.jars.client_jar import client_jar
from conformance.jars.lock import jars_of_client
from conformance.jars.store import JarStore
from conformance.model.results import RunResult
from tests.cli.running import Suite, check_schema
from tests.cli.spoilt_jars import calling_itself, for_java_99, only_of, spoilt, without
from tests.landing import later, nightly

QUICK = ("gate", "--profile", "quick", "--behaviour", "sticky-cache", "--no-cache")


def gate(baseline: str, candidate: str, *options: str) -> tuple[str, ...]:
    return (*QUICK, "--baseline", baseline, "--candidate", candidate, *options)


@pytest.fixture(scope="module")
def jars() -> list[Path]:
    """What client 3.8.0 consists of, its own jar first."""
    return JarStore().ensure(jars_of_client("3.8.0"))


@pytest.fixture
def place(suite: Suite) -> Path:
    suite.cwd.mkdir(parents=True, exist_ok=True)
    return suite.cwd


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            lambda _jars: b"<html>not found</html>",
            "is not a jar: it does not begin like a zip archive",
        ),
        (lambda _jars: b"", "is not a jar"),
        (lambda jars: jars[0].read_bytes()[:100_000], "is not a complete jar"),
        (lambda jars: jars[0].read_bytes()[:-1000], "An incomplete download?"),
        (lambda jars: jars[1].read_bytes(), "is a jar, but not of kafka-clients"),
    ],
    ids=["page", "empty", "half a download", "nearly whole", "another library"],
)
@pytest.mark.parametrize("side", ["baseline", later("candidate")])
def test_what_is_no_client_jar(
    suite: Suite,
    place: Path,
    jars: list[Path],
    content: Callable[[list[Path]], bytes],
    message: str,
    side: str,
) -> None:
    (place / "own.jar").write_bytes(content(jars))
    pair = ("own.jar", "3.8.0") if side == "baseline" else ("3.8.0", "own.jar")
    suite.run(*gate(*pair)).expect(2, "own.jar", message)


def archive() -> tuple[bytearray, int]:
    """A zip archive with one compressed entry, and where its central directory begins."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a", "abcdefgh" * 1000)
    return bytearray(content.getvalue()), content.getvalue().index(b"PK\x01\x02")


@pytest.mark.parametrize(
    ("local", "central", "value"),
    # The flags (1: encrypted), the method (99: not one of zip's own), the compressed data.
    [(6, 8, b"\x01"), (8, 10, b"\x63"), (31, None, b"\xff" * 8)],
    ids=["encrypted", "unknown method", "data that is no stream"],
)
def test_an_archive_that_cannot_be_read_is_told_as_such(
    tmp_path: Path, local: int, central: int | None, value: bytes
) -> None:
    content, directory = archive()
    content[local : local + len(value)] = value
    if central is not None:
        content[directory + central : directory + central + len(value)] = value
    path = tmp_path / "own.jar"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="is not a complete jar"):
        client_jar(str(path), JarStore(), lambda *_: None)


def test_a_folder_that_is_called_like_a_version_hides_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "3.8.0").mkdir()
    monkeypatch.chdir(tmp_path)
    assert client_jar("3.8.0", JarStore(), lambda *_: None).version == "3.8.0"


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (gate("3.8.0", "9.9.9"), ["Version 9.9.9", "not in the lock", "Known: 2.0.1", "path"]),
        (gate("3.8.0", "nowhere.jar"), ["nowhere.jar cannot be read"]),
        (gate("3.8.0", "."), ["is a folder, not a jar"]),
        (
            gate("3.8.0", "/dev/zero"),
            ["/dev/zero cannot be read: it is a FIFO, a socket or a device"],
        ),
        (gate("3.8.0", "3.2.3", "--behaviour", "keyed-columns"), ["of the Python port"]),
        (gate("2.3.1", "3.8.0"), ["none of these behaviours in common"]),
        (gate("3.8.0", "3.8.0", "--minutes", "0"), ["--minutes"]),
        (gate("3.8.0", "3.8.0", "--markdown", "."), [". cannot be written: it is a folder"]),
    ],
    ids=[
        "version",
        "file",
        "folder",
        "device",
        "port's own",
        "nothing in common",
        "minutes",
        "markdown",
    ],
)
def test_mistakes(suite: Suite, arguments: tuple[str, ...], messages: list[str]) -> None:
    suite.run(*arguments).expect(2, *messages)


@pytest.mark.parametrize(
    ("change", "messages"),
    [
        (for_java_99, ["more recent version of the Java Runtime", "set JAVA_HOME"]),
        later(
            (
                only_of("internals/StickyPartitionCache", for_java_99),
                ["StickyPartitionCache has been compiled by a more recent version"],
            )
        ),
        (
            without("common/Cluster.class"),
            ["NoClassDefFoundError: org/apache/kafka/common/Cluster"],
        ),
    ],
    ids=["newer Java", "one class for a newer Java", "a class that others need is gone"],
)
def test_classes_that_cannot_be_loaded(
    suite: Suite,
    place: Path,
    jars: list[Path],
    change: Callable[..., bytes | None],
    messages: list[str],
) -> None:
    spoilt(jars[0], place / "own.jar", change)
    answer = suite.run(*gate("3.8.0", "own.jar"))
    answer.expect(3, "cannot be loaded", *messages)
    assert "Traceback" not in answer.out + answer.err


def test_what_one_broken_class_leaves_is_compared(
    suite: Suite, place: Path, jars: list[Path]
) -> None:
    spoilt(jars[0], place / "own.jar", only_of("internals/StickyPartitionCache", for_java_99))
    chosen = ("--behaviour", "murmur2", "--json", "gate.json")
    answer = suite.run(*gate("3.8.0", "own.jar", *chosen))
    answer.expect(3, "not comparable", "more recent version of the Java Runtime")
    changes = check_schema(place / "gate.json", "report")["gate"]["changes"]
    assert {one["behaviour"]: one["change"] for one in changes} == {
        "murmur2": "same",
        "sticky-cache": "not comparable",
    }


@nightly
def test_a_class_that_is_missed_only_when_it_is_used_is_a_change(
    suite: Suite, place: Path, jars: list[Path]
) -> None:
    spoilt(jars[0], place / "own.jar", without("common/utils/Utils.class"))
    told = "throws java.lang.NoClassDefFoundError"
    answer = suite.run(*gate("3.8.0", "own.jar"))
    # Both call themselves 3.8.0.
    own = hashlib.sha256((place / "own.jar").read_bytes()).hexdigest()[:8]
    answer.expect(1, "changed", told, "From 3.8.0 (SHA-256 ", f" to 3.8.0 (SHA-256 {own})")
    [case] = [name for name in suite.files() if name.endswith(".json")]
    assert case.startswith(f"conformance-results/sticky-cache-3.8.0-to-3.8.0__SHA-256_{own}")


@nightly
def test_a_jar_may_call_itself_what_it_likes(suite: Suite, place: Path, jars: list[Path]) -> None:
    def spoil(name: str, content: bytes) -> bytes | None:
        renamed = calling_itself("../../own\\u001b[31m`|@everyone")(name, content)
        return None if "common/utils/Utils.class" in name else renamed

    spoilt(jars[0], place / "own.jar", spoil)
    files = ("--junit", "gate.xml", "--markdown", "gate.md")
    answer = suite.run(*gate("3.8.0", "own.jar", *files))
    answer.expect(1, "../../own")
    assert "\x1b" not in answer.out
    assert "\x1b" not in (place / "gate.md").read_text("utf-8")
    [case] = [name for name in suite.files() if name.endswith(".json")]
    assert case.startswith("conformance-results/sticky-cache-3.8.0-to-.._.._own")


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_a_jar_that_is_built_anew_meanwhile_gives_no_result(
    tmp_path: Path, jars: list[Path], monkeypatch: pytest.MonkeyPatch, side: str
) -> None:
    own, kept = tmp_path / "own.jar", tmp_path / "kept"
    shutil.copyfile(jars[0], own)

    def run(console: object, runner: CellRunner, *_: object, **_options: object) -> RunResult:
        """In place of the workers: somebody's build writes the jar, and an answer is kept."""
        del console
        spoilt(jars[0], own, calling_itself("next"))
        [recording] = runner.recordings.values()
        recording.path.write_bytes(b"of either")
        return RunResult((), 0.0, 1)

    monkeypatch.setattr("conformance.commands.gate.run_with_reports", run)
    pair = (own, "3.8.0") if side == "baseline" else ("3.8.0", own)
    chosen = ("--behaviour", "sticky-cache", "--cache", str(kept), "--json", str(tmp_path / "j"))
    arguments = ("gate", "--baseline", str(pair[0]), "--candidate", str(pair[1]), *chosen)
    answer = CliRunner().invoke(main, arguments)
    assert answer.exit_code == 3
    assert "own.jar has SHA-256" in answer.output
    assert list(kept.iterdir()) == []
    told = json.loads((tmp_path / "j").read_text("utf-8"))
    assert told["format"] == "kafka-conformance unfinished 1"
    assert "own.jar has SHA-256" in told["reason"]
