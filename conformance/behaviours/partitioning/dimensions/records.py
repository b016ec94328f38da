"""What varies in records that name their partition."""

from collections.abc import Iterator
from typing import Final

from conformance.behaviours.partitioning.labels import partitions_of
from conformance.model.case import Case
from conformance.model.dimension import numbers


def _named(case: Case) -> Iterator[int]:
    named = (one.get("partition") for one in case["steps"])
    return (partition for partition in named if partition is not None)


NAMED_PARTITION: Final = numbers(
    "named partition",
    "the partition that a record names",
    (
        *(-(2**31), -(2**31) + 1, -(2**31) + 2, -(2**16), -256, -2, -1, 0, 1, 2, 3, 12, 127, 255),
        *(257, 2**15, 2**16, 2**31 - 1),
    ),
    _named,
)


NAMED_BELOW_COUNT: Final = numbers(
    "named partition",
    "the partition that a record names, which the topic has",
    (0, 1, 2, 3, 12, 127),
    _named,
)


def _above(case: Case) -> Iterator[int]:
    for operation in case["steps"]:
        snapshot = case["metadata"][operation["metadata"]]
        count = len(partitions_of(snapshot, operation["topic"]))
        if count and (operation["partition"] or 0) >= count:
            yield operation["partition"] - count


BEYOND_COUNT: Final = numbers(
    "beyond the count",
    "how far a named partition is above the last index that the topic has, less 1",
    (0, 1, 2, 256, 2**16),
    _above,
)
