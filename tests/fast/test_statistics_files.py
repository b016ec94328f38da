"""The folder of results: valid, complete, the same again, and never half written."""

import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow.parquet as pq
import pytest

from conformance import files
from conformance.clients.versions import CLIENT_VERSIONS
from conformance.errors import SuiteError, UsageError
from conformance.model.distribution import Measures
from conformance.model.outcome import Kind, Outcome
from conformance.reports import plots, statistics_files
from conformance.reports.statistics_files import check_result_folder, results_text, write_results
from conformance.sampling.judging import StatisticsResult
from conformance.statistics.verdicts import Subjected, judge_all
from conformance.subjects.python_port import PythonPort
from tests.cli.running import check_schema
from tests.fast.statistics_samples import conforming, diverging, sampled

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def good() -> StatisticsResult:
    return conforming()


@pytest.fixture(scope="module")
def bad() -> StatisticsResult:
    return diverging()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "new" / "statistics"


def test_results_are_valid_and_complete(good: StatisticsResult, folder: Path) -> None:
    written = write_results(good, folder, plots=False)
    assert written == [folder / n for n in ("measures.parquet", "results.json", "tests.parquet")]
    document = check_schema(folder / "results.json", "statistics")
    assert document["exit_code"] == 0
    assert document["verdicts"] == {"conforms": len(good.tests), "diverges": 0, "not run": 0}
    tests = pq.read_table(folder / "tests.parquet").to_pylist()
    assert [t["statistic"] for t in tests] == [t["statistic"] for t in document["tests"]]
    shapes = {
        (s["distribution"], s["client"], s["subject"], name): np.zeros(shape, np.int64)
        for s in document["samples"]
        for name, shape in s["measures"].items()
    }
    for row in pq.read_table(folder / "measures.parquet").to_pylist():
        key = (row["distribution"], row["client"], row["subject"], row["measure"])
        shapes[key][tuple(row["index"])] = row["count"]
    for of, measures in good.measures.items():
        for name, counts in measures.counts.items():
            np.testing.assert_array_equal(
                shapes[of.distribution, of.client, of.subject, name], counts
            )


def test_results_with_problems_are_valid(bad: StatisticsResult, folder: Path) -> None:
    write_results(bad, folder, plots=False)
    document = check_schema(folder / "results.json", "statistics")
    assert document["exit_code"] == 1
    assert {test["verdict"] for test in document["tests"]} == {"conforms", "diverges", "not run"}


def test_numbers_that_json_does_not_have_are_null() -> None:
    of = Subjected("keyed/uuid", "3.8.0", "Java 3.8.0", "Java")
    outcome = Outcome("distinct keys", Kind.STATISTICAL, 1, "chi-square", float("inf"), p=0.0)
    result = StatisticsResult(
        tuple(judge_all([(of, outcome)])), {of: Measures(1)}, {}, 0, 1.0, "local"
    )
    (test,) = json.loads(results_text(result))["tests"]
    assert test["statistic"] is None
    assert "NaN" not in results_text(result)


def test_the_same_result_has_the_same_bytes(good: StatisticsResult, tmp_path: Path) -> None:
    measures = {of: m for of, m in good.measures.items() if of.distribution == "sticky"}
    few = replace(good, measures=measures)
    later = replace(few, seconds=99.0, master="spark://elsewhere:7077")
    for result, name in ((few, "a"), (later, "b")):
        write_results(result, tmp_path / name, plots=True)
    documents = [json.loads((tmp_path / name / "results.json").read_text("utf-8")) for name in "ab"]
    assert documents[0].pop("run") != documents[1].pop("run")
    assert list(documents[0].items()) == list(documents[1].items())
    others = [path for path in (tmp_path / "a").rglob("*.*") if path.name != "results.json"]
    assert len(others) == 2 + 2 * 2  # two plots of sticky, each twice
    for path in others:
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()


def test_every_kind_of_plot_is_drawn(good: StatisticsResult, folder: Path) -> None:
    racks = sampled(PythonPort(), "rack-aware", records=150_000, versions=CLIENT_VERSIONS[3:])
    for result, name in ((good, "good"), (racks, "racks")):
        write_results(result, folder / name, plots=True)
    for path in folder.glob("*/plots/*.svg"):
        root = ElementTree.fromstring(path.read_text("utf-8"))
        words = {one.get("id"): one.text or "" for one in list(root)[:2]}
        assert root.get("role") == "img"
        assert root.get("aria-labelledby") == "title desc"
        # What is drawn as text, in lines, is what the title says.
        drawn_words = " ".join("".join(one.itertext()) for one in root.iter(f"{SVG}text")).split()
        assert set(words["title"].split()) <= set(drawn_words)
        assert "Panels: " in words["desc"]
        assert "prefers-color-scheme: dark" in "".join(
            one.text or "" for one in root.iter(f"{SVG}style")
        )
    drawn = {path.name for path in folder.glob("*/plots/*") if path.stat().st_size > 10_000}
    assert drawn == {f"{name}.{kind}" for name in plots.PLOTS for kind in ("svg", "png")}


