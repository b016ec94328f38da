"""What the figures of a simulation are called, and which differences between runs matter."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from conformance.simulation.brokers import ClusterPlan, Stop
from conformance.simulation.quantities import (
    MILLISECOND,
    SECOND,
    bytes_text,
    exact_text,
    number_text,
    time_text,
)
from conformance.simulation.repeated import Mean, Variant
from conformance.simulation.scenario import Scenario
from conformance.simulation.unfinished import Unfinished
from conformance.text import counted

_MATTERS: Final = 0.1
"""A difference of less than a tenth is not told."""
_FRACTION: Final = 0.1
"""A smaller one is no percentage that tells anything."""
_MOST_TOLD: Final = 5
_LEADERS_TOLD: Final = 32


def _milliseconds(number: float) -> str:
    return time_text(number * MILLISECOND)


def _seconds(number: float) -> str:
    return time_text(number * SECOND)


def _percent(number: float) -> str:
    return f"{100 * number:.1f} %"


@dataclass(frozen=True, slots=True)
class Named:
    """A figure, what it is called, and how its numbers are written.

    ``shown`` has a table of one run or more; ``compared`` is told where runs differ in it.
    """

    figure: str
    label: str
    text: Callable[[float], str] = number_text
    compared: bool = True


NAMED: Final = (
    Named("delivered", "records delivered", compared=False),
    Named("failed", "records failed"),
    Named("unfinished", "records unfinished"),
    Named("seconds", "simulated time", _seconds, compared=False),
    Named("records_per_second", "records delivered per second", compared=False),
    Named("latency_p50_ms", "latency p50", _milliseconds),
    Named("latency_p95_ms", "latency p95", _milliseconds),
    Named("latency_p99_ms", "latency p99", _milliseconds),
    Named("latency_p99.9_ms", "latency p99.9", _milliseconds, compared=False),
    Named("latency_max_ms", "latency max", _milliseconds, compared=False),
    Named("batches", "batches", compared=False),
    Named("records_per_batch", "records per batch"),
    Named("requests_per_second", "requests per second"),
    Named("batches_per_request", "batches per request", compared=False),
    Named("batch_bytes_per_record", "bytes per record, with overhead", bytes_text),
    Named("compression_ratio", "compression ratio", _percent),
    Named("memory_most", "memory, most used", bytes_text),
    Named("blocked_ms", "time blocked for memory", _milliseconds),
    Named("batches_resent", "batches sent again", compared=False),
    Named("requests_timed_out", "requests timed out"),
    Named("records_written_twice", "records written twice"),
    Named("broker_share_most", "largest share of a broker", _percent),
    Named("broker_backlog_most", "largest backlog of a broker, records"),
    Named("broker_busy_most", "busiest broker is busy", _percent),
    Named("slow_ratio", "slow brokers have, times their share"),
)
_UNLESS_ZERO: Final = frozenset(
    ("failed", "unfinished", "batches_resent", "requests_timed_out", "records_written_twice")
)
_UNLESS_NONE: Final = frozenset(("slow_ratio",))


def rows_of(variants: Sequence[Variant]) -> list[Named]:
    """The figures that are worth a row: without those that are 0 everywhere, as they should.

    Nor those about slow brokers, if there are none.
    """
    return [named for named in NAMED if _is_worth_a_row(named.figure, variants)]


def _is_worth_a_row(figure: str, variants: Sequence[Variant]) -> bool:
    means = [variant.figures[figure].mean for variant in variants]
    if figure in _UNLESS_NONE:
        return not all(map(math.isnan, means))
    return figure not in _UNLESS_ZERO or any(means)


def mean_text(named: Named, mean: Mean) -> str:
    """A figure, with how far its true mean may be off if there are runs to know it from."""
    if math.isnan(mean.mean):
        return "-"
    text = named.text(mean.mean)
    return f"{text} ± {named.text(mean.half)}" if mean.half else text


def differences(variants: Sequence[Variant]) -> list[str]:
    """In which figures each variant differs from the one before, the largest differences first.

    With several runs only if their intervals are apart.
    """
    told = []
    for one, other in pairwise(variants):
        found = []
        for named in NAMED:
            before, after = one.figures[named.figure], other.figures[named.figure]
            if named.compared and _differ(before, after):
                found.append((_weight(before.mean, after.mean), _difference(named, before, after)))
        found.sort(key=lambda one: -one[0])
        rest = "; ".join(text for _, text in found[:_MOST_TOLD]) or "nothing that matters"
        told.append(f"{other.scenario.name} against {one.scenario.name}: {rest}.")
    return told


def _differ(before: Mean, after: Mean) -> bool:
    if math.isnan(before.mean) or math.isnan(after.mean):
        return False
    if abs(after.mean - before.mean) < _MATTERS * max(abs(before.mean), abs(after.mean)):
        return False
    return before.mean != after.mean and (before.high < after.low or after.high < before.low)


def _weight(before: float, after: float) -> float:
    """By which differences are sorted: what came from nothing, or came to nothing, is large."""
    return abs(math.log(after / before)) if before > 0 and after > 0 else 5.0


def _difference(named: Named, before: Mean, after: Mean) -> str:
    text = f"{named.label} {named.text(after.mean)} instead of {named.text(before.mean)}"
    if before.mean <= 0 or after.mean <= 0:
        return text
    factor = after.mean / before.mean
    if factor >= 2:
        return f"{text} ({number_text(factor)} times)"
    if factor < _FRACTION:
        return f"{text} ({number_text(1 / factor)} times less)"
    return f"{text} ({100 * (factor - 1):+.0f} %)"


def scenario_text(scenario: Scenario) -> str:
    """What is simulated, in a line, without what is compared."""
    load, cluster = scenario.load.described(), scenario.cluster
    records = (
        f"trace {load['trace']}"
        if "trace" in load
        else f"{load['records']:,} records, {load['rate']}, {_sizes(load['value_bytes'])} bytes, "
        f"keys {load['keys']}"
    )
    compared = scenario.compared
    producer = [] if compared == "client" else [scenario.client]
    producer += [f"{name}={text}" for name, text in scenario.settings.items() if name != compared]
    brokers = [f"{cluster.brokers} brokers", f"{cluster.service} a request"]
    brokers += [f"broker {broker} {service}" for broker, service in cluster.slow.items()]
    brokers += [
        f"broker {broker} stopped {' and '.join(map(str, stops))}"
        for broker, stops in cluster.stops.items()
    ]
    if scenario.request_us:
        producer.append(
            f"{exact_text(scenario.request_us, MILLISECOND)}ms of its own for a request"
        )
    network = f"network {exact_text(cluster.network_us, MILLISECOND)}ms"
    told = f"Producer {', '.join(producer)}" if producer else "Producer"
    return (
        f"{told}; {records}; {_partitions(cluster)}, "
        f"{', '.join(brokers)}, {network}; seed {scenario.seed}"
    )


def unfinished_text(scenario: Scenario, unfinished: Unfinished) -> str:
    """What holds up the records that have not ended: brokers, settings, the load itself."""
    settings = scenario.producer_settings()
    at_brokers = sorted(unfinished.at_brokers.items(), key=lambda one: (-one[1], one[0]))
    told = [_waited_for(scenario, *one) for one in at_brokers[:_MOST_TOLD]]
    if len(at_brokers) > _MOST_TOLD:
        told.append(f"{len(at_brokers) - _MOST_TOLD:,} more brokers have others.")
    if any(_stop_of(scenario, broker) for broker in unfinished.at_brokers):
        told.append(f"Records fail after delivery.timeout.ms ({settings.delivery_timeout:,}).")
    if unfinished.lingering:
        lingering = counted(unfinished.lingering, "record")
        told.append(f"Batches with {lingering} linger (linger.ms is {settings.linger_ms:,}).")
    if unfinished.blocked:
        memory = f"buffer.memory is {settings.buffer_memory:,} bytes"
        waits = f"A send waits for memory ({memory}; max.block.ms {settings.max_block_ms:,})"
        behind = f", {counted(unfinished.behind, 'record')} behind it" if unfinished.behind else ""
        told.append(f"{waits}{behind}.")
    if unfinished.to_come:
        told.append("Further records were still to come.")
    return " ".join(told)


def _waited_for(scenario: Scenario, broker: int, records: int) -> str:
    stop = _stop_of(scenario, broker)
    still = "" if stop is None else f", which stands still {stop},"
    return f"Broker {broker}{still} has not answered {counted(records, 'record')}."


def _stop_of(scenario: Scenario, broker: int) -> Stop | None:
    """The stretch in which a broker stands still when simulated time ends."""
    stops = scenario.cluster.stops.get(broker, ())
    return next((one for one in stops if one.start_us <= scenario.until_us < one.end_us), None)


def _partitions(cluster: ClusterPlan) -> str:
    told = f"{cluster.partitions} partitions"
    if not cluster.leaders:
        return told
    leaders = [f"{leader}" for leader in cluster.leaders[:_LEADERS_TOLD]]
    more = cluster.partitions - len(leaders)
    return f"{told} led by {','.join([*leaders, *([f'... ({more:,} more)'] if more else [])])}"


def _sizes(sizes: object) -> str:
    assert isinstance(sizes, list)  # of two numbers
    return f"{sizes[0]}" if sizes[0] == sizes[1] else f"{sizes[0]} to {sizes[1]}"
