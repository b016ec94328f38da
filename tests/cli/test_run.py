"""A run in which all conforms: exit code, matrix, reports, seeds; and the other commands."""

import json
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from conformance.behaviours.registry import BEHAVIOURS
from conformance.clients.versions import CLIENT_VERSIONS, jars_of_matrix
from tests.cli.running import ONE_CELL, QUICK, Outcome, Suite, check_schema, share


@pytest.fixture(scope="module")
def conforming(
    tmp_path_factory: pytest.TempPathFactory, good_jars: Path
) -> tuple[Suite, Outcome, dict[str, Any]]:
    """One run of one behaviour, with both reports; its JSON report, which is valid."""
    suite = Suite(tmp_path_factory.mktemp("conforming"), good_jars)
    outcome = suite.run("run", *QUICK, "--json", "new/report.json", "--junit", "junit.xml")
    return suite, outcome, check_schema(suite.cwd / "new" / "report.json", "report")


Conforming = tuple[Suite, Outcome, dict[str, Any]]


def test_conforming_run_ends_with_the_matrix(conforming: Conforming) -> None:
    _, outcome, _ = conforming
    told = f"2 cells, {2 * share('sticky')} cases (profile quick, seed 0, jobs 2)"
    outcome.expect(0, told, "That takes about 10 to 4")
    lines = outcome.out.splitlines()
    cells = _row("sticky", lines)
    assert cells[1].startswith("absent: arrived in 2.4")
    assert [cell.split(", ")[:2] for cell in cells[2:4]] == [
        ["conforms", f"{share('sticky')} cases"]
    ] * 2
    assert lines[-1].startswith(
        "2 conform, 0 diverge, 0 not run, 2 absent from their version; "
        f"{2 * share('sticky')} cases in "
    )


def _row(behaviour: str, lines: list[str]) -> list[str]:
    """The matrix's row of a behaviour: a cell that is told on several lines is joined.

    A cell has a second line when it took ten seconds, which is the machine's affair.
    """
    start = next(i for i, line in enumerate(lines) if line.startswith(f"│ {behaviour} "))
    told = [lines[start]]
    for line in lines[start + 1 :]:
        if not line.startswith("│  "):
            break
        told.append(line)
    parts = [[cell.strip() for cell in line.strip("│").split("│")] for line in told]
    return [" ".join(filter(None, column)) for column in zip(*parts, strict=True)]


def test_log_has_no_control_codes_and_no_progress_bar(conforming: Conforming) -> None:
    _, outcome, _ = conforming
    assert "\x1b" not in outcome.text
    assert "\r" not in outcome.text
    assert "cases, " in outcome.text
    assert "/s" not in outcome.text
    assert outcome.err == ""


def test_run_leaves_nothing_but_what_was_asked_for(conforming: Conforming) -> None:
    suite, _, _ = conforming
    assert suite.files() == ["junit.xml", "new/report.json"]
    # In the user's cache, what the real clients answered, one file for each cell, and the classes
    # that our Java became.
    kept = [path for path in suite.home.rglob("*") if path.is_file()]
    cache = suite.home / "cache" / "kafka-conformance"
    counted = Counter(path.parent for path in kept)
    assert counted.keys() == {cache / "answers", cache / "classes"}
    assert counted[cache / "answers"] == 2


def test_a_second_run_does_not_ask_again_and_finds_the_same(suite: Suite) -> None:
    options = ("--profile", "quick", "--client", "3.8.0", "--behaviour", "sticky", "--jobs", "1")
    first = suite.run("run", *options, "--json", "first.json").expect(0)
    second = suite.run("run", *options, "--json", "second.json").expect(
        0,
        "The real clients' answers read from earlier runs: 1 of 1 cells (--no-cache asks again)",
    )
    assert "read from earlier runs" not in first.out
    assert "read from earlier runs" not in suite.run("run", *options, "--no-cache").expect(0).out
    cells = [
        json.loads((suite.cwd / name).read_text())["cells"][0]
        for name in ("first.json", "second.json")
    ]
    assert [cell.pop("kept") for cell in cells] == [False, True]
    assert cells[0].pop("seconds") != cells[1].pop("seconds")
    assert cells[0] == cells[1]
    assert second.code == 0


def test_a_damaged_answer_is_asked_again(suite: Suite) -> None:
    options = ("--profile", "quick", "--client", "3.8.0", "--behaviour", "sticky", "--jobs", "1")
    suite.run("run", *options, "--cache", "kept").expect(0)
    [file] = (suite.cwd / "kept").iterdir()
    file.write_bytes(file.read_bytes()[:-20])
    outcome = suite.run("run", *options, "--cache", "kept")
    outcome.expect(0, "is damaged", "The real client is asked again.")
    assert "read from earlier runs" not in outcome.out
    suite.run("run", *options, "--cache", "kept").expect(0, "read from earlier runs: 1 of 1 cells")
    suite.run("run", *options, "--cache", "kept", "--no-cache").expect(2, "exclude each other")


