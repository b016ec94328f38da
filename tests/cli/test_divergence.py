"""A port with a bug: exit code 1, all that a bug report needs, and a replay that works."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.cli.running import ONE_CELL, Outcome, Suite, check_schema, needs_permissions
from tests.landing import first_of_each, nightly


@pytest.fixture(scope="module")
def diverging(
    tmp_path_factory: pytest.TempPathFactory, good_jars: Path
) -> tuple[Suite, Outcome, Path]:
    """A run of a port with a bug planted, and the file of its divergence."""
    suite = Suite(tmp_path_factory.mktemp("diverging"), good_jars, bug="wrong_port")
    reports = ("--json", "report.json", "--junit", "junit.xml")
    outcome = suite.run("run", *ONE_CELL, *reports)
    return suite, outcome, suite.cwd / "conformance-results" / "sticky-3.8.0.json"


Diverging = tuple[Suite, Outcome, Path]


def _replay_command(outcome: Outcome) -> list[str]:
    """The arguments of the printed replay command."""
    (line,) = [line for line in outcome.out.splitlines() if line.startswith("Replay: ")]
    command = shlex.split(line.removeprefix("Replay: "))
    assert command[:2] == ["kafka-conformance", "replay"]
    return command[1:]


def test_divergence_is_described(diverging: Diverging) -> None:
    suite, outcome, path = diverging
    outcome.expect(
        1,
        "sticky[3.8.0]: diverges",
        "0 conform, 1 diverge, 0 not run",
        "sticky, client 3.8.0: the Python port of 3.8.0 differs from Java 3.8.0 at step 0 of 1",
        "Java: org.apache.kafka.clients.producer.internals.DefaultPartitioner.partition",
        "seed 0",
        "Metadata 0: topic 't', partitions ",
        "0. partition: topic 't', key null",
    )
    saved = json.loads(path.read_text())
    right = saved["expected"][0]["answer"]
    assert f"  Java 3.8.0: answers {right}" in outcome.out
    assert f"  the Python port of 3.8.0: answers {right + 1}" in outcome.out
    assert suite.files() == ["conformance-results/sticky-3.8.0.json", "junit.xml", "report.json"]


def test_divergence_is_saved_and_reported(diverging: Diverging) -> None:
    suite, outcome, path = diverging
    saved = check_schema(path, "divergence")
    assert saved["cell"] == {"behaviour": "sticky", "client": "3.8.0"}
    assert saved["step"] == 0
    assert len(saved["case"]["steps"]) == 1
    report = check_schema(suite.cwd / "report.json", "report")
    assert report["exit_code"] == 1
    (cell,) = report["cells"]
    assert cell["verdict"] == "diverges"
    assert cell["cases"] == saved["cases_before"] + 1
    assert cell["divergence"].items() <= saved.items()
    failure = ET.parse(suite.cwd / "junit.xml").getroot().find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.text
    assert failure.text in outcome.out


def test_printed_command_replays_until_fixed(diverging: Diverging, suite: Suite) -> None:
    broken, outcome, _ = diverging
    arguments = _replay_command(outcome)
    again = broken.run(*arguments).expect(1, "differs from Java 3.8.0 at step 0 of 1")
    assert _replay_command(again) == arguments
    fixed = Suite(broken.place, broken.jars).run(*arguments)
    fixed.expect(0, "sticky[3.8.0]: fixed. the Python port of 3.8.0 answers as Java does")
    # Elsewhere, too, and against Java itself.
    path = broken.cwd / arguments[1]
    suite.run("replay", path, "--subject", "java").expect(0, "fixed. Java 3.8.0 answers")


@nightly
def test_replay_command_names_the_jars_and_survives_strange_folders(suite: Suite) -> None:
    suite.bug = "wrong_port"
    # What this terminal cannot show is no reason to fail.
    suite.environment = {"KAFKA_CONFORMANCE_JARS": "", "PYTHONIOENCODING": "ascii"}
    options = ("--jobs", "0", "--jars", suite.jars, "--output", "it's résults")
    outcome = suite.run("run", *ONE_CELL, *options).expect(1, "r\\xe9sults")
    command = _replay_command(outcome)
    command[1] = command[1].replace("\\xe9", "é")
    assert command[2:] == ["--jars", str(suite.jars)]
    suite.run(*command).expect(1, "differs from Java")


@needs_permissions
@nightly
def test_divergence_goes_elsewhere_if_the_folder_is_read_only(suite: Suite) -> None:
    suite.bug = "wrong_port"
    suite.as_user = True
    suite.cwd.mkdir(mode=0o500)
    outcome = suite.run("run", *ONE_CELL, "--jobs", "0")
    path = suite.home / "state" / "kafka-conformance" / "sticky-3.8.0.json"
    outcome.expect(1, f"conformance-results cannot be written; divergences go to {path.parent}.")
    check_schema(path, "divergence")
    assert _replay_command(outcome)[1] == str(path)
    assert suite.files() == []


def test_divergence_is_told_even_if_it_cannot_be_saved(suite: Suite) -> None:
    suite.bug = "wrong_port"
    (suite.place / "file").touch()
    nowhere = suite.place / "file" / "below"
    suite.environment = {"XDG_STATE_HOME": str(nowhere)}
    options = ("--jobs", "0", "--output", nowhere, "--json", "r.json")
    outcome = suite.run("run", *ONE_CELL, *options)
    outcome.expect(
        1,
        f"The divergences have nowhere to go ({nowhere}: Not a directory",
        "the Python port of 3.8.0 differs from Java 3.8.0",
        "Replay: not possible",
    )
    assert check_schema(suite.cwd / "r.json", "report")["exit_code"] == 1
    assert suite.files() == ["r.json"]


def _without(*keys: str) -> Callable[[dict[str, Any]], None]:
    def damage(document: dict[str, Any]) -> None:
        for key in keys[:-1]:
            document = document[key]
        del document[keys[-1]]

    return damage


def _with(value: object, *keys: str | int) -> Callable[[dict[str, Any]], None]:
    def damage(document: Any) -> None:
        for key in keys[:-1]:
            document = document[key]
        document[keys[-1]] = value

    return damage


@pytest.mark.parametrize(
    ("damage", "message"),
    first_of_each(
        [
            (_with("kafka-conformance divergence 2", "format"), "is not a divergence file"),
            (_without("case"), 'is damaged, at its top: "case" is a required property'),
            (_without("seed"), 'is damaged, at its top: "seed" is a required property'),
            (_with([], "case", "steps"), "at ['case']['steps']: [] has less than 1 item"),
            (_with([1], "case", "steps"), "at ['case']['steps'][0]: 1 is not of type \"object\""),
            (_with({"hex": 7}, "case"), "is not JSON"),
            (_with({"hex": "7"}, "case"), "is not JSON"),
            (_with("3.8", "cell", "client"), "There is no client version '3.8'"),
            (_with("2.3.1", "cell", "client"), "sticky[2.3.1]: arrived in 2.4 (KIP-480)"),
            (_with("stocky", "cell", "behaviour"), "Did you mean sticky?"),
            (_with(99, "case", "steps", 0, "metadata"), "The case is not one of behaviour sticky"),
        ],
        lambda damaged: damaged[1],
    ),
)
def test_damaged_file_is_refused(
    diverging: Diverging,
    suite: Suite,
    damage: Callable[[dict[str, Any]], None],
    message: str,
) -> None:
    document = json.loads(diverging[2].read_text())
    damage(document)
    path = suite.place / "damaged.json"
    path.write_text(json.dumps(document))
    outcome = suite.run("replay", path).expect(2, message)
    assert outcome.out == ""


@pytest.mark.parametrize(
    ("content", "message"),
    first_of_each(
        [
            (b"", "is not JSON"),
            (b"\xff\xfe\x00", "is not JSON"),
            (b"{", "is not JSON"),
            (b"[" * 100_000, "is not JSON"),
            (b"[]", "is not a divergence file"),
            (b'{"format": "kafka-conformance report 1"}', "is not a divergence file"),
        ],
        lambda other: other[1],
    ),
    ids=["empty", "binary", "truncated", "deep", "list", "report"],
)
def test_other_file_is_refused(suite: Suite, content: bytes, message: str) -> None:
    path = suite.place / "other.json"
    path.write_bytes(content)
    suite.run("replay", path).expect(2, f"{path} {message}", "Give a file that")


def test_folder_is_refused(suite: Suite) -> None:
    suite.run("replay", suite.place).expect(2, f"{suite.place} cannot be read: Is a directory")
