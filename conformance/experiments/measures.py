"""What a run comes to: plain numbers, from what its client told."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from conformance.experiments.told import Records, SentBatch, Told

PERCENTILES: Final = (50, 95, 99)
CLOCK_MS: Final = 1.0
"""A producer's clock has whole ms, so a linger of 15 s may end up to 1 ms early by ours."""
_MS: Final = 1e6
_S: Final = 1e9

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BatchLeft:
    """A batch with what can be said of its wait; times are ms from the start of the run."""

    partition: int
    broker: int
    request: int
    records: int
    size: int
    first: int
    """The number of its first record."""
    opened_ms: float
    """When ``send()`` was called for its first record."""
    left_ms: float
    """When it was first handed to the network."""

    @property
    def waited_ms(self) -> float:
        """For the linger, and for the broker to take a request."""
        return self.left_ms - self.opened_ms


@dataclass(frozen=True, slots=True)
class Measured:
    """A run in numbers. ``figures`` are described in docs/experiments.md."""

    figures: Mapping[str, float]
    partition_records: Sequence[int]
    partition_broker: Sequence[int]
    slow: Collection[int]
    """The brokers whose share is told, whether or not they were slow in this run."""
    batches: Sequence[BatchLeft]
    last_left_ms: Sequence[float]
    """By partition: when its last batch left; NaN without any."""
    latency_ms: Floats
    """Of each delivered record, sorted, in ms."""
    called_us: npt.NDArray[np.int64]
    """When ``send()`` was called for each record."""
    services_us: Mapping[int, Sequence[int]]
    """By broker: what each request took, without its wait for those before it."""
    request_us: int
    """What the producer's sender took for a request, on average."""
    course: "Course"


@dataclass(frozen=True, slots=True)
class Course:
    """How far a run was at some times: what was sent, and what was on its way."""

    at_ms: Sequence[float]
    slow: Sequence[int]
    """Records on their way (sent, and not ended) to the slow brokers."""
    others: Sequence[int]
    """And to the others."""
    sent: Sequence[Sequence[int]]
    """Of each partition, how many records had been sent to it."""


def measure(told: Told, slow: Collection[int], *, linger_ms: float, interval_ns: int) -> Measured:
    """The numbers of a run; ``slow`` are the brokers that were slow in it, if any."""
    brokers = [told.leaders[partition] for partition in sorted(told.leaders)]
    counts = np.bincount(
        told.records.partition[told.records.delivered], minlength=len(brokers)
    ).tolist()
    batches = first_departures(told.records, told.batches)
    last = [math.nan] * len(brokers)
    for batch in batches:
        last[batch.partition] = np.fmax(last[batch.partition], batch.left_ms).item()
    latency = np.sort(told.records.latency_ns) / _MS
    figures = {
        **_ends(told.records, interval_ns),
        **_shares(counts, brokers, slow),
        **_batch_figures(batches, told.batches, linger_ms),
        **_latency_figures(latency),
    }
    figures["sender_request_ms"] = told.sender_ns / figures["requests"] / _MS
    return Measured(
        *(figures, counts, brokers, slow, batches, last, latency),
        called_us=told.records.called // 1000,
        services_us=_services_us(told.records, told.batches),
        request_us=round(figures["sender_request_ms"] * 1000),
        course=_course(told.records, [broker in slow for broker in brokers]),
    )


def first_departures(records: Records, sent: Sequence[SentBatch]) -> list[BatchLeft]:
    """Each batch once, when it first left, in that order."""
    found: dict[tuple[int, int, int], BatchLeft] = {}
    for one in sent:
        opened_ms = float(records.called[one.first]) / _MS
        found.setdefault(
            (one.partition, one.first, one.count),
            BatchLeft(
                *(one.partition, one.node, one.request, one.count, one.size, one.first),
                opened_ms,
                one.at_ns / _MS,
            ),
        )
    return [*found.values()]


def _ends(records: Records, interval_ns: int) -> dict[str, float]:
    delivered = records.delivered
    due = np.arange(len(records.called), dtype=np.int64) * interval_ns
    return {
        "records": float(len(records.called)),
        "delivered": float(delivered.sum()),
        "failed": float((records.error >= 0).sum()),
        "seconds": float(records.ended.max()) / _S,
        "sending_seconds": float(records.returned.max()) / _S,
        # How far the machine fell behind the schedule.
        "late_ms": float((records.called - due).max()) / _MS if interval_ns else 0.0,
        "blocked_ms": float((records.returned - records.called).max()) / _MS,
    }


