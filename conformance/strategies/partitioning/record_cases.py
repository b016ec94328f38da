"""Cases of records that name their partition; see ``explicit_partition.py`` for its words."""

from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.model.case import Case, Metadata, Operation
from conformance.strategies.integers import INT32_MIN
from conformance.strategies.keys import key_of
from conformance.strategies.metadata import metadata_histories, names_of_topics, renamed
from conformance.strategies.packed import Choices, packed

_ANYWHERE = 12
"""How many partitions may be named where the metadata says nothing."""


@cache
@st.composite
def record_cases(draw: DrawFn, *, neither: bool) -> Case:
    """One to eight records of topics with like names against changing metadata.

    With ``neither`` also records that have neither a partition nor a key.
    """
    topics = draw(names_of_topics())
    metadata = renamed(draw(metadata_histories(topics=len(topics))), topics)
    wanted = draw(st.lists(_wanted(neither), min_size=1, max_size=8))
    return {
        "config": {},
        "metadata": metadata,
        "steps": [_record(*one, topics, metadata) for one in wanted],
    }


@cache
def _wanted(neither: bool) -> SearchStrategy[tuple[str, int, int, bytes | None]]:
    kinds = (
        *("named", "named", "named", "key", "negative", "least", "-1", "null topic", "beyond"),
        *("beyond", "key", "neither" if neither else "key"),
    )

    def wanted(of: Choices) -> tuple[str, int, int, bytes | None]:
        kind, where, power = of.one_of(kinds), of.below(2**16, size=2), of.near_power()
        return kind, where, power, None if of.below(4) == 3 else key_of(of)

    return packed(28, wanted)


def _record(
    kind: str,
    where: int,
    power: int,
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
    if kind == "beyond" and known:  # by nothing, by little, or near a power of two
        partition = max(len(known) + where % 2, abs(power) % 2**31 if where % 3 else 0)
    elif kind in ("key", "neither"):
        partition = None
    elif kind == "-1":
        partition = -1
    elif kind in ("negative", "least"):
        partition = min(-2, -abs(power)) if kind == "negative" else INT32_MIN + where % 2
    if kind == "neither" or (kind == "key" and key is None):
        key = None if kind == "neither" else b""
    return {
        "op": "record",
        "topic": None if kind == "null topic" else topic,
        "partition": partition,
        "key": key,
        "metadata": place,
    }
