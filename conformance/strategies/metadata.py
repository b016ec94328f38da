"""Cluster metadata, and how it changes while a producer runs."""

from functools import cache
from random import Random
from typing import Final

from hypothesis.strategies import SearchStrategy

from conformance.model.case import Metadata, Partition
from conformance.strategies.integers import INT32_MAX
from conformance.strategies.names import NAMES_BYTES, TOPICS, topic_names
from conformance.strategies.packed import Choices, packed

_BOUNDARIES: Final = (
    *(63, 64, 65, 65, 100, 127, 128, 128, 129, 200, 255, 256, 256, 257, 257, 400),
)
_CHANGES: Final = (
    *("lose", "regain", "add", "remove", "reorder", "drop topic", "all led", "none led"),
    *("all but one led", "null", "null", "null"),  # only some of the nulls are looked at
)
_SHAPES: Final = (
    *("dense", "dense", "dense", "gaps", "huge", "disorder", "disorder", "reversed"),
    *("shifted", "sparse"),
)
_SHIFTS: Final = (1, 3, 120, 127, 128, 250, 255, 256, 32_767, 65_535, 2**24, 2**30)
_LED: Final = (
    *("all", "all", "all", "some", "some", "some", "one", "one", "none"),
    *("all but one", "all but one", "all but one"),
)
_NODES: Final = (
    *("of three", "of three", "own id", "number of partitions", "one each", "large", "one"),
    *("1 to 3", "negative"),
)
_TOPIC_BYTES: Final = 11
_TOPICS_THAT_VARY: Final = 3
"""Topics beyond these have few partitions: they are there for their number."""


def partition_count(of: Choices) -> int:
    """1 to 12 mostly, some hundreds sometimes, from two bytes."""
    kind, which = of.below(16), of.below(256)
    if kind < 10:
        return 1 + which % 12
    if kind < 12:
        return (2, 3, 3)[which % 3]
    return 13 + which % 28 if kind < 14 else _BOUNDARIES[which % len(_BOUNDARIES)]


def topic_count(of: Choices) -> int:
    """One to three topics mostly, up to 40 rarely, from two bytes."""
    kind, which = of.below(16), of.below(256)
    if kind == 15:
        return (4, 5, 9, 17, 17, 33, 33, 40)[which % 8]
    return (1, 2, 3)[0 if kind < 6 else 1 if kind < 11 else 2]


@cache
def names_of_topics() -> SearchStrategy[tuple[str, ...]]:
    """The topics of a case, of which all names are alike."""
    return packed(2 + NAMES_BYTES, lambda of: topic_names(of, topic_count(of)))