def _shares(
    counts: Sequence[int], brokers: Sequence[int], slow: Collection[int]
) -> dict[str, float]:
    total = sum(counts)
    of_slow = sum(count for count, broker in zip(counts, brokers, strict=True) if broker in slow)
    fair = sum(broker in slow for broker in brokers) / len(brokers)
    share = of_slow / total if total else math.nan
    return {
        "slow_share": share if slow else math.nan,
        "fair_share": fair if slow else math.nan,
        "slow_ratio": share / fair if slow and fair else math.nan,
        "partition_most": max(counts) / total if total else math.nan,
    }


def _batch_figures(
    batches: Sequence[BatchLeft], sent: Sequence[SentBatch], linger_ms: float
) -> dict[str, float]:
    sizes = [one.records for one in batches]
    waits = np.array([one.waited_ms for one in batches])
    requests = Counter(one.request for one in sent)
    return {
        "batches": float(len(batches)),
        "batches_resent": float(len(sent) - len(batches)),
        "records_per_batch": float(np.mean(sizes)),
        "batch_records_least": float(min(sizes)),
        "batch_records_most": float(max(sizes)),
        "bytes_per_batch": float(np.mean([one.size for one in batches])),
        "requests": float(len(requests)),
        "batches_per_request": float(np.mean([*requests.values()])),
        "waited_mean_ms": float(waits.mean()),
        "waited_least_ms": float(waits.min()),
        "waited_most_ms": float(waits.max()),
        "linger_ms": linger_ms,
        "waited_whole_linger": float((waits >= linger_ms - CLOCK_MS).mean()),
        "oldest_waited_least_ms": float(min(_oldest_waits(batches))),
    }


def _oldest_waits(batches: Sequence[BatchLeft]) -> list[float]:
    """Of each request the longest wait among its batches: its node was ready for that one."""
    waits: defaultdict[int, float] = defaultdict(float)
    for one in batches:
        waits[one.request] = max(waits[one.request], one.waited_ms)
    return [*waits.values()]


_TIMES: Final = 101
"""Of a course, from the first record to the last end."""


def _course(records: Records, is_slow: Sequence[bool]) -> Course:
    times = np.linspace(0, float(records.ended.max()), _TIMES)
    to_slow = np.array(is_slow)[records.partition] & (records.partition >= 0)
    waiting = []
    for which in (to_slow, ~to_slow):
        came = np.searchsorted(np.sort(records.called[which]), times, "right")
        went = np.searchsorted(np.sort(records.ended[which]), times, "right")
        waiting.append((came - went).tolist())
    called = [np.sort(records.called[records.partition == one]) for one in range(len(is_slow))]
    sent = [np.searchsorted(one, times, "right").tolist() for one in called]
    slow, others = waiting
    return Course((times / _MS).tolist(), slow, others, sent)


def _services_us(records: Records, sent: Sequence[SentBatch]) -> dict[int, list[int]]:
    """Seen from the client: from when a broker was free for a request until its callbacks came.

    A broker is free when it has answered the request before. So an answer that comes late makes the
    next request look short: single times move with the machine, their mean does not. Requests with
    a batch that was sent again are left out: nobody knows which attempt was answered.
    """
    attempts = Counter((one.partition, one.first) for one in sent)
    requests: dict[int, list[SentBatch]] = defaultdict(list)
    for one in sent:
        requests[one.request].append(one)
    free: dict[int, float] = defaultdict(float)
    took: dict[int, list[int]] = defaultdict(list)
    for batches in requests.values():
        node, left = batches[0].node, batches[0].at_ns
        if any(attempts[one.partition, one.first] > 1 for one in batches):
            continue
        answered = min(float(records.ended[one.first]) for one in batches)
        took[node].append(max(1, round((answered - max(left, free[node])) / 1e3)))
        free[node] = max(free[node], answered)
    return dict(sorted(took.items()))


def _latency_figures(latency: Floats) -> dict[str, float]:
    if not len(latency):
        names = ("latency_mean_ms", *(f"latency_p{one}_ms" for one in PERCENTILES))
        return dict.fromkeys((*names, "latency_max_ms"), math.nan)
    percentiles = np.percentile(latency, PERCENTILES).tolist()
    return {
        "latency_mean_ms": float(latency.mean()),
        **{f"latency_p{one}_ms": at for one, at in zip(PERCENTILES, percentiles, strict=True)},
        "latency_max_ms": float(latency[-1]),
    }
