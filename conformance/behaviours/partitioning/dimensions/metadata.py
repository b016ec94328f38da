"""What varies in the metadata of cases: topics' names and number, partitions, leaders, changes."""

import unicodedata
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import Any, Final

from conformance.model.case import Case
from conformance.model.dimension import Dimension, numbers
from conformance.strategies.integers import INT32_MAX

_LONGEST_NAME: Final = 249


def topics_of(case: Case) -> list[str]:
    """The topics of a case's steps, each once."""
    return [
        *dict.fromkeys(step["topic"] for step in case["steps"] if step.get("topic") is not None)
    ]


def looked_at(case: Case) -> Iterator[list[Any]]:
    """The partitions of each topic in each snapshot that a step refers to, where it has any."""
    named = {
        (step["metadata"], step["topic"])
        for step in case["steps"]
        if "metadata" in step and step["topic"] is not None
    }
    for index, snapshot in enumerate(case["metadata"]):
        for topic, partitions in snapshot or []:
            if (index, topic) in named and partitions:
                yield partitions


def _leaders(partitions: list[Any]) -> list[int]:
    return [leader for _, leader in partitions if leader is not None]


def _order(case: Case) -> Iterator[str]:
    for partitions in looked_at(case):
        ids = [number for number, _ in partitions]
        count = len(ids)
        if count == 1:
            yield "0 alone" if ids == [0] else "another number alone"
        elif ids == list(range(count)):
            yield "0, 1, 2 ..."
        elif ids == list(range(ids[0], ids[0] + count)):
            yield "from another number on"
        elif ids == sorted(ids, reverse=True):
            yield "descending"
        elif ids == sorted(ids):
            yield "ascending with gaps"
        else:
            yield "in no order" if sorted(ids) == list(range(count)) else "with gaps, in no order"


def _led(case: Case) -> Iterator[str]:
    for partitions in looked_at(case):
        count, led = len(partitions), len(_leaders(partitions))
        if led in (0, count):
            yield "all" if led else "none"
        elif count == 2:
            yield "the first of two" if partitions[0][1] is not None else "the second of two"
        elif led in (1, count - 1):
            odd = next(
                at for at, (_, leader) in enumerate(partitions) if (leader is None) == (led > 1)
            )
            where = "first" if odd == 0 else "last" if odd == count - 1 else "middle"
            yield f"only a {where} one" if led == 1 else f"all but a {where} one"
        else:
            yield "some"


def _leader_is(case: Case) -> Iterator[str]:
    for partitions in looked_at(case):
        for number, leader in partitions:
            if leader is not None:
                if leader == number:
                    yield "the partition's id"
                if leader == len(partitions):
                    yield "the number of partitions"
                if leader not in (number, len(partitions)):
                    yield "neither"


_ALIKE: Final[dict[str, Callable[[str], str]]] = {
    "but for case": str.lower,
    "but for . _ -": lambda name: name.replace(".", "_").replace("-", "_"),
    "but for digits at the end": lambda name: name.rstrip("0123456789"),
    "but for zeros at the beginning": lambda name: name.lstrip("0"),
    "but for blanks": str.strip,
    "but for the order of characters": lambda name: "".join(sorted(name)),
    "but for Unicode's normal form": lambda name: unicodedata.normalize("NFC", name),
    "at the first 200 characters": lambda name: name[:200] if len(name) > 200 else name,
    "at the last 200 characters": lambda name: name[-200:] if len(name) > 200 else name,
    "in length and at both ends": lambda name: f"{len(name)} {name[:1]} {name[-1:]}",
    "by String.hashCode": lambda name: str(_java_hash(name)),
}
_BEGINS: Final = "one begins with the other"
_EMPTY: Final = "one is empty"
_LONG: Final = f"one has {_LONGEST_NAME} characters"


def _java_hash(text: str) -> int:
    number = 0
    for char in text:
        number = (31 * number + ord(char)) % 2**32
    return number