def test_hypothesis_leaves_nothing_behind(suite: Suite) -> None:
    options = ("--profile", "quick", "--client", "3.8.0", "--jobs", "1")
    suite.run("run", *options, "--behaviour", "serialized-keys").expect(0)
    assert suite.files() == []


def test_json_report_agrees_with_the_run(conforming: Conforming) -> None:
    _, outcome, report = conforming
    assert report["exit_code"] == outcome.code
    assert (report["seed"], report["profile"], report["jobs"]) == (0, "quick", 2)
    assert report["cases"] == 2 * share("sticky")
    assert not report["interrupted"]
    cells = {cell["client"]: cell for cell in report["cells"]}
    assert [cell["behaviour"] for cell in report["cells"]] == ["sticky"] * 4
    verdicts = {client: cell["verdict"] for client, cell in cells.items()}
    assert [verdicts[one] for one in ("3.2.3", "3.8.0")] == ["conforms"] * 2
    assert [verdicts[one] for one in ("2.3.1", "4.4.0")] == ["absent"] * 2
    assert cells["2.3.1"]["reason"] == "arrived in 2.4 (KIP-480)"
    assert cells["3.8.0"]["steps"] > 150
    assert cells["3.8.0"]["labels"]["null key"] > 0
    assert cells["3.8.0"]["digest"] != cells["3.2.3"]["digest"]


def test_junit_counts_agree(conforming: Conforming) -> None:
    suite, _, _ = conforming
    root = ET.parse(suite.cwd / "junit.xml").getroot()
    (whole,) = root.findall("testsuite")
    cases = whole.findall("testcase")
    counts = {name: whole.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "4", "failures": "0", "errors": "0", "skipped": "2"}
    assert len(cases) == 4
    assert [case.get("name") for case in cases] == ["sticky"] * 4
    skipped = [case.get("classname") for case in cases if case.find("skipped") is not None]
    assert skipped == ["kafka-clients-2.3.1", "kafka-clients-4.4.0"]


def test_same_seed_same_cases_other_seed_other_cases(conforming: Conforming, suite: Suite) -> None:
    def digest(seed: str) -> str:
        # Alone and without workers: the cases depend on the seed only.
        options = ("--seed", seed, "--jobs", "0", "--json", "r.json")
        suite.run("run", *ONE_CELL, *options).expect(0)
        (cell,) = check_schema(suite.cwd / "r.json", "report")["cells"]
        return str(cell["digest"])

    first = conforming[2]["cells"][2]["digest"]
    assert digest("0") == first
    assert digest("1") != first


def test_java_against_itself_conforms_and_coverage_is_shown(suite: Suite) -> None:
    options = ("--jobs", "0", "--subject", "java", "--coverage", "--seed", "random")
    outcome = suite.run("run", *ONE_CELL, *options, "--json", "r.json")
    outcome.expect(0, "Java each version and Java each version", "Cases by class", "stale batch")
    seed = check_schema(suite.cwd / "r.json", "report")["seed"]
    assert f"(profile quick, seed {seed}, jobs 0)" in outcome.out


def test_reports_to_devices_are_written_through(suite: Suite) -> None:
    (suite.place / "target.json").write_text("old")
    link = suite.place / "link.json"
    link.symlink_to(suite.place / "target.json")
    suite.run("run", *ONE_CELL, "--jobs", "0", "--junit", "/dev/null", "--json", link).expect(0)
    assert Path("/dev/null").is_char_device()
    assert link.is_symlink()
    assert json.loads((suite.place / "target.json").read_text())["exit_code"] == 0


def test_list_explains_every_behaviour(suite: Suite) -> None:
    outcome = suite.run("list").expect(0)
    rows = {line.split("│")[0].strip(): line for line in outcome.out.splitlines() if "│" in line}
    for behaviour in BEHAVIOURS:
        has = ["yes" if behaviour.name in c.realised_by else "-" for c in CLIENT_VERSIONS]
        assert [cell.strip() for cell in rows[behaviour.name].split("│")[2:6]] == has


def test_jars_tells_where_each_is(suite: Suite, good_jars: Path) -> None:
    outcome = suite.run("jars").expect(0)
    expected = [f"{j.coordinates}  verified  {good_jars / j.name}" for j in jars_of_matrix()]
    assert outcome.out.splitlines() == expected


def test_version_and_help(suite: Suite) -> None:
    assert ", version " in suite.run("--version").expect(0).out
    suite.run("run", "--help").expect(0, "Exit codes:", "--stall-seconds", "--profile")
