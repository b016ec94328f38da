"""The command and its inputs: what is no report is refused, and says why."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.model.results import plain
from conformance.model.values import to_json
from conformance.reports.divergence_file import divergence_text
from conformance.reports.statistics_files import results_text
from tests.fast.statistics_samples import diverging as statistics
from tests.reports.pages import Page
from tests.reports.samples import conforming, diverging, not_run, report, usual, written


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


def refused(paths: Sequence[Path], folder: Path) -> str:
    """The message for inputs that are the user's mistake; no page is left."""
    output = folder / "page.html"
    result = run(*paths, "--output", output)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    assert not output.exists()
    return " ".join(result.output.split())


def test_a_page_is_written_whole_with_its_title(tmp_path: Path) -> None:
    output = tmp_path / "new" / "page.html"
    result = run(*written(tmp_path, usual()), "--output", output, "--title", "Ours <b>")
    assert result.exit_code == 0, result.output
    assert "Page: " in result.output
    assert "<title>Ours &lt;b&gt;</title>" in output.read_text("utf-8")
    assert [path.name for path in output.parent.iterdir()] == ["page.html"]


def test_a_divergence_in_a_report_is_no_failure_of_the_command(tmp_path: Path) -> None:
    output = tmp_path / "page.html"
    assert run(*written(tmp_path, report([diverging()])), "--output", output).exit_code == 0


def gated(document: dict[str, Any]) -> dict[str, Any]:
    """The same as of two jars, of which the candidate does otherwise with keys."""
    changes = [
        {"behaviour": "keyed", "change": "changed", "what": "partition: a number for a number",
         "cases": 150, "planned": 150},
        {"behaviour": "built-in", "change": "not comparable", "what": "no such <method>",
         "cases": 0, "planned": 150},
    ]  # fmt: skip
    sides = {
        side: {"version": version, "sha256": digit * 64}
        for side, version, digit in (("baseline", "3.8.0", "0"), ("candidate", "4.0.0", "1"))
    }
    idle = {"name": "org.apache.Idle", "change": "changed", "driven": False, "idle": ["run"]}
    found = {"changes": changes, "accepted": [], "outdated": ["keyed: x"], "kept": []}
    classes = {"outcomes": [idle], "fail": False}
    return {**document, "gate": {**sides, **found, "minutes": None, "classes": classes}}


def test_a_gate_is_shown_as_what_changed(tmp_path: Path) -> None:
    document = gated(report([diverging(), not_run()], None))
    output = tmp_path / "page.html"
    result = run(*written(tmp_path, document), "--output", output)
    assert result.exit_code == 0, result.output
    page = Page(output.read_text("utf-8"))
    assert page.by_id("j0").text.strip() == "From kafka-clients 3.8.0 to 4.0.0"
    (table,) = page.all("table", "tests")
    rows = [" ".join(row.split()) for row in table.text.split("\n") if row.strip()]
    assert rows[1:] == [
        "keyed✗ changedpartition: a number for a number",
        "built-in? not comparableno such <method>",
    ]
    text = page.all("main")[0].text
    for part in ("The smallest case found", "1: org.apache.Idle", "no longer occurs: keyed: x"):
        assert part in text
    assert "Which Java client" not in text
    (alert,) = [one for one in page.all("p", "alert") if "Not everything was run" in one.text]
    assert "From kafka-clients 3.8.0 to 4.0.0" in alert.text
    assert "from\n1 result file." in page.all("footer")[0].text


def test_distributions_of_a_gate_are_shown_with_what_changed(tmp_path: Path) -> None:
    document = gated(json.loads(results_text(statistics())))
    output = tmp_path / "page.html"
    assert run(*written(tmp_path, document), "--output", output).exit_code == 0
    page = Page(output.read_text("utf-8"))
    assert page.by_id("j0").text.strip() == "From kafka-clients 3.8.0 to 4.0.0"
    assert page.by_id("s0").text.startswith("Distributions, from ")


def test_files_are_required_and_the_page_has_a_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("--output", tmp_path / "page.html").exit_code == 2
    (path,) = written(tmp_path, usual())
    monkeypatch.chdir(tmp_path)
    assert run(path).exit_code == 0
    assert (tmp_path / "conformance-results" / "report.html").exists()


def _other_version(document: dict[str, Any]) -> None:
    document["format"] = "kafka-conformance report 99"


def _without_cells(document: dict[str, Any]) -> None:
    del document["cells"]