def _names(case: Case) -> Iterator[str]:
    topics = topics_of(case)
    for name, made in _ALIKE.items():
        if len({made(topic) for topic in topics}) < len(topics):
            yield name
    if any(
        one.startswith(other) or other.startswith(one) for one, other in combinations(topics, 2)
    ):
        yield _BEGINS
    if "" in topics:
        yield _EMPTY
    if any(len(topic) == _LONGEST_NAME for topic in topics):
        yield _LONG


def _changes(case: Case) -> Iterator[str]:
    snapshots = case["metadata"]
    if None in snapshots:
        yield "no metadata"
    for before, after in pairwise([dict(known) for known in snapshots if known is not None]):
        if len(after) < len(before):
            yield "a topic goes"
        changed = [topic for topic in after if after[topic] != before.get(topic)]
        if not changed:
            yield "nothing"
        elif len(after) > 1:
            yield "one topic of several" if len(changed) == 1 else "several topics"
        for topic in changed:
            old, new = before[topic], after[topic]
            if len(old) != len(new):
                yield "more partitions" if len(old) < len(new) else "fewer partitions"
            elif [number for number, _ in old] != [number for number, _ in new]:
                yield "the order of partitions"
            else:
                yield "leaders"


METADATA: Final[tuple[Dimension, ...]] = (
    numbers(
        "topics",
        "topics that the steps of a case name, null aside",
        (1, 2, 3, 4, 9),
        lambda case: [len(topics_of(case)) or 1],
    ),
    Dimension(
        "topics' names",
        "names of a case's topics that are the same, or are odd",
        (*_ALIKE, _BEGINS, _EMPTY, _LONG),
        _names,
    ),
    numbers(
        "partitions",
        "partitions of a topic that a step looks at",
        (1, 2, 3, 4, 7, 9, 13, 33, 63, 65, 127, 129, 255, 257),
        lambda case: map(len, looked_at(case)),
    ),
    Dimension(
        "partition ids",
        "ids of a topic's partitions in metadata order",
        (
            *("0, 1, 2 ...", "0 alone", "another number alone", "from another number on"),
            *("descending", "ascending with gaps", "in no order", "with gaps, in no order"),
        ),
        _order,
    ),
    numbers(
        "largest id",
        "the largest of the ids of a topic's partitions",
        (0, 1, 2, 8, 120, 128, 250, 256, 32_767, 2**24, 2**30, INT32_MAX),
        lambda case: (max(number for number, _ in parts) for parts in looked_at(case)),
    ),
    Dimension(
        "leaders",
        "which partitions of a topic have one",
        (
            *("all", "none", "some", "the first of two", "the second of two"),
            *(f"only a {where} one" for where in ("first", "middle", "last")),
            *(f"all but a {where} one" for where in ("first", "middle", "last")),
        ),
        _led,
    ),
    numbers(
        "leader",
        "id of the node that leads a partition",
        (-3, 0, 1, 2, 3, 4, 128, 1001, 65_536, INT32_MAX),
        lambda case: (leader for parts in looked_at(case) for leader in _leaders(parts)),
    ),
    Dimension(
        "leader and partition",
        "whose number the id of a leader also is",
        ("the partition's id", "the number of partitions", "neither"),
        _leader_is,
    ),
    numbers(
        "nodes",
        "different nodes that lead partitions of a topic",
        (0, 1, 2, 3, 4, 9, 33),
        lambda case: (len(set(_leaders(parts))) for parts in looked_at(case)),
    ),
    numbers(
        "snapshots", "snapshots of metadata", (1, 2, 3, 4), lambda case: [len(case["metadata"])]
    ),
    Dimension(
        "changes",
        "what is another in a snapshot than in the one before",
        (
            *("no metadata", "nothing", "a topic goes", "one topic of several", "several topics"),
            *("more partitions", "fewer partitions", "the order of partitions", "leaders"),
        ),
        _changes,
    ),
)
"""What varies wherever steps look at changing metadata."""
