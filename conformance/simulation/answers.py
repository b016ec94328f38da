"""What a run answers: latencies, batches, requests, bytes, memory, who waits where."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from conformance.simulation.histogram import Histogram
from conformance.simulation.loop import Simulation, Tell, tell_nobody
from conformance.simulation.measures import PARTS, Batch, LoggedRequest, Record, Sink
from conformance.simulation.quantities import MILLISECOND, SECOND, Micros
from conformance.simulation.scenario import Scenario
from conformance.simulation.unfinished import Unfinished, unfinished_of

PERCENTILES: Final = {"p50": 50.0, "p95": 95.0, "p99": 99.0, "p99.9": 99.9}
TIMES: Final = ("mean", *PERCENTILES, "max")
"""What is told of a latency, or of a part of one."""

Times = Mapping[str, float]
"""Milliseconds by :data:`TIMES`; NaN if no record was delivered."""


@dataclass(frozen=True, slots=True)
class Log:
    """All that happened in a small run."""

    records: Sequence[Record]
    batches: Sequence[Batch]
    requests: Sequence[LoggedRequest]


@dataclass(frozen=True, slots=True)
class Course:
    """What happened over time: columns of numbers, one for each stretch of ``width_ms``."""

    width_ms: float
    columns: Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one run. ``figures`` are plain numbers by name; see docs/simulator.md."""

    scenario: Scenario
    figures: Mapping[str, float]
    latency: Mapping[str, Times]
    """Of records as a whole (``latency``), and of each of its :data:`PARTS`."""
    errors: Mapping[str, int]
    """Failed records by the class of Java's exception."""
    partitions: Sequence[Mapping[str, float]]
    brokers: Sequence[Mapping[str, float]]
    course: Course
    log: Log | None
    """Of a small run."""
    unfinished: Unfinished | None
    """What it waited for, if time ran out before all records had ended."""

    @property
    def in_short(self) -> "Answer":
        """The same without what happened when, which is large."""
        return replace(self, course=Course(self.course.width_ms, {}), log=None)


def simulate(scenario: Scenario, sink: Sink | None = None, tell: Tell = tell_nobody) -> Answer:
    """Run a scenario; ``sink`` is told of each record that has ended."""
    simulation = Simulation(scenario, sink, tell)
    simulation.run()
    return answer_of(scenario, simulation)


def answer_of(scenario: Scenario, simulation: Simulation) -> Answer:
    """What a simulation has come to."""
    measures = simulation.measures
    latency = {"latency": _times(measures.latency)}
    latency |= {name: _times(of) for name, of in zip(PARTS, measures.parts, strict=True)}
    log = Log(measures.records_log, measures.batches_log, measures.requests_log)
    return Answer(
        scenario,
        _figures(simulation, latency["latency"]),
        latency,
        dict(measures.errors),
        _partitions(simulation),
        _brokers(simulation),
        _course(simulation),
        log if measures.is_small else None,
        unfinished_of(simulation),
    )


def _figures(simulation: Simulation, latency: Times) -> dict[str, float]:
    measures, network = simulation.measures, simulation.network
    seconds = measures.now_us / SECOND
    brokers = _brokers(simulation)
    failed = sum(measures.errors.values())
    figures: dict[str, float] = {
        "records": measures.arrived,
        "delivered": measures.delivered,
        "failed": failed,
        # What has not even come is not known; a send that waits has.
        "unfinished": 0 if simulation.has_ended else measures.arrived - measures.delivered - failed,
        "seconds": seconds,
        "records_per_second": _ratio(measures.delivered, seconds),
    }
    if not simulation.has_ended:
        figures["unfinished"] = max(1, figures["unfinished"])
    figures |= {f"latency_{name}_ms": time for name, time in latency.items()}
    figures |= {
        "batches": measures.batches,
        "records_per_batch": _ratio(measures.batched_records, measures.batches),
        "requests": network.sent,
        "requests_per_second": _ratio(network.sent, seconds),
        "batches_per_request": _ratio(measures.batches + measures.resent, network.sent),
        "payload_bytes": measures.payload_bytes,
        "batch_bytes": measures.batch_bytes,
        "sent_bytes": measures.sent_bytes,
        "batch_bytes_per_record": _ratio(measures.batch_bytes, measures.batched_records),
        "compression_ratio": _ratio(measures.compressed_bytes, measures.raw_bytes),
        "memory_most": simulation.pool.most_used,
        "memory_limit": simulation.pool.total_memory,
        "blocked_sends": measures.blocked_sends,
        "blocked_ms": measures.blocked_us / MILLISECOND,
        "batches_resent": measures.resent,
        "requests_timed_out": network.timed_out,
        "records_written_twice": network.written_twice,
        "broker_share_most": max(one["share"] for one in brokers),
        "broker_backlog_most": max(one["backlog_most"] for one in brokers),
        "broker_busy_most": max(one["busy"] for one in brokers),
        "slow_ratio": _slow_ratio(simulation),
    }
    return figures


def _slow_ratio(simulation: Simulation) -> float:
    """What brokers that are slow have, for each record that they would have by their partitions."""
    measures, cluster = simulation.measures, simulation.measures.cluster
    led = [one for one in range(cluster.partitions) if cluster.leader(one) in cluster.slow]
    records = sum(measures.partition_records[one] for one in led)
    by_partitions = sum(measures.partition_records) * len(led) / cluster.partitions
    return _ratio(records, by_partitions)


def _partitions(simulation: Simulation) -> list[dict[str, float]]:
    measures = simulation.measures
    taken = sum(measures.partition_records)
    return [
        {
            "partition": partition,
            "broker": measures.cluster.leader(partition),
            "records": records,
            "share": _ratio(records, taken),
            "bytes": measures.partition_bytes[partition],
            "batches": measures.partition_batches[partition],
            "records_per_batch": _ratio(
                measures.partition_sent[partition], measures.partition_batches[partition]
            ),
            "backlog_most": measures.partition_most[partition],
        }
        for partition, records in enumerate(measures.partition_records)
    ]


def _brokers(simulation: Simulation) -> list[dict[str, float]]:
    measures, network = simulation.measures, simulation.network
    taken = sum(measures.partition_records)
    led = [0] * measures.cluster.brokers
    for partition, records in enumerate(measures.partition_records):
        led[measures.cluster.leader(partition)] += records
    found: list[dict[str, float]] = []
    for broker, served in enumerate(simulation.brokers):
        records = led[broker]
        found.append(
            {
                "broker": broker,
                "records": records,
                "share": _ratio(records, taken),
                "requests": measures.broker_requests[broker],
                "busy": _ratio(served.busy_us(measures.now_us), measures.now_us),
                "backlog_most": measures.broker_most[broker],
                "in_flight_most": network.most_in_flight(broker),
            }
        )
    return found


def _course(simulation: Simulation) -> Course:
    course = simulation.measures.course
    names = ("taken", "ended", "latency_us", "latest_us", "sent_bytes", "memory")
    columns = {name: course.column(name) for name in (*names, *simulation.measures.gauges)}
    return Course(course.width_us / MILLISECOND, columns)


def _times(histogram: Histogram) -> dict[str, float]:
    found = {"mean": histogram.mean}
    found |= {name: histogram.percentile(percent) for name, percent in PERCENTILES.items()}
    found["max"] = histogram.highest
    return {name: _milliseconds(time) for name, time in found.items()}


def _milliseconds(micros: Micros | float) -> float:
    return micros / MILLISECOND


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def plain(value: Any) -> Any:
    """The same for JSON, which has neither NaN nor infinity: None."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(one) for one in value]
    return value
