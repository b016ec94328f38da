"""The experiments: what runs, in front of which brokers, and what is claimed of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from conformance.experiments.claims import (
    Claim,
    fair_to_slow,
    holds,
    less_to_slow,
    more_than,
    more_to_slow,
    more_to_slow_than,
)
from conformance.experiments.measures import CLOCK_MS, Measured
from conformance.names import unique, unknown

CLIENTS: Final = ("2.3.1", "3.2.3", "3.8.0", "4.4.0")
"""The versions of the matrix."""
PARTITIONS: Final = 10
SLOW_BROKERS: Final = (1, 3)
_VALUE_BYTES: Final = 36


class Condition(StrEnum):
    """What the brokers of a run do."""

    HEALTHY = "healthy"
    SLOW = "slow"
    """Two of them are slow from the start of the run to its end."""
    PAUSED = "paused"
    """One stands still for two seconds in mid-run."""
    KILLED = "killed"
    """One is killed in mid-run, and started again."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the things that an experiment compares: a client, its settings, its brokers."""

    name: str
    client: str
    condition: Condition = Condition.HEALTHY
    settings: Mapping[str, str] = field(default_factory=dict)
    interval_ns: int | None = None
    """Between two records, where it is not the experiment's; 0: as fast as it goes."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """What is compared, with which load, and the claims that the repetitions decide."""

    name: str
    title: str
    variants: Sequence[Variant]
    claims: Sequence[Claim]
    records: int
    interval_ns: int
    settings: Mapping[str, str]
    """Of all variants; their own come on top."""
    warmup_records: int
    value_bytes: int = _VALUE_BYTES
    partitions: int = PARTITIONS
    slow_ms: float | None = None
    """What a proxy adds to a request to a slow broker, where the experiment itself says so."""

    @property
    def needs_disturbance(self) -> bool:
        """Whether brokers are slowed down, paused or killed."""
        return any(one.condition is not Condition.HEALTHY for one in self.variants)

    def interval_of(self, variant: Variant) -> int:
        """The time between two records (ns)."""
        return self.interval_ns if variant.interval_ns is None else variant.interval_ns

    def settings_of(self, variant: Variant) -> dict[str, str]:
        """All settings of a variant's producer."""
        return {**self.settings, **variant.settings}


_AT_ONCE: Final = "at once"
_APART: Final = "100 ms apart"


def round_robin_latency() -> Experiment:
    """Round robin makes small batches that wait for their linger."""
    variants = [
        Variant(f"{client} {pace}", client, interval_ns=interval)
        for client in CLIENTS
        for pace, interval in ((_AT_ONCE, 0), (_APART, 100_000_000))
    ]
    first, apart, sticky = f"2.3.1 {_AT_ONCE}", f"2.3.1 {_APART}", f"3.2.3 {_AT_ONCE}"
    claims = [
        holds(first, "ten batches of 11 or 12 records", _ten_batches),
        holds(apart, "ten batches of 11 or 12 records", _ten_batches),
        holds(
            first,
            "every batch waits its whole linger",
            lambda run: run.figures["waited_least_ms"] >= _whole_linger_ms(run),
        ),
        holds(
            apart,
            "in each request the oldest batch has waited its whole linger, and some have not",
            lambda run: (
                run.figures["oldest_waited_least_ms"]
                >= _whole_linger_ms(run)
                > run.figures["waited_least_ms"]
            ),
        ),
        more_than(first, sticky, "latency_mean_ms", "mean latency", 0.0, "ms"),
        more_than(sticky, first, "records_per_batch", "records per batch", 1.0, "records"),
    ]
    settings = {"batch.size": "5000", "linger.ms": "15000"}
    title = "Round robin makes small batches that wait for linger"
    return Experiment(
        *("round-robin-latency", title, variants, claims),
        records=113,
        interval_ns=0,
        settings=settings,
        warmup_records=2_000,
    )


def _whole_linger_ms(run: Measured) -> float:
    return run.figures["linger_ms"] - CLOCK_MS


def _ten_batches(run: Measured) -> bool:
    figures = run.figures
    return (
        figures["batches"] == PARTITIONS
        and figures["batch_records_least"] >= 11
        and figures["batch_records_most"] <= 12
    )


_LOAD: Final = 100_000
_INTERVAL_NS: Final = 20_000
_SETTINGS: Final = {"batch.size": "5000"}
_WARMUP: Final = 30_000


def sticky_slow_brokers() -> Experiment:
    """The sticky partitioner of 2.4 to 3.2 feeds slow brokers."""
    variants = [Variant(client, client, Condition.SLOW) for client in ("3.2.3", "2.3.1")]
    claims = [more_to_slow("3.2.3"), more_to_slow_than("3.2.3", "2.3.1"), fair_to_slow("2.3.1")]
    return _slow(
        "sticky-slow-brokers", "The sticky partitioner feeds slow brokers", variants, claims
    )


_NOT_ADAPTIVE: Final = "3.8.0 not adaptive"
_TIMEOUT: Final = "3.8.0 timeout 500"


