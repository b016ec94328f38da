"""Experiments as files: JSON (experiment.schema.json), and a folder of Parquet files.

The folder has a row for each record of each run, each batch, and each partition. Times are ms from
the start of the run.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from conformance.errors import ExitCode, SuiteError
from conformance.experiments.claims import Judged
from conformance.experiments.judgement import Interval
from conformance.experiments.logs import LogBatch
from conformance.experiments.measures import Measured
from conformance.experiments.results import Outcome, Result
from conformance.experiments.running import Run
from conformance.experiments.tables import TABLES
from conformance.experiments.told import Told
from conformance.model.values import to_json
from conformance.simulation.answers import plain
from conformance.suite_version import suite_version

FORMAT: Final = "kafka-conformance experiment 1"
QUANTILES: Final = 101
"""Of a distribution in JSON: the least, the percentiles, the largest."""


def experiments_document(results: Sequence[Result], code: ExitCode) -> dict[str, Any]:
    """All that is told in JSON, as plain data."""
    document = {
        "format": FORMAT,
        "suite_version": suite_version(),
        "exit_code": int(code),
        "experiments": [_experiment(one) for one in results],
    }
    found: dict[str, Any] = plain(document)
    return found


def experiments_text(document: Mapping[str, Any]) -> str:
    """The JSON text of a document."""
    return to_json(document, indent=1) + "\n"


def _experiment(result: Result) -> dict[str, Any]:
    experiment = result.experiment
    return {
        "name": experiment.name,
        "title": experiment.title,
        "site": result.site,
        "slow_brokers": [*result.slow],
        "slow_ms": experiment.slow_ms,
        "seed": result.seed,
        "repetitions": result.repetitions,
        "stopped": result.stopped,
        "records": experiment.records,
        "interval_ms": experiment.interval_ns / 1e6,
        "value_bytes": experiment.value_bytes,
        "partitions": experiment.partitions,
        "settings": experiment.settings,
        "variants": [_variant(result, one) for one in result.outcomes],
        "claims": [_claim(one) for one in result.judged],
    }


def _variant(result: Result, outcome: Outcome) -> dict[str, Any]:
    variant = outcome.variant
    return {
        "name": variant.name,
        "client": variant.client,
        "condition": str(variant.condition),
        "settings": variant.settings,
        "interval_ms": result.experiment.interval_of(variant) / 1e6,
        "means": {name: _interval(one) for name, one in outcome.means.items()},
        "predicted": outcome.predicted,
        "runs": [_run(run) for run in outcome.runs],
    }


def _interval(interval: Interval) -> dict[str, float]:
    return asdict(interval)


def _claim(judged: Judged) -> dict[str, Any]:
    return {
        "name": judged.claim.name,
        "text": judged.claim.text,
        "variants": [*judged.claim.variants],
        "kind": judged.claim.kind,
        "than": judged.claim.than,
        "unit": judged.claim.unit,
        "verdict": str(judged.verdict),
        "interval": _interval(judged.interval),
        "numbers": [*judged.numbers],
        "note": judged.note,
    }


def _run(run: Run) -> dict[str, Any]:
    return {
        "round": run.round,
        "not_run": run.not_run,
        "remarks": [*run.remarks],
        "account": None if run.account is None else asdict(run.account),
        "measured": None if run.measured is None else _measured(run.measured),
    }


def _measured(run: Measured) -> dict[str, Any]:
    rows = zip(run.partition_records, run.partition_broker, run.last_left_ms, strict=True)
    return {
        "figures": run.figures,
        "partitions": [
            {"broker": broker, "records": records, "last_left_ms": last}
            for records, broker, last in rows
        ],
        "service_ms": {
            str(broker): {
                "requests": len(times),
                "mean": float(np.mean(times)) / 1e3,
                "median": float(np.median(times)) / 1e3,
            }
            for broker, times in run.services_us.items()
        },
        "latency_ms": _quantiles(run.latency_ms),
        "batch_records": _quantiles([one.records for one in run.batches]),
        "waited_ms": _quantiles([one.waited_ms for one in run.batches]),
        "course": asdict(run.course),
    }


def _quantiles(numbers: Any) -> list[float]:
    if not len(numbers):
        return []
    found: list[float] = np.percentile(numbers, np.linspace(0, 100, QUANTILES)).tolist()
    return found


class RunFiles:
    """Parquet files of all runs, written while they are made.

    Each is written beside its place, which it takes when all is there. Raises
    :class:`SuiteError` if one cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = ExitStack()
        self._writers: dict[str, pq.ParquetWriter] = {}

    def __enter__(self) -> "RunFiles":
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for name, schema in TABLES.items():
                self._writers[name] = pq.ParquetWriter(
                    self._beside(name), schema, compression="zstd"
                )
        except OSError as error:
            raise self._unwritten(error) from error
        return self

    def write(self, run: Run, told: Told, kept: Sequence[LogBatch] | None) -> None:
        """The records and batches of a run that was measured."""
        if run.measured is None:
            return
        try:
            self._write("records", run, _record_columns(run.measured, told))
            self._write("batches", run, _batch_columns(run.measured, told, kept or ()))
            self._write("partitions", run, _partition_columns(run.measured))
        except OSError as error:
            raise self._unwritten(error) from error

    def _write(self, name: str, run: Run, columns: Sequence[Any]) -> None:
        schema, count = TABLES[name], len(columns[0])
        named = [[run.experiment] * count, [run.variant.name] * count, [run.round] * count]
        arrays = [
            pa.array(column, field.type)
            for column, field in zip([*named, *columns], schema, strict=True)
        ]
        self._writers[name].write_table(pa.Table.from_arrays(arrays, schema=schema))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            for name, writer in self._writers.items():
                writer.close()
                if kind is None:
                    self._beside(name).replace(self._folder / f"{name}.parquet")
        except OSError as problem:
            raise self._unwritten(problem) from problem
        finally:
            for name in self._writers:
                self._beside(name).unlink(missing_ok=True)

    def _beside(self, name: str) -> Path:
        return self._folder / f".{name}.parquet.part"

    def _unwritten(self, error: OSError) -> SuiteError:
        told = f"{self._folder} cannot be written: {error.strerror or error}."
        return SuiteError(told, "Name another folder (--parquet) or make this one writable.")


def _record_columns(measured: Measured, told: Told) -> list[Any]:
    records = told.records
    errors = [None if one < 0 else records.errors[one] for one in records.error.tolist()]
    there = records.partition >= 0
    brokers = np.array(measured.partition_broker, np.int32)[records.partition]
    return [
        np.arange(len(records.called), dtype=np.int32),
        pa.array(records.partition, mask=~there),
        pa.array(brokers, mask=~there),
        records.called / 1e6,
        records.returned / 1e6,
        records.ended / 1e6,
        errors,
    ]


def _partition_columns(measured: Measured) -> list[Any]:
    brokers = measured.partition_broker
    return [[*range(len(brokers))], [*brokers], [one in measured.slow for one in brokers]]


def _batch_columns(measured: Measured, told: Told, kept: Sequence[LogBatch]) -> list[Any]:
    appended = {
        (one.partition, one.first): one.appended_ms - told.start_wall_us / 1e3 for one in kept
    }
    rows = [
        (
            *(one.partition, one.broker, one.request, one.records, one.size),
            *(one.opened_ms, one.left_ms, appended.get((one.partition, one.first))),
        )
        for one in measured.batches
    ]
    return [list(column) for column in zip(*rows, strict=True)]
