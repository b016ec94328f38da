"""The suite's own classes among the internals of a client, where versions differ."""

from importlib import resources

from conformance.model.program import Linker
from conformance.oracle.kafka_classes import ACCUMULATOR, BUILT_IN, INTERNALS, ROUND_ROBIN

BUILT_IN_MAKER = f"{INTERNALS}.BuiltInMaker"
SENDING_PRODUCER = f"{INTERNALS}.SendingProducer"


def internals_source(class_name: str) -> str:
    """The Java of one of them; there is how it works, and in which versions."""
    simple = class_name.rpartition(".")[2]
    return (resources.files("conformance.oracle") / f"{simple}.java").read_text("utf-8")


def add_built_in_maker(link: Linker) -> object:
    """Add :data:`BUILT_IN_MAKER` to a client; answers the class as JPype sees it.

    Raises :class:`~conformance.errors.OracleError` if the client has no such partitioner.
    """
    return link.neighbour(internals_source(BUILT_IN_MAKER), BUILT_IN_MAKER, BUILT_IN)


def add_sending_producer(link: Linker) -> object:
    """Add :data:`SENDING_PRODUCER`, a real ``KafkaProducer`` that sends nothing; as above.

    Raises :class:`~conformance.errors.OracleError` if the client has no ``RoundRobinPartitioner``.
    """
    link.constructor(ROUND_ROBIN)  # or it would not compile, and say why
    return link.neighbour(internals_source(SENDING_PRODUCER), SENDING_PRODUCER, ACCUMULATOR)
