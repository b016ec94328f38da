"""``history`` as a whole command, and the published history held against the jars that are here."""

import re
from pathlib import Path

import pytest

from conformance.behaviours.registry import OF_JARS
from conformance.clients.inspected import Inspected
from conformance.clients.inspection import inspect_each
from conformance.jars.lock import jars_beside, release_jars
from conformance.jars.store import JarStore
from conformance.model.ways import way_in
from tests.cli.running import PROJECT, Suite, check_schema, interrupt, wait_until
from tests.landing import nightly
from tests.releases import release_paths

ALWAYS_HERE = ("2.3.1", "3.2.3", "3.8.0")
SOME = ("keyed", "round-robin-null-key", "round-robin", "load-stats")
"""One for each way in which a history can go: the same, gone, changed, new."""
PAGE = PROJECT / "docs" / "history.md"
Table = dict[str, dict[str, str]]


def published() -> Table:
    """The letters of docs/history.md: by behaviour, by version."""
    return letters(PAGE.read_text("utf-8"))


def letters(page: str) -> Table:
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    start = next(at for at, line in enumerate(lines) if line.startswith("| behaviour | 2."))
    header, _, *rows = [re.split(r" \| ", line.strip("| ")) for line in lines[start:]]
    body = rows[: next((n for n, row in enumerate(rows) if len(row) != len(header)), len(rows))]
    return {row[0]: dict(zip(header[1:], row[1:], strict=True)) for row in body}


def history(*options: str | Path) -> tuple[str | Path, ...]:
    return ("history", "--profile", "quick", *options)


@nightly
def test_the_published_history_holds_for_the_three_clients(suite: Suite) -> None:
    """Step by step what the page says of all versions gives what it says of these."""
    files = ("--json", "h.json", "--markdown", "h.md", "--plot", "h.svg")
    chosen = [word for name in SOME for word in ("--behaviour", name)]
    done = suite.run(*history("--from", "2.3.1", "--to", "3.8.0", *chosen, *files))
    # What is not here is never passed over in silence.
    done.expect(3, "2.3.1 to 3.2.3:", "3.2.3 to 3.8.0:", "3.6.2 was not run: ")
    document = check_schema(suite.cwd / "h.json", "history")
    assert document["exit_code"] == 3
    versions = {one["version"]: bool(one["not_run"]) for one in document["versions"]}
    assert [version for version, missing in versions.items() if not missing] == [*ALWAYS_HERE]
    told = published()
    assert [row["behaviour"] for row in document["behaviours"]] == [*SOME]
    for row in document["behaviours"]:
        states = {point["version"]: point["state"] for point in row["versions"]}
        before = ""
        for version in ALWAYS_HERE:
            expected = _state(told[row["behaviour"]], before, version)
            assert states[version] == expected, (row["behaviour"], version)
            before = version
    assert "load-stats" in (suite.cwd / "h.svg").read_text("utf-8")
    written = letters((suite.cwd / "h.md").read_text("utf-8"))
    assert {row["3.6.2"] for row in written.values()} == {"not run"}


def _state(signs: dict[str, str], before: str, version: str) -> str:
    """What holding two versions together must give, by their published letters."""
    here = signs[version] != "-"
    if not before:
        return "first" if here else "absent"
    there = signs[before] != "-"
    if here and there:
        return "same" if signs[before] == signs[version] else "changed"
    return {(True, False): "new", (False, True): "gone"}.get((here, there), "absent")


@nightly
def test_the_published_history_has_what_the_jars_have() -> None:
    jars = release_jars()
    beside = JarStore().ensure(jars_beside())
    found = inspect_each([[path, *beside] for path in release_paths(jars)])
    told = published()
    assert set(told) == {behaviour.name for behaviour in OF_JARS}
    for jar, one in zip(jars, found, strict=True):
        assert isinstance(one, Inspected), one
        has = {name for name, signs in told.items() if signs[jar.version] != "-"}
        assert has == set(one.client.realised_by), jar.version
        numbered = {way.name: way_in(way.ways, jar.version) for way in OF_JARS}
        declared = {name: way.shown_by for name, way in numbered.items() if way is not None}
        assert declared == dict(one.client.realised_by), jar.version


def test_the_published_history_is_of_all_versions_and_leaves_nothing_open() -> None:
    for name, signs in published().items():
        assert list(signs) == [jar.version for jar in release_jars()]
        there = [sign for sign in signs.values() if sign != "-"]
        # What only the newest has cannot be held against a neighbour.
        alone = there == ["(A)"] and list(signs.values())[-1] == "(A)"
        assert alone or all(re.fullmatch("[A-Z]", sign) for sign in there), name


@nightly
def test_neighbours_that_are_here_need_no_others(suite: Suite) -> None:
    wanted = [jar for jar in release_jars() if jar.version in ("2.3.1", "2.4.1")]
    paths = release_paths([*wanted, *jars_beside()])
    both = suite.place / "jars"
    both.mkdir()
    for path in paths:
        (both / path.name).symlink_to(path.resolve())
    chosen = ("--from", "2.3.1", "--to", "2.4.1", "--behaviour", "keyed", "--jars", both)
    suite.run(*history(*chosen)).expect(0, "2.3.1 to 2.4.1: 1 the same", "partition for key")


def test_ctrl_c_ends_it_with_what_is_known(suite: Suite) -> None:
    chosen = ("--from", "2.3.1", "--to", "3.8.0", "--json", "h.json")
    process = suite.start(*history(*chosen))
    said = process.stdout
    assert said is not None
    wait_until(lambda: "neighbours: 2" in said.readline(), "the start")
    interrupt(process).expect(3, "The run was interrupted.")
    rows = check_schema(suite.cwd / "h.json", "history")["behaviours"]
    states = [point["state"] for row in rows for point in row["versions"]]
    assert "not comparable" in states
    assert not any(row["versions"][-1]["state"] == "same" for row in rows)


def test_a_damaged_jar_is_not_run_and_the_others_are(suite: Suite) -> None:
    folder = suite.place / "jars"
    folder.mkdir()
    for path in suite.jars.iterdir():
        (folder / path.name).symlink_to(path.resolve())
    (folder / "kafka-clients-3.2.3.jar").unlink()
    (folder / "kafka-clients-3.2.3.jar").write_bytes(b"half a download")
    chosen = ("--from", "3.2.3", "--to", "3.8.0", "--behaviour", "keyed", "--jars", folder)
    done = suite.run(*history(*chosen, "--json", "h.json"))
    done.expect(3, "3.2.3 was not run: ", "kafka-clients-3.2.3.jar")
    [row] = check_schema(suite.cwd / "h.json", "history")["behaviours"]
    assert [one["from"] for one in row["spans"]] == ["3.8.0"]
    assert not any(point["driven"] for point in row["versions"])


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (history("--from", "2.3.0"), ["no version in the lock '2.3.0'", "2.3.1"]),
        (history("--from", "4.0.0", "--to", "2.3.1"), ["older one first", "Known: 2.0.1"]),
        (history("--from", "3.8.0", "--to", "3.8.0"), ["Name two versions"]),
        (history("--behaviour", "keyed-columns"), ["of the Python port"]),
        (history("--behaviour", "stikcy"), ["Did you mean sticky?"]),
        (("history", "--profile", "slow"), ["no profile 'slow'"]),
        (history("--plot", "."), ["cannot be written: it is a folder"]),
    ],
    ids=["version", "order", "one", "port's own", "behaviour", "profile", "file"],
)
def test_mistakes(suite: Suite, arguments: tuple[str | Path, ...], messages: list[str]) -> None:
    suite.run(*arguments).expect(2, *messages)
