"""Which distributions a testee is judged by: those that the protocol has questions for."""

from collections.abc import Collection, Mapping

from conformance.distributions.adaptive import Adaptive
from conformance.distributions.by_record import (
    PARTITIONS,
    SOME_LED,
    ByBatch,
    ByBytes,
    InTurn,
    WithoutKey,
)
from conformance.distributions.distribution import Distribution
from conformance.distributions.key_families import KEY_FAMILIES
from conformance.distributions.keyed import Keyed
from conformance.testees.narrow import dense_ids

_FAMILIES = ("uuid", "long", "url")
"""Keys of 36 bytes, of 8, and of many lengths."""
_KEYS = 2**17
"""Of each family; they are compared one by one, so more would not say more."""


def distributions_of(behaviour: str, cannot: Collection[str]) -> list[Distribution]:
    """What there is to sample of a behaviour, for a testee that cannot be asked some things."""
    some_led = list(SOME_LED)
    if "gaps in ids" in cannot:
        some_led = dense_ids(some_led)
    topics = [list(PARTITIONS)] if "leaderless partitions" in cannot else [PARTITIONS, some_led]
    keyed = [Keyed(family) for family in KEY_FAMILIES if family.name in _FAMILIES]
    adaptive = Adaptive()
    for distribution, records in ((adaptive, WithoutKey.records), *((one, _KEYS) for one in keyed)):
        distribution.records = records  # a testee is slower than a port in this process
    by_behaviour: Mapping[str, list[Distribution]] = {
        "keyed": list(keyed),
        "round-robin": [InTurn("round-robin", topic) for topic in topics],
        "round-robin-null-key": [InTurn("round-robin-null-key", topic) for topic in topics],
        "sticky": [ByBatch("sticky", topic) for topic in topics],
        "uniform-sticky": [ByBatch("uniform-sticky", topic) for topic in topics],
        "built-in": [ByBytes(topic) for topic in topics],
        "adaptive": [adaptive],
    }
    return by_behaviour.get(behaviour, [])
