"""Cluster metadata, and how it changes while a producer runs."""

from functools import cache
from random import Random
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.model.case import Metadata, Partition
from conformance.strategies.integers import INT32_MAX
from conformance.strategies.packed import Choices, packed

TOPICS: Final = ("t", "orders", "päivä")
"""The topics of generated metadata; a case uses the first one or more of them."""

MAX_PARTITIONS: Final = 400
_CHANGES: Final = (
    *("lose", "regain", "add", "reorder", "drop topic", "all led", "none led"),
    *("null",) * 3,  # only some of them are looked at
)


@cache
def partition_counts() -> SearchStrategy[int]:
    """1 to 12 mostly, some hundreds sometimes."""
    return packed(2, partition_count)


def partition_count(of: Choices) -> int:
    """The same, from two bytes."""
    kind = of.below(7)
    if kind < 4:
        return of.between(1, 12)
    if kind == 4:
        return of.one_of((2, 3, 3))
    if kind == 5:
        return of.between(13, 40)
    many = of.below(40)
    return 100 + many * 7 if many < 38 else MAX_PARTITIONS


@cache
@st.composite
def topics_partitions(draw: DrawFn) -> list[Partition]:
    """One topic's partitions: their ids (dense, with gaps, huge, out of order) and leaders.

    Ids matter because null-key paths answer ids and keyed paths answer indices; order matters
    because round robin follows it; leaders matter because leaderless partitions are skipped.
    """
    ids, led = draw(packed(7, _ids_and_leaders))
    if led is None:
        led = draw(st.integers(0, 2 ** len(ids) - 1))
    return [[number, at % 3 if led >> at & 1 else None] for at, number in enumerate(ids)]


def _ids_and_leaders(of: Choices) -> tuple[list[int], int | None]:
    """The ids of a topic and, bit by bit, which of them is led; None for any of them."""
    count = partition_count(of)
    shape = of.one_of(("dense", "dense", "gaps", "huge", "disorder", "reversed"))
    how = of.below(256)
    if shape == "gaps":
        first, stride = how % 6, 2 + how // 6 % 6
        ids = [first + i * stride for i in range(count)]
    elif shape == "huge":
        ids = [INT32_MAX - i for i in range(count)]
    else:
        ids = list(range(count))
    if shape == "disorder":
        Random(how).shuffle(ids)
    elif shape == "reversed":
        ids.reverse()
    only = 1 << of.below(count, size=2)
    return ids, of.one_of((-1, -1, None, only, 0))


@cache
@st.composite
def snapshots(draw: DrawFn, *, topics: int = 1) -> Metadata:
    """The metadata of the first ``topics`` of :data:`TOPICS`; sometimes the last is unknown."""
    known = [(topic, draw(topics_partitions())) for topic in TOPICS[:topics]]
    if draw(st.integers(0, 11)) == 11:
        known.pop()
    return known


@cache
@st.composite
def metadata_histories(
    draw: DrawFn, *, topics: int = 1, max_size: int = 4, one_left: bool = False
) -> list[Metadata | None]:
    """One to ``max_size`` snapshots, each a change of the one before.

    Partitions lose and regain their leaders, are added or reordered; topics vanish; some
    snapshots are null, which Java answers with NullPointerException wherever it looks. With
    ``one_left``, often all leaders but one are lost, which sticky partitioning treats apart.
    """
    current: Metadata = draw(snapshots(topics=topics))
    history: list[Metadata | None] = [current]
    for change, how in draw(_changes(max_size - 1, one_left)):
        if change == "null":
            history.append(None)
            continue
        current = _changed(current, change, how)
        history.append(current)
    return history


@cache
def _changes(max_size: int, one_left: bool) -> SearchStrategy[list[tuple[str, int]]]:
    """What changes from snapshot to snapshot, and how."""
    changes = (*_CHANGES, *("one led",) * 4) if one_left else _CHANGES

    def several(of: Choices) -> list[tuple[str, int]]:
        return [(of.one_of(changes), of.below(256)) for _ in range(of.below(max_size + 1))]

    return packed(1 + 2 * max_size, several)


def _changed(snapshot: Metadata, change: str, how: int) -> Metadata:
    if change == "drop topic" and snapshot:
        gone = how % len(snapshot)
        return [entry for at, entry in enumerate(snapshot) if at != gone]
    return [(topic, _changed_partitions(parts, change, how)) for topic, parts in snapshot]


def _changed_partitions(partitions: list[Partition], change: str, how: int) -> list[Partition]:
    random = Random(how)
    if change == "reorder":
        return random.sample(partitions, len(partitions))
    if change == "add":
        used = {number for number, _ in partitions}
        free = [number for number in range(len(used) + how % 5 + 1) if number not in used]
        return partitions + [[number, number % 3] for number in free]
    if change == "one led":
        return [
            [number, 0 if at == how % len(partitions) else None]
            for at, (number, _) in enumerate(partitions)
        ]
    if change in ("all led", "none led"):
        return [[number, 0 if change == "all led" else None] for number, _ in partitions]
    changed: list[Partition] = []
    for number, leader in partitions:
        flip = random.random() < 0.5
        led = (leader is not None or flip) if change == "regain" else leader is not None and flip
        changed.append([number, (leader or 0) if led else None])
    return changed
