"""Cluster metadata, and how it changes while a producer runs."""

from functools import cache
from random import Random
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.case import Metadata, Partition
from conformance.strategies.integers import INT32_MAX

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
    few = st.integers(1, 12)
    return st.one_of(few, few, few, few, st.sampled_from([2, 3, 3]), st.integers(13, 40), _many())


@cache
def _many() -> SearchStrategy[int]:
    return st.integers(0, 39).map(lambda n: 100 + n * 7 if n < 38 else MAX_PARTITIONS)


@cache
@st.composite
def topics_partitions(draw: DrawFn) -> list[Partition]:
    """One topic's partitions: their ids (dense, with gaps, huge, out of order) and leaders.

    Ids matter because null-key paths answer ids and keyed paths answer indices; order matters
    because round robin follows it; leaders matter because leaderless partitions are skipped.
    """
    count = draw(partition_counts())
    shape = draw(st.sampled_from(("dense", "dense", "gaps", "huge", "disorder", "reversed")))
    if shape == "gaps":
        first, stride = draw(st.integers(0, 5)), draw(st.integers(2, 7))
        ids = [first + i * stride for i in range(count)]
    elif shape == "huge":
        ids = [INT32_MAX - i for i in range(count)]
    else:
        ids = list(range(count))
    if shape == "disorder":
        Random(draw(st.integers(0, 255))).shuffle(ids)
    elif shape == "reversed":
        ids.reverse()
    return [[i, leader] for i, leader in zip(ids, draw(_leaders(count)), strict=True)]


@cache
@st.composite
def _leaders(draw: DrawFn, count: int) -> list[int | None]:
    """A leader or None for each of ``count`` partitions: all, none, exactly one, or any subset."""
    shape = draw(st.sampled_from(("all", "all", "some", "one", "none")))
    if shape == "one":
        only = draw(st.integers(0, count - 1))
        return [i % 3 if i == only else None for i in range(count)]
    if shape == "some":
        led = draw(st.integers(0, 2**count - 1))
        return [i % 3 if led >> i & 1 else None for i in range(count)]
    return [i % 3 if shape == "all" else None for i in range(count)]


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
    for change in draw(_changes(max_size - 1, one_left)):
        if change == "null":
            history.append(None)
            continue
        current = _changed(current, change, draw(st.integers(0, 255)))
        history.append(current)
    return history


@cache
def _changes(max_size: int, one_left: bool) -> SearchStrategy[list[str]]:
    changes = (*_CHANGES, *("one led",) * 4) if one_left else _CHANGES
    return st.lists(st.sampled_from(changes), max_size=max_size)


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