def _new_verdict(document: dict[str, Any]) -> None:
    document["cells"][0]["verdict"] = "passed"


def _conforms_without_cases(document: dict[str, Any]) -> None:
    document["cells"][0]["cases"] = 0


def _member_of_tomorrow(document: dict[str, Any]) -> None:
    document["cells"][0]["mood"] = "good"


def _another_document(document: dict[str, Any]) -> None:
    document["format"] = {"nested": ["\x1b[31m"]}


def _damaged_metadata(document: dict[str, Any]) -> None:
    document["cells"][1]["divergence"]["case"]["metadata"] = [["no pair at all"]]


def _bad_hex(document: dict[str, Any]) -> None:
    document["cells"][1]["divergence"]["case"]["config"] = {"hex": "zz"}


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (_other_version, "in a format that this version of the suite does not read"),
        (_without_cells, "damaged, or of another version of the suite"),
        (_new_verdict, "['cells'][0]['verdict']"),
        (_conforms_without_cases, "['cells'][0]"),
        (_member_of_tomorrow, "mood"),
        (_another_document, "is no report of kafka-conformance"),
        (_damaged_metadata, "damaged, or of another version of the suite: ['cells'][1]"),
        (_bad_hex, "is not JSON"),
    ],
)
def test_what_is_no_report_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], part: str
) -> None:
    document = usual()
    change(document)
    assert part in refused(written(tmp_path, document), tmp_path)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"[]", "is no report"),
        (b"null", "is no report"),
        (b"\xff\xfe", "is not UTF-8"),
        (b'{"format": 1}', "is no report"),
        (b"[" * 100_000, "is not JSON"),
        (b"PK\x03\x04", "is not"),
    ],
)
def test_what_is_no_json_is_refused(tmp_path: Path, content: bytes, part: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    assert part in refused([path], tmp_path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert "cannot be read" in refused([tmp_path / "none.json"], tmp_path)
    assert "cannot be read" in refused([tmp_path], tmp_path)


def test_a_divergence_file_is_named_as_such(tmp_path: Path) -> None:
    divergence = diverging().divergence
    assert divergence is not None
    path = tmp_path / "keyed-3.8.0.json"
    path.write_text(divergence_text(divergence), "utf-8")
    assert "is a single divergence" in refused([path], tmp_path)


def test_two_files_of_one_subject_are_told_apart(tmp_path: Path) -> None:
    paths = written(tmp_path, usual(), usual(), usual(version="2.0"))
    output = tmp_path / "page.html"
    # A file that is named twice is one.
    assert run(*paths, paths[0], "--output", output).exit_code == 0
    page = Page(output.read_text("utf-8"))
    folder = tmp_path.name
    names = [one.text.split(" 1.0")[0].split(" 2.0")[0] for one in page.all("h3")]
    assert names == ["a library", f"a library ({folder}/0.json)", f"a library ({folder}/1.json)"]
    assert "from\n3 result files." in page.all("footer")[0].text


def test_the_same_library_in_another_version_or_language_is_not_the_same(tmp_path: Path) -> None:
    others = [usual(), usual(version="2.0"), usual(language="Tcl 8"), usual(None)]
    output = tmp_path / "page.html"
    result = run(*written(tmp_path, *others), "--output", output)
    assert result.exit_code == 0, result.output


def test_the_same_statistics_twice_have_the_names_of_their_files(tmp_path: Path) -> None:
    document = json.loads(results_text(statistics()))
    output = tmp_path / "page.html"
    assert run(*written(tmp_path, document, document), "--output", output).exit_code == 0
    page = Page(output.read_text("utf-8"))
    titles = [one.text.strip() for one in page.all("h2") if "Distributions" in one.text]
    assert titles == [f"Distributions, from {tmp_path.name}/{name}.json" for name in "01"]


def test_an_output_that_cannot_be_written_is_refused_before_reading(tmp_path: Path) -> None:
    result = run(tmp_path / "none.json", "--output", tmp_path)
    assert result.exit_code == 2
    (tmp_path / "file").write_text("")
    result = run(*written(tmp_path, usual()), "--output", tmp_path / "file" / "page.html")
    assert result.exit_code == 2
    assert "is not a folder" in " ".join(result.output.split())


def test_reports_of_all_cells_are_plain_data() -> None:
    assert json.loads(to_json(plain(conforming("keyed", "3.8.0"))))["pictures"] == []