def _partitions(of: Choices) -> list[Partition]:
    """One topic's partitions: their ids and leaders.

    Ids are dense, with gaps, huge, out of order, from another number on, anything. They matter
    because null-key paths answer ids and keyed paths answer indices; order matters because round
    robin follows it; leaders matter because leaderless partitions are skipped.
    """
    count, which = partition_count(of), of.one_of(_SHAPES)
    how, led = of.below(256), of.one_of(_LED)
    nodes, seed = of.one_of(_NODES), of.below(2**16, size=2)
    ids = _ids(count, which, how)
    # Where the one is that is led, or is not: first, last, in the middle or anywhere.
    position = (0, count - 1, count // 2, of.below(2**16, size=2) % count)[of.below(4)]
    mask = Random(seed).getrandbits(count) if led == "some" else 0
    return [
        [
            number,
            _node(nodes, at, number, count)
            if led == "all"
            or (led == "one" and at == position)
            or (led == "all but one" and at != position)
            or mask >> at & 1
            else None,
        ]
        for at, number in enumerate(ids)
    ]


def _ids(count: int, shape: str, how: int) -> list[int]:
    if shape == "gaps":
        first, stride = how % 6, 2 + how // 6 % 6
        return [first + i * stride for i in range(count)]
    if shape == "huge":
        return [INT32_MAX - i for i in range(count)]
    if shape == "sparse":
        return Random(how).sample(range(INT32_MAX), count)
    first = _SHIFTS[how % len(_SHIFTS)] if shape == "shifted" else 0
    ids = list(range(first, first + count))
    if shape == "disorder":
        Random(how).shuffle(ids)
    return ids[::-1] if shape == "reversed" else ids


def _node(kind: str, at: int, number: int, count: int) -> int:
    """The id of the node that leads a topic's partition of that number."""
    if kind == "of three":
        return at % 3
    if kind == "negative":
        return -1 - at % 3
    if kind == "1 to 3":
        return 1 + at % 3
    if kind in ("own id", "number of partitions"):
        return number if kind == "own id" else count
    if kind == "one":
        return 0
    return 1001 + at if kind == "one each" else INT32_MAX - at % 5


def _snapshot(of: Choices, topics: int) -> Metadata:
    """The metadata of the first ``topics`` of :data:`TOPICS`; sometimes the last is unknown."""
    known: Metadata = []
    for at, topic in enumerate(TOPICS[:topics]):
        if at < _TOPICS_THAT_VARY:
            known.append((topic, _partitions(of.part(_TOPIC_BYTES))))
        else:
            few = of.below(256)
            ids = range(1 + few % 4)
            known.append((topic, [[n, None if few >> 4 + n & 1 else n] for n in ids]))
    if of.below(12) == 11:
        known.pop()
    return known


@cache
def metadata_histories(
    *, topics: int = 1, max_size: int = 4, one_left: bool = False
) -> SearchStrategy[list[Metadata | None]]:
    """One to ``max_size`` snapshots, each a change of the one before.

    Partitions lose and regain their leaders, are added, removed or reordered, of all topics or of
    one; topics vanish; some snapshots are null, which Java answers with NullPointerException
    wherever it looks. With ``one_left``, often all leaders but one are lost, which sticky
    partitioning treats apart.
    """
    changes = (*_CHANGES, *("one led",) * 4) if one_left else _CHANGES

    def history(of: Choices) -> list[Metadata | None]:
        current = _snapshot(of, topics)
        known: list[Metadata | None] = [current]
        for _ in range(of.below(max_size)):
            change, how = of.one_of(changes), of.below(256)
            if change == "null":
                known.append(None)
                continue
            current = _changed(current, change, how)
            known.append(current)
        return known

    varying = min(topics, _TOPICS_THAT_VARY) * _TOPIC_BYTES
    few = max(0, topics - _TOPICS_THAT_VARY)
    return packed(varying + few + 2 + 2 * (max_size - 1), history)


def renamed(history: list[Metadata | None], names: tuple[str, ...]) -> list[Metadata | None]:
    """Snapshots whose topics have these names instead of the first of :data:`TOPICS`."""
    name = dict(zip(TOPICS, names, strict=False))
    return [
        None if known is None else [(name[topic], parts) for topic, parts in known]
        for known in history
    ]


def _changed(snapshot: Metadata, change: str, how: int) -> Metadata:
    if change == "drop topic" and snapshot:
        gone = how % len(snapshot)
        return [entry for at, entry in enumerate(snapshot) if at != gone]
    # Two fifths of the changes are those of one topic.
    only = how // 5 % len(snapshot) if snapshot and how % 5 > 2 else None
    return [
        (topic, _changed_partitions(parts, change, how) if only in (None, at) else parts)
        for at, (topic, parts) in enumerate(snapshot)
    ]


def _changed_partitions(partitions: list[Partition], change: str, how: int) -> list[Partition]:
    random = Random(how)
    if change == "reorder":
        return random.sample(partitions, len(partitions))
    if change == "add":
        used = {number for number, _ in partitions}
        free = [number for number in range(len(used) + how % 5 + 1) if number not in used]
        return partitions + [[number, number % 3] for number in free]
    if change == "remove":
        return partitions[: 1 + how % len(partitions)]
    if change in ("one led", "all but one led"):
        one = (how // 3 % len(partitions), 0, len(partitions) - 1)[how % 3]
        return [
            [number, leader or 0 if (at == one) == (change == "one led") else None]
            for at, (number, leader) in enumerate(partitions)
        ]
    if change in ("all led", "none led"):
        return [[number, 0 if change == "all led" else None] for number, _ in partitions]
    changed: list[Partition] = []
    for number, leader in partitions:
        flip = random.random() < 0.5
        led = (leader is not None or flip) if change == "regain" else leader is not None and flip
        changed.append([number, (leader or 0) if led else None])
    return changed
