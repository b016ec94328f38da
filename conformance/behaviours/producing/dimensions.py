"""What varies in an accumulator's histories."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from conformance.model.case import Case
from conformance.model.dimension import Dimension, numbers

_OVERHEAD: Final = 61 + 7
"""Bytes of a batch with one short record beside its key and value."""
VALUE_SIZES: Final = (
    *("null", "empty", "less than half a batch", "half a batch or more"),
    *("a batch, or a byte more or less", "more than a batch"),
)


def _value_sizes(case: Case) -> Iterator[str]:
    room = case["config"]["batch_size"] - _OVERHEAD
    for step in case["steps"]:
        if step["op"] in ("append", "send"):
            size = step["size"]
            if not size:
                yield "null" if size is None else "empty"
            elif size > room + 1:
                yield "more than a batch"
            elif size < room - 1:
                yield "less than half a batch" if size < room // 2 else "half a batch or more"
            else:
                yield "a batch, or a byte more or less"


def _pauses(case: Case) -> Iterator[int]:
    times = [step["now"] for step in case["steps"] if "now" in step]
    return (max(0, after - before) for before, after in pairwise(times))


def _queues(case: Case) -> Iterator[int]:
    for known in case["metadata"]:
        for _, partitions in known or []:
            yield len(partitions)


_BATCH_SIZE: Final = numbers(
    "batch size",
    "bytes of batch.size",
    (1, 69, 200, 1000, 16384),
    lambda case: [case["config"]["batch_size"]],
)
_VALUE: Final = Dimension(
    "value",
    "the size of a value against that of a batch",
    VALUE_SIZES,
    _value_sizes,
)

DIMENSIONS: Final = (
    numbers(
        "steps",
        "steps of a case",
        (1, 2, 3, 5, 8, 16, 32, 64, 100),
        lambda case: [len(case["steps"])],
    ),
    _BATCH_SIZE,
    numbers(
        "linger",
        "ms of linger.ms",
        (0, 1, 5, 50, 15_000),
        lambda case: [case["config"]["linger_ms"]],
    ),
    numbers(
        "memory",
        "batches that buffer.memory has room for",
        (0, 1, 2, 3, 5, 1000),
        lambda case: [case["config"]["buffer_memory"] // case["config"]["batch_size"]],
    ),
    numbers(
        "backoff",
        "ms of retry.backoff.ms",
        (0, 10, 100),
        lambda case: [case["config"]["backoff_ms"]],
    ),
    numbers(
        "time between steps",
        "ms from a step to the next; 0 also if the clock goes back",
        (0, 1, 5, 50, 100, 1000, 15_000, 100_000),
        _pauses,
    ),
    numbers("partitions", "of a topic in the metadata", (1, 2, 3, 10, 64), _queues),
    _VALUE,
)

PRODUCER_DIMENSIONS: Final = (
    numbers(
        "steps",
        "steps of a case",
        (1, 2, 3, 5, 8, 16, 32, 64, 90),
        lambda case: [len(case["steps"])],
    ),
    _BATCH_SIZE,
    numbers(
        "linger",
        "ms of linger.ms",
        (0, 1, 5, 50, 1000),
        lambda case: [case["config"]["linger_ms"]],
    ),
    numbers(
        "request",
        "bytes of max.request.size",
        (150, 300, 500, 1 << 20),
        lambda case: [case["config"]["max_request_size"]],
    ),
    numbers(
        "in flight",
        "requests of max.in.flight.requests.per.connection",
        (1, 2, 3, 4, 5),
        lambda case: [case["config"]["max_in_flight"]],
    ),
    numbers(
        "retries",
        "of retries",
        (0, 1, 2, 2**31 - 1),
        lambda case: [case["config"]["retries"]],
    ),
    numbers(
        "time between steps",
        "ms from a step to the next; 0 also if the clock goes back",
        (0, 1, 5, 50, 100, 1000, 30_000),
        _pauses,
    ),
    _VALUE,
)
