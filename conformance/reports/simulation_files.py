"""A simulation as files: JSON (simulation.schema.json), and Parquet with a row for each record."""

import os
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.errors import ExitCode, SuiteError
from conformance.files import is_irregular
from conformance.model.values import to_json
from conformance.simulation.answers import Answer, plain
from conformance.simulation.brokers import ClusterPlan
from conformance.simulation.measures import Record
from conformance.simulation.quantities import MILLISECOND, NEVER, SECOND
from conformance.simulation.repeated import Variant
from conformance.simulation.scenario import Scenario
from conformance.suite_version import suite_version

FORMAT: Final = "kafka-conformance simulation 1"
_ROWS_AT_ONCE: Final = 65_536
RECORDS_SCHEMA: Final = pa.schema(
    [
        pa.field("variant", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("partition", pa.int32()),
        pa.field("broker", pa.int32()),
        pa.field("batch", pa.int64()),
        pa.field("bytes", pa.int64(), nullable=False),
        pa.field("arrived_ms", pa.float64(), nullable=False),
        pa.field("taken_ms", pa.float64()),
        pa.field("sent_ms", pa.float64()),
        pa.field("ended_ms", pa.float64(), nullable=False),
        pa.field("error", pa.dictionary(pa.int32(), pa.string())),
    ]
)


def simulation_text(variants: list[Variant], code: ExitCode) -> str:
    """The JSON text of a simulation."""
    document = {
        "format": FORMAT,
        "suite_version": suite_version(),
        "exit_code": int(code),
        "runs": len(variants[0].answers),
        "variants": [_variant(one) for one in variants],
    }
    return to_json(plain(document), indent=1) + "\n"


def _variant(variant: Variant) -> dict[str, Any]:
    return {
        "name": variant.scenario.name,
        "scenario": _scenario(variant.scenario),
        "means": {
            name: {"mean": mean.mean, "low": mean.low, "high": mean.high}
            for name, mean in variant.figures.items()
        },
        "runs": [
            {"seed": one.scenario.seed, "figures": one.figures, "errors": one.errors}
            for one in variant.answers
        ],
        "first_run": _answer(variant.first),
    }


def _scenario(scenario: Scenario) -> dict[str, Any]:
    return {
        "client": scenario.client,
        "settings": scenario.settings,
        "load": scenario.load.described(),
        "cluster": _cluster(scenario.cluster),
        "random_share": scenario.random_share,
        "seed": scenario.seed,
        "until_seconds": scenario.until_us / SECOND,
        "request_time_ms": scenario.request_us / MILLISECOND,
    }


def _cluster(cluster: ClusterPlan) -> dict[str, Any]:
    return {
        "partitions": cluster.partitions,
        "brokers": cluster.brokers,
        "leaders": [cluster.leader(one) for one in range(cluster.partitions)],
        "service": str(cluster.service),
        "slow": {str(broker): str(service) for broker, service in cluster.slow.items()},
        "stopped": {
            str(broker): [
                {
                    "from_seconds": stop.start_us / SECOND,
                    "to_seconds": None if stop.end_us >= NEVER else stop.end_us / SECOND,
                }
                for stop in stops
            ]
            for broker, stops in cluster.stops.items()
        },
        "network_ms": cluster.network_us / MILLISECOND,
    }


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "latency_ms": answer.latency,
        "partitions": answer.partitions,
        "brokers": answer.brokers,
        "course": {"width_ms": answer.course.width_ms, **answer.course.columns},
    }


class RecordsFile:
    """A Parquet file of all records that have ended, of the first run of each variant.

    Written beside its place, which it takes when all is there; a link stays, and what it leads to
    is replaced. A device is written as it is. Raises :class:`SuiteError` if it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._place = Path(os.path.realpath(path))
        self._is_device = is_irregular(path)
        self._beside = self._place.with_name(f".{self._place.name}.part")
        self._rows: list[tuple[Any, ...]] = []
        self._variant = ""
        self._writer: pq.ParquetWriter | None = None

    def __enter__(self) -> "RecordsFile":
        try:
            self._place.parent.mkdir(parents=True, exist_ok=True)
            written = self._path if self._is_device else self._beside
            self._writer = pq.ParquetWriter(written, RECORDS_SCHEMA)
        except OSError as error:
            raise self._unwritten(error) from error
        return self

    def begin(self, scenario: Scenario) -> None:
        """Records of this scenario follow."""
        self._variant = scenario.name

    def write(self, record: Record) -> None:
        """A record that has ended."""
        batch = record.batch
        times = [record.arrived_us, None if batch is None else record.taken_us]
        times += [None if batch is None else batch.sent_us, record.ended_us]
        error = record.error
        self._rows.append(
            (
                self._variant,
                *((None,) * 3 if batch is None else (batch.partition, batch.broker, batch.number)),
                record.size,
                *(None if time is None else time / MILLISECOND for time in times),
                None if error is None else error.java_class.rpartition(".")[2],
            )
        )
        if len(self._rows) >= _ROWS_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        assert self._writer is not None  # it has been entered
        columns = zip(*self._rows, strict=True)
        arrays = [
            pa.array(column, field.type)
            for column, field in zip(columns, RECORDS_SCHEMA, strict=True)
        ]
        self._rows = []
        try:
            self._writer.write_table(pa.Table.from_arrays(arrays, schema=RECORDS_SCHEMA))
        except OSError as error:
            raise self._unwritten(error) from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._writer is not None  # it has been entered
        try:
            if kind is None and self._rows:
                self._flush()
            self._writer.close()
            if kind is None and not self._is_device:
                self._beside.replace(self._place)
        except OSError as problem:
            raise self._unwritten(problem) from problem
        finally:
            self._beside.unlink(missing_ok=True)

    def _unwritten(self, error: OSError) -> SuiteError:
        told = f"{self._path} cannot be written: {error.strerror or error}."
        return SuiteError(told, "Name another place (--parquet) or make this one writable.")
