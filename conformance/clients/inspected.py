"""What a kafka-clients jar of any version has: the one place that says which version needs what.

A behaviour can be shown by one Java class up to some version, and by another from then on; or not
at all. Versions are not asked for their number but for what they have, so that a build of tomorrow
is tried as well. What has the right classes but another shape of methods or fields inside is found
out when the behaviour links them (:class:`~conformance.oracle.program.Linker`), and is *not run*.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from conformance.clients.client_version import ClientVersion
from conformance.errors import OracleError

_PRODUCER: Final = "org.apache.kafka.clients.producer"
_INTERNALS: Final = f"{_PRODUCER}.internals"
_DEFAULT: Final = f"{_INTERNALS}.DefaultPartitioner"
_BUILT_IN: Final = f"{_INTERNALS}.BuiltInPartitioner"
_STICKY_CACHE: Final = f"{_INTERNALS}.StickyPartitionCache"
_ROUND_ROBIN: Final = f"{_PRODUCER}.RoundRobinPartitioner"
_UNIFORM: Final = f"{_PRODUCER}.UniformStickyPartitioner"
_KAFKA_PRODUCER: Final = f"{_PRODUCER}.KafkaProducer"
_COMMON: Final = "org.apache.kafka.common"
_UTILS: Final = f"{_COMMON}.utils.Utils"
_UUIDS: Final = f"{_COMMON}.serialization.UUIDSerializer"

MOVED: Final[Mapping[str, str]] = {
    # 4.3
    f"{_COMMON}.record.DefaultRecord": f"{_COMMON}.record.internal.DefaultRecord",
    f"{_COMMON}.record.DefaultRecordBatch": f"{_COMMON}.record.internal.DefaultRecordBatch",
    # 4.4
    f"{_COMMON}.utils.LogContext": f"{_COMMON}.utils.internals.LogContext",
}
"""Classes that the suite asks for by their first names, and what they have been called since."""


class Member(NamedTuple):
    """A class, or a field or method of it by its name."""

    owner: str
    name: str = ""
    """Empty: the class itself."""

    def __str__(self) -> str:
        """For people: without the package."""
        owner = self.owner.rpartition(".")[2]
        return f"{owner}.{self.name}" if self.name else owner


class Way(NamedTuple):
    """One way in which a jar can show a behaviour."""

    shown_by: str
    """The Java method, as in :attr:`ClientVersion.realised_by`."""
    has: tuple[Member, ...]
    """What a jar has that shows it in this way."""


class Limit(NamedTuple):
    """What a jar cannot be asked if it lacks something."""

    lacking: Member
    behaviours: tuple[str, ...]
    cannot: str
    """A word of the testee protocol."""


WAYS: Final[Mapping[str, tuple[Way, ...]]] = {
    "murmur2": (Way(f"{_UTILS}.murmur2", (Member(_UTILS, "murmur2"),)),),
    # Since 3.3 (KIP-794) as a method of its own; 4.0 took DefaultPartitioner away.
    "keyed": (
        Way(f"{_BUILT_IN}.partitionForKey", (Member(_BUILT_IN, "partitionForKey"),)),
        Way(f"{_DEFAULT}.partition", (Member(_DEFAULT),)),
    ),
    "serialized-keys": (
        Way(f"{_BUILT_IN}.partitionForKey", (Member(_BUILT_IN, "partitionForKey"),)),
        Way(f"{_DEFAULT}.partition", (Member(_DEFAULT),)),
    ),
    "explicit-partition": (
        Way(f"{_KAFKA_PRODUCER}.partition", (Member(_KAFKA_PRODUCER, "partition"),)),
    ),
    # Up to 2.3; KIP-480 replaced it.
    "round-robin-null-key": (Way(f"{_DEFAULT}.partition", (Member(_DEFAULT, "topicCounterMap"),)),),
    # Since 2.4 (KIP-369).
    "round-robin": (Way(f"{_ROUND_ROBIN}.partition", (Member(_ROUND_ROBIN),)),),
    # Until 3.9 a producer asks it twice for a record that opens a batch (KAFKA-9965);
    # 3.9.2 answers the second time as the first (KAFKA-17632).
    "round-robin-sends": (Way(f"{_KAFKA_PRODUCER}.doSend", (Member(_ROUND_ROBIN),)),),
    # 2.4 (KIP-480) to 3.9; deprecated since 3.3.
    "sticky": (Way(f"{_DEFAULT}.partition", (Member(_DEFAULT, "stickyPartitionCache"),)),),
    "uniform-sticky": (Way(f"{_UNIFORM}.partition", (Member(_UNIFORM),)),),
    "sticky-cache": (Way(f"{_STICKY_CACHE}.nextPartition", (Member(_STICKY_CACHE),)),),
    # Since 3.3 (KIP-794).
    "built-in": (Way(f"{_BUILT_IN}.updatePartitionInfo", (Member(_BUILT_IN),)),),
    "load-stats": (Way(f"{_BUILT_IN}.updatePartitionLoadStats", (Member(_BUILT_IN),)),),
    "adaptive": (Way(f"{_BUILT_IN}.nextPartition", (Member(_BUILT_IN),)),),
}
"""By behaviour; of several ways the first that a jar has. Those of the port alone are not here."""

LIMITS: Final = (
    # 3.9 replaced it by a method that tests override; draws are then ThreadLocalRandom's.
    Limit(
        Member(_BUILT_IN, "mockRandom"), ("built-in", "load-stats", "adaptive"), "raw mock draws"
    ),
    Limit(Member(_UUIDS), ("serialized-keys",), "uuid keys"),  # since 2.1 (KIP-206)
)

_ONLY_SINCE: Final = ((Member(_BUILT_IN, "partitionForKey"), "keyed", "partition for key"),)
"""Operations that a jar has only with a member: the member, the behaviour, the operation."""


@dataclass(frozen=True)
class Inspected:
    """A jar as the gate sees it."""

    client: ClientVersion
    cannot: Mapping[str, tuple[str, ...]]
    """By behaviour, what it cannot be asked, in the words of the testee protocol."""
    lacks_operations: Mapping[str, tuple[str, ...]]
    """By behaviour, operations that it does not have."""
    broken: Mapping[str, str] = field(default_factory=dict)
    """By behaviour that it may or may not have, why that cannot be told."""


def inspected(version: str, has: Callable[[Member], bool]) -> Inspected:
    """What a jar shows, and how, given what it has; ``version`` is what it calls itself.

    ``has`` raises :class:`OracleError` for a class that is there and cannot be loaded.
    """
    shown: dict[str, str] = {}
    absent: dict[str, str] = {}
    broken: dict[str, str] = {}
    for behaviour, ways in WAYS.items():
        try:
            way = next((one for one in ways if all(map(has, one.has))), None)
        except OracleError as error:
            broken[behaviour] = str(error)
            continue
        if way is None:
            wanted = " or ".join(str(member) for one in ways for member in one.has)
            absent[behaviour] = f"{version} has no {wanted}"
        else:
            shown[behaviour] = way.shown_by
    limits = []
    for limit in LIMITS:
        concerned = {*limit.behaviours} & {*shown}
        try:
            if concerned and not has(limit.lacking):
                limits.append(limit)
        except OracleError as error:
            for behaviour in concerned:
                del shown[behaviour]
                broken[behaviour] = str(error)
    return Inspected(
        ClientVersion(version, port="", realised_by=shown, absent=absent),
        cannot={
            behaviour: words
            for behaviour in shown
            if (words := tuple(one.cannot for one in limits if behaviour in one.behaviours))
        },
        lacks_operations={
            behaviour: (operation,)
            for member, behaviour, operation in _ONLY_SINCE
            if behaviour in shown and not has(member)
        },
        broken=broken,
    )