def adaptive_slow_brokers() -> Experiment:
    """The adaptive partitioner since 3.3 relieves slow brokers."""
    adaptive, timeout = (
        "partitioner.adaptive.partitioning.enable",
        "partitioner.availability.timeout.ms",
    )
    variants = [
        Variant("3.8.0", "3.8.0", Condition.SLOW),
        Variant(_NOT_ADAPTIVE, "3.8.0", Condition.SLOW, {adaptive: "false"}),
        Variant(_TIMEOUT, "3.8.0", Condition.SLOW, {timeout: "500"}),
        Variant("3.2.3", "3.2.3", Condition.SLOW),
    ]
    claims = [
        less_to_slow("3.8.0"),
        less_to_slow(_TIMEOUT),
        more_to_slow_than(_NOT_ADAPTIVE, "3.8.0"),
        more_to_slow_than("3.8.0", _TIMEOUT),
        more_to_slow_than("3.2.3", "3.8.0"),
        more_than("3.2.3", "3.8.0", "seconds", "time to finish", 0.0, "s"),
    ]
    title = "The adaptive partitioner relieves slow brokers"
    return _slow("adaptive-slow-brokers", title, variants, claims)


def cross() -> Experiment:
    """All clients in front of healthy, slow, paused and killed brokers."""
    variants = [
        Variant(f"{client} {condition}", client, condition)
        for condition in Condition
        for client in CLIENTS
    ]
    slow = Condition.SLOW
    claims = [
        more_to_slow(f"3.2.3 {slow}"),
        less_to_slow(f"3.8.0 {slow}"),
        less_to_slow(f"4.4.0 {slow}"),
        *(
            holds(f"{client} {condition}", "all records delivered", _all_delivered)
            for condition in (Condition.PAUSED, Condition.KILLED)
            for client in CLIENTS
        ),
    ]
    return _slow("cross", "All clients, all conditions", variants, claims)


def _all_delivered(run: Measured) -> bool:
    return run.figures["delivered"] == run.figures["records"]


def condition_of_map(
    slow_ms: float,
    per_second: int,
    partitions: int = PARTITIONS,
    *,
    records: int = _LOAD,
    value_bytes: int = _VALUE_BYTES,
) -> Experiment:
    """The sticky and the adaptive partitioner in front of two slow brokers, in one condition.

    ``per_second`` records come, 0: as fast as it goes.
    """
    variants = [Variant(client, client, Condition.SLOW) for client in ("3.2.3", "3.8.0")]
    pace = f"{per_second:,} records/s" if per_second else "as fast as it goes"
    name = f"map-{slow_ms:g}ms-{per_second or 'fast'}-{partitions}"
    title = f"{slow_ms:g} ms a request, {pace}, {partitions} partitions"
    if records != _LOAD:
        name, title = f"{name}-{records}records", f"{title}, {records:,} records"
    if value_bytes != _VALUE_BYTES:
        name, title = f"{name}-{value_bytes}bytes", f"{title}, values of {value_bytes} bytes"
    made = _slow(name, title, variants, [more_to_slow("3.2.3"), less_to_slow("3.8.0")])
    return replace(
        made,
        records=records,
        interval_ns=10**9 // per_second if per_second else 0,
        value_bytes=value_bytes,
        partitions=partitions,
        slow_ms=slow_ms,
    )


def _slow(
    name: str, title: str, variants: Sequence[Variant], claims: Sequence[Claim]
) -> Experiment:
    return Experiment(
        *(name, title, variants, claims),
        records=_LOAD,
        interval_ns=_INTERVAL_NS,
        settings=_SETTINGS,
        warmup_records=_WARMUP,
    )


_MAP_MS: Final = (20.0, 100.0, 200.0)
_MAP_RATES: Final = (10_000, 20_000, 50_000, 100_000, 0)


def conditions_of_map() -> list[Experiment]:
    """Where the claims about slow brokers hold.

    First slowness and rate; then from one condition of these more partitions, fewer records and
    more, smaller ones and larger.
    """
    found = [condition_of_map(ms, rate) for ms in _MAP_MS for rate in _MAP_RATES]
    found += [condition_of_map(100.0, rate, 40) for rate in (20_000, 50_000, 100_000)]
    found += [condition_of_map(100.0, 50_000, records=n) for n in (5_000, 20_000, 300_000)]
    return found + [condition_of_map(100.0, 20_000, value_bytes=size) for size in (24, 100)]


MAP: Final = "map"
EXPERIMENTS: Final[Mapping[str, Callable[[], list[Experiment]]]] = {
    "round-robin-latency": lambda: [round_robin_latency()],
    "sticky-slow-brokers": lambda: [sticky_slow_brokers()],
    "adaptive-slow-brokers": lambda: [adaptive_slow_brokers()],
    "cross": lambda: [cross()],
    MAP: conditions_of_map,
}
ALL: Final = "all"
"""Stands for every one of them but the map, which takes long."""


def experiments_named(names: Sequence[str]) -> list[Experiment]:
    """Experiments by their names; raises :class:`~conformance.errors.UsageError`."""
    wanted: list[str] = []
    for name in names:
        if name == ALL:
            wanted += [one for one in EXPERIMENTS if one != MAP]
        elif name in EXPERIMENTS:
            wanted.append(name)
        else:
            raise unknown("experiment", name, [*EXPERIMENTS, ALL])
    return [one for name in unique(wanted) for one in EXPERIMENTS[name]()]
