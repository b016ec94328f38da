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
from tests.reports.samples import conforming, diverging, report, usual, written


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


def test_a_gate_is_no_subject(tmp_path: Path) -> None:
    jar = {"version": "3.8.0", "sha256": "0" * 64}
    lists: dict[str, Any] = {"changes": [], "accepted": [], "outdated": [], "kept": []}
    document = report([conforming("keyed", "3.8.0")], None)
    some = {"baseline": jar, "candidate": jar, "minutes": None, "classes": None}
    document["gate"] = {**some, **lists}
    assert "is of a gate between two jars" in refused(written(tmp_path, document), tmp_path)


def test_files_and_output_are_required(tmp_path: Path) -> None:
    assert run("--output", tmp_path / "page.html").exit_code == 2
    assert run(*written(tmp_path, usual())).exit_code == 2


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


def test_the_same_subject_twice_is_refused(tmp_path: Path) -> None:
    paths = written(tmp_path, usual(), usual())
    message = refused(paths, tmp_path)
    assert str(paths[0]) in message.replace(" ", "")
    assert "both about a library 1.0 (Perl 5)" in message


def test_the_same_library_in_another_version_or_language_is_not_the_same(tmp_path: Path) -> None:
    others = [usual(), usual(version="2.0"), usual(language="Tcl 8"), usual(None)]
    output = tmp_path / "page.html"
    result = run(*written(tmp_path, *others), "--output", output)
    assert result.exit_code == 0, result.output


def test_the_same_statistics_twice_are_refused(tmp_path: Path) -> None:
    document = json.loads(results_text(statistics()))
    message = refused(written(tmp_path, document, document), tmp_path)
    assert (
        "both about sticky of the Python port of" in message
        or "both about keyed/uuid of" in message
    )


def test_an_output_that_cannot_be_written_is_refused_before_reading(tmp_path: Path) -> None:
    result = run(tmp_path / "none.json", "--output", tmp_path)
    assert result.exit_code == 2
    (tmp_path / "file").write_text("")
    result = run(*written(tmp_path, usual()), "--output", tmp_path / "file" / "page.html")
    assert result.exit_code == 2
    assert "is not a folder" in " ".join(result.output.split())


def test_reports_of_all_cells_are_plain_data() -> None:
    assert json.loads(to_json(plain(conforming("keyed", "3.8.0"))))["pictures"] == []
