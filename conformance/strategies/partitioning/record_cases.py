"""Cases of records that name their partition; see ``explicit_partition.py`` for its words."""

from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.model.case import Case, Metadata, Operation
from conformance.strategies.integers import INT32_MIN
from conformance.strategies.keys import optional_keys
from conformance.strategies.metadata import TOPICS, metadata_histories
from conformance.strategies.packed import packed

_ANYWHERE = 12
"""How many partitions may be named where the metadata says nothing."""


@cache
@st.composite
def record_cases(draw: DrawFn) -> Case:
    """One to eight records of one to three topics against changing metadata."""
    topics = TOPICS[: draw(st.sampled_from((1, 1, 2, 3)))]
    metadata = draw(metadata_histories(topics=len(topics)))
    wanted = draw(st.lists(_wanted(), min_size=1, max_size=8))
    return {
        "config": {},
        "metadata": metadata,
        "steps": [_record(*one, topics, metadata) for one in wanted],
    }


@cache
def _wanted() -> SearchStrategy[tuple[str, int, bytes | None]]:
    kinds = ("named", "named", "named", "key", "negative", "least", "-1", "null topic")
    kind_and_where = packed(3, lambda of: (of.one_of(kinds), of.below(2**16, size=2)))
    return st.builds(lambda one, key: (*one, key), kind_and_where, optional_keys())


def _record(
    kind: str,
    where: int,
    key: bytes | None,
    topics: tuple[str, ...],
    metadata: list[Metadata | None],
) -> Operation:
    place = where % len(metadata)
    where //= len(metadata)
    topic = topics[where % len(topics)]
    where //= len(topics)
    known = next((parts for name, parts in metadata[place] or [] if name == topic), [])
    partition: int | None = where % (len(known) or _ANYWHERE)
    if kind == "key":
        partition = None
    elif kind == "-1":
        partition = -1
    elif kind in ("negative", "least"):
        partition = -2 - where if kind == "negative" else INT32_MIN + where % 2
    return {
        "op": "record",
        "topic": None if kind == "null topic" else topic,
        "partition": partition,
        # Where a record without either goes is for other behaviours to say.
        "key": b"" if kind == "key" and key is None else key,
        "metadata": place,
    }
