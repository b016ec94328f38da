"""What users get: the table, JSON by its schema, Parquet, pictures; from runs that never were."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from rich.console import Console

from conformance.errors import SuiteError
from conformance.experiments.catalogue import experiments_named
from conformance.experiments.logs import LogBatch
from conformance.experiments.results import Result
from conformance.experiments.running import Run
from conformance.reports.experiment_console import print_experiments
from conformance.reports.experiment_files import RunFiles
from conformance.reports.experiment_plots import experiment_pictures
from tests.experiments.made_results import (
    CONDITION,
    STICKY,
    TO_SLOW,
    document_of,
    result_of,
    run_of,
    told_by,
)


def _printed(*results: Result) -> str:
    text = io.StringIO()
    print_experiments(Console(file=text, width=200, color_system=None), results)
    return text.getvalue()


def test_verdicts_and_means_are_told_beside_predictions() -> None:
    text = _printed(result_of(STICKY))
    assert "3.2.3 sends slow brokers more than their fair share: 1.50 [1.50, 1.50]" in text
    assert "1.50 ± 0.00 (1.25)" in text
    assert text.count("reproduced") == 2  # and one claim that three repetitions do not decide
    assert "undecided   2.3.1 sends slow brokers their fair share" in text
    assert "6 of 6 runs count; 24 records delivered" in text


def test_a_run_that_does_not_count_is_in_no_figure_and_the_result_is_not_complete() -> None:
    result = result_of(STICKY, failed="the client's process hung\x1b[31m")
    assert not result.is_complete
    text = _printed(result)
    assert "5 of 6 runs count" in text
    assert "1 repetition left out: a run does not count" in text
    document = document_of(result)
    assert document["exit_code"] == 3
    assert document["experiments"][0]["variants"][0]["means"]["slow_ratio"]["count"] == 2


def test_a_stop_is_told() -> None:
    assert "STOPPED in the middle" in _printed(result_of(STICKY, stopped=True))


def _svgs(document: dict[str, Any]) -> dict[str, str]:
    return {name: str(text) for name, text in experiment_pictures(document).items()}


def test_pictures_may_be_png() -> None:
    pictures = experiment_pictures(document_of(result_of(CONDITION)), "png")
    assert [*pictures] == ["map.png"]
    assert bytes(pictures["map.png"]).startswith(b"\x89PNG\r\n")


def test_conditions_of_the_map_are_rows_of_one_table() -> None:
    text = _printed(result_of(CONDITION), result_of(experiments_named(["map"])[1]))
    assert text.count("20 ms a request, 10,000 records/s, 10 partitions") == 1
    assert "20 ms a request, 20,000 records/s, 10 partitions" in text
    assert text.count("3.2.3 feeds slow brokers") == 1


def test_json_has_all_runs_by_its_schema() -> None:
    document = document_of(result_of(STICKY), result_of(CONDITION))
    sticky, condition = document["experiments"]
    assert (sticky["slow_ms"], condition["slow_ms"]) == (None, 20)
    [run, *_] = sticky["variants"][0]["runs"]
    assert run["account"]["delivered"] == 4
    assert run["measured"]["partitions"][1] == {"broker": 1, "records": 3, "last_left_ms": 3}
    assert len(run["measured"]["latency_ms"]) == 101
    assert sticky["claims"][0]["interval"]["mean"] == 1.5
    assert document["exit_code"] == 0


def test_a_client_that_never_came_to_its_end_is_in_json() -> None:
    result = result_of(STICKY)
    outcome = result.outcomes[0]
    lost = Run(STICKY.name, outcome.variant, 0, not_run="it hung")
    outcomes = [replace(outcome, runs=[lost], means={}, predicted=None), *result.outcomes[1:]]
    document = document_of(replace(result, outcomes=outcomes))
    [run] = document["experiments"][0]["variants"][0]["runs"]
    assert run == {
        **{"round": 0, "not_run": "it hung", "remarks": []},
        **{"account": None, "measured": None},
    }
    assert experiment_pictures(document)  # without that row


def test_pictures_are_two_for_each_experiment_and_one_for_the_map() -> None:
    document = document_of(result_of(STICKY), result_of(CONDITION))
    pictures = _svgs(document)
    assert [*pictures] == [
        *("sticky-slow-brokers.svg", "sticky-slow-brokers-partitions.svg", "map.svg"),
    ]
    assert "Records sent to each partition, over time" in pictures[[*pictures][1]]
    assert ">broker 1<" in pictures[[*pictures][1]]
    assert "of 3 claims 2 reproduced, 1 undecided" in pictures["sticky-slow-brokers.svg"]
    assert ">1.50<" in pictures["map.svg"]
    assert pictures == _svgs(document)
    # Numbers of a logarithmic scale are no formulas.
    assert "mathdefault" not in "".join(pictures.values())
    round_robin = experiments_named(["round-robin-latency"])[0]
    kept = [one for one in round_robin.variants if one.client in TO_SLOW]
    names = {one.name for one in kept}
    claims = [one for one in round_robin.claims if names.issuperset(one.variants)]
    other = result_of(replace(round_robin, variants=kept, claims=claims))
    assert "from a batch" in _svgs(document_of(other))["round-robin-latency.svg"]


def test_parquet_has_each_record_and_each_batch(tmp_path: Path) -> None:
    variant = STICKY.variants[0]
    client = told_by(variant.client)
    kept = [LogBatch(1, 0, 1, 106, 1_700_000_000_042, 0)]
    with RunFiles(tmp_path / "raw") as files:
        files.write(run_of(STICKY, variant, 2), client, kept)
        files.write(Run(STICKY.name, variant, 0, not_run="it hung"), client, None)
    assert sorted(one.name for one in (tmp_path / "raw").iterdir()) == [
        *("batches.parquet", "partitions.parquet", "records.parquet"),
    ]
    partitions = pq.read_table(tmp_path / "raw" / "partitions.parquet").to_pylist()
    assert [(one["broker"], one["slow"]) for one in partitions] == [(0, False), (1, True)]
    rows = pq.read_table(tmp_path / "raw" / "records.parquet").to_pylist()
    assert [row["partition"] for row in rows] == TO_SLOW["3.2.3"]
    assert rows[1]["called_ms"] == 1
    assert rows[1]["ended_ms"] == 6
    assert rows[0]["round"] == 2
    batches = pq.read_table(tmp_path / "raw" / "batches.parquet").to_pylist()
    assert [one["appended_ms"] for one in batches] == [42, None, None, None]
    assert batches[0]["left_ms"] == 1


def test_nothing_is_left_of_parquet_that_a_failure_ended(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), RunFiles(tmp_path):
        raise RuntimeError
    assert [*tmp_path.iterdir()] == []


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SuiteError, match="cannot be written"), RunFiles(tmp_path / "file"):
        pass
