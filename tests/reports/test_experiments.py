"""Experiments on the page: verdicts, means beside predictions, and what does not count."""

from pathlib import Path

import pytest

from conformance.errors import UsageError
from conformance.reports.experiment_files import FORMAT
from conformance.reports.html.documents import EXPERIMENT, load_documents
from tests.experiments.made_results import CONDITION, STICKY, document_of, result_of
from tests.reports.hostile import NAMES
from tests.reports.samples import page_of, written


def test_a_format_has_one_name() -> None:
    assert EXPERIMENT == FORMAT


def test_verdicts_and_predictions_are_on_the_page(tmp_path: Path) -> None:
    page = page_of(tmp_path, document_of(result_of(STICKY), result_of(CONDITION)))
    assert [one.text for one in page.all("h2")][1:] == [STICKY.title, CONDITION.title]
    cells = [" ".join(one.text.split()) for one in page.all("td")]
    assert "1.50 (predicted 1.25)" in cells
    assert cells.count("✓ reproduced") == 4
    assert "≈ undecided" in cells
    assert "1.50 [1.50, 1.50] of the fair share, wanted more than 1.05" in cells
    pictures = page.all("svg")
    assert pictures[0].get("aria-label").startswith("3.2.3: 1.50 (predicted 1.25)")
    # 260 units for a ratio of 2.
    assert [one.get("cx") for one in page.all("circle")][:2] == ["195.0", "130.0"]
    assert not page.all("p", "alert")


def test_what_does_not_count_and_a_stop_are_said_at_the_top(tmp_path: Path) -> None:
    failed = result_of(STICKY, failed="the client hung")
    stopped = result_of(CONDITION, stopped=True)
    page = page_of(tmp_path, document_of(failed, stopped))
    alert, *_ = page.all("p", "alert")
    assert "Not everything was run" in alert.text
    assert STICKY.title in alert.text
    assert f"{CONDITION.title} (interrupted)" in " ".join(alert.text.split())
    assert "3.2.3, repetition 1: the client hung" in [one.text.strip() for one in page.all("li")]


def test_a_damaged_document_is_refused(tmp_path: Path) -> None:
    document = document_of(result_of(STICKY))
    document["experiments"][0]["claims"][0]["verdict"] = "likely"
    with pytest.raises(UsageError, match="is damaged, or of another version"):
        load_documents(written(tmp_path, document))


def test_names_that_others_wrote_are_inert(tmp_path: Path) -> None:
    for number, text in enumerate(NAMES):
        document = document_of(result_of(STICKY, failed="x"))
        [experiment] = document["experiments"]
        experiment["title"] = experiment["site"] = text
        variant = experiment["variants"][0]
        variant["name"] = variant["runs"][0]["not_run"] = text
        experiment["claims"][0]["text"] = experiment["claims"][0]["unit"] = text
        (tmp_path / str(number)).mkdir()
        page = page_of(tmp_path / str(number), document)
        assert len(page.all("script")) == 1
        assert not any(name.startswith("on") for one in page.elements for name in one.attributes)