def test_newer_results_replace_older_ones(
    good: StatisticsResult, bad: StatisticsResult, folder: Path
) -> None:
    write_results(good, folder, plots=False)
    (folder / "plots").mkdir()
    (folder / "plots" / "sticky.svg").touch()
    write_results(bad, folder, plots=False)
    assert check_schema(folder / "results.json", "statistics")["exit_code"] == 1
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert not (folder / "plots").exists()


def _no_space(*_arguments: object, **_options: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    "fail",
    [
        lambda patch: patch.setattr(pq, "write_table", _no_space),
        lambda patch: patch.setattr(statistics_files, "_write_plots", _no_space),
        lambda patch: patch.setattr(files, "_swap", _no_space),
        lambda patch: patch.setattr(tempfile, "mkdtemp", _no_space),
    ],
    ids=["parquet", "plots", "swap", "folder"],
)
def test_a_failed_write_leaves_the_older_results(
    good: StatisticsResult,
    bad: StatisticsResult,
    folder: Path,
    fail: Callable[[pytest.MonkeyPatch], None],
) -> None:
    write_results(good, folder, plots=False)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statistics_files, "_write_plots", lambda *_arguments: None)
        fail(patch)
        with pytest.raises(SuiteError, match="No space left on device") as caught:
            write_results(bad, folder, plots=True)
    assert str(folder) in caught.value.what
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    assert list(folder.parent.iterdir()) == [folder]


def test_if_the_new_folder_cannot_be_renamed_the_older_one_is_put_back(
    good: StatisticsResult, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_results(good, folder, plots=False)
    rename = Path.rename

    def stubborn(path: Path, target: Path) -> Path:
        if path.name == "new":
            raise PermissionError(13, "Permission denied")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", stubborn)
    with pytest.raises(SuiteError, match="Permission denied"):
        write_results(good, folder, plots=False)
    assert list(folder.parent.iterdir()) == [folder]
    check_schema(folder / "results.json", "statistics")


def test_an_interruption_leaves_nothing_behind(
    good: StatisticsResult, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(statistics_files, "_write_plots", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_results(good, folder, plots=True)
    assert list(folder.parent.iterdir()) == []


def _foreign(folder: Path, name: str, text: str = "") -> None:
    folder.mkdir(parents=True)
    (folder / name).write_text(text, "utf-8")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("thesis.tex", "", "no results.json in it"),
        ("results.json", "[]", "its results.json is something else"),
        ("results.json", '{"format": "mine"}', "its results.json is something else"),
        ("results.json", "{", "its results.json is something else"),
    ],
)
def test_a_folder_of_something_else_is_refused(
    good: StatisticsResult, folder: Path, name: str, text: str, told: str
) -> None:
    _foreign(folder, name, text)
    with pytest.raises(UsageError, match=told):
        check_result_folder(folder)
    with pytest.raises(UsageError, match=told):
        write_results(good, folder, plots=False)
    assert (folder / name).read_text("utf-8") == text


@pytest.mark.parametrize("name", ["notes.txt", "plots/my-own.pdf"])
def test_results_with_other_files_among_them_are_refused(
    good: StatisticsResult, folder: Path, name: str
) -> None:
    write_results(good, folder, plots=False)
    (folder / "plots").mkdir()
    (folder / name).touch()
    with pytest.raises(UsageError, match=f"also holds {name}"):
        write_results(good, folder, plots=True)
    assert (folder / name).exists()


def test_new_empty_and_linked_folders_are_fine(good: StatisticsResult, tmp_path: Path) -> None:
    check_result_folder(tmp_path / "not" / "yet" / "there")
    assert list(tmp_path.iterdir()) == []
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    write_results(good, link, plots=False)
    assert link.is_symlink()
    assert (real / "results.json").exists()


def test_places_that_cannot_be_written_are_told_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError):
            check_result_folder(place)
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    with pytest.raises(UsageError, match="working inside it"):
        check_result_folder(Path())


def test_a_folder_without_permission_is_told_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = os.access

    def locked(path: Path, mode: int) -> bool:
        return allowed(path, mode) and not (path == tmp_path and mode & os.W_OK)

    # Not by real permissions, which do not hold for root.
    monkeypatch.setattr(os, "access", locked)
    for place in (tmp_path / "results", tmp_path / "new" / "results"):
        with pytest.raises(UsageError, match=f"no permission to write to {tmp_path}"):
            check_result_folder(place)
