"""Which distributions a testee is judged by: those that the protocol has questions for."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from conformance.distributions.adaptive_by_record import AdaptiveByRecord
from conformance.distributions.by_record import ByBatch, ByBytes, InTurn
from conformance.distributions.key_families import KEY_FAMILIES
from conformance.distributions.keyed import Keyed
from conformance.distributions.topics import ALL_LED, SOME_LED, Topic, led
from conformance.distributions.without_key import WithoutKey
from conformance.model.distribution import Distribution
from conformance.testees.narrow import dense_ids

_FAMILIES = ("uuid", "long", "url")
"""Keys of 36 bytes, of 8, and of many lengths."""
_KEYS = 2**17
"""Of each family; they are compared one by one, so more would not say more."""
_WITHOUT_KEY: Mapping[str, Callable[..., WithoutKey]] = {
    "round-robin": partial(InTurn, "round-robin"),
    "round-robin-null-key": partial(InTurn, "round-robin-null-key"),
    "sticky": partial(ByBatch, "sticky"),
    "uniform-sticky": partial(ByBatch, "uniform-sticky"),
    "built-in": ByBytes,
}


def distributions_of(
    behaviour: str, cannot: Collection[str], *, topics: bool = False
) -> Sequence[Distribution]:
    """What there is to sample of a behaviour, for a testee that cannot be asked some things.

    ``topics``: it can be asked for records of two topics, one among the other.
    """
    if behaviour in _WITHOUT_KEY:
        new = _WITHOUT_KEY[behaviour]
        two = [new([Topic(led(5))], interleaved=True)] if topics else []
        return [*(new(some) for some in _topics(cannot)), *two]
    found: list[Distribution] = []
    if behaviour == "keyed":
        found += [Keyed(family) for family in KEY_FAMILIES if family.name in _FAMILIES]
    elif behaviour == "adaptive":
        found.append(AdaptiveByRecord())
    for distribution in found:  # a testee is slower than a port in this process
        distribution.records = _KEYS if behaviour == "keyed" else WithoutKey.records
    return found


def _topics(cannot: Collection[str]) -> list[Sequence[Topic]]:
    """Those with a leader everywhere, and the one without."""
    if "leaderless partitions" in cannot:
        return [ALL_LED]
    some = dense_ids(list(SOME_LED)) if "gaps in ids" in cannot else SOME_LED
    return [ALL_LED, [Topic(tuple(some))]]
