"""The suite's own classes among the internals of a client, where versions differ."""

from conformance.java.sources import java_source
from conformance.model.program import Linker
from conformance.oracle.kafka_classes import ACCUMULATOR, BUILT_IN, INTERNALS, ROUND_ROBIN

BUILT_IN_MAKER = f"{INTERNALS}.BuiltInMaker"
SENDING_PRODUCER = f"{INTERNALS}.SendingProducer"


def add_built_in_maker(link: Linker) -> object:
    """Add :data:`BUILT_IN_MAKER` to a client; answers the class as JPype sees it.

    Raises :class:`~conformance.errors.OracleError` if the client has no such partitioner.
    """
    return link.neighbour(java_source("BuiltInMaker"), BUILT_IN_MAKER, BUILT_IN)


def add_sending_producer(link: Linker) -> object:
    """Add :data:`SENDING_PRODUCER`, a real ``KafkaProducer`` that sends nothing; as above.

    Raises :class:`~conformance.errors.OracleError` if the client has no ``RoundRobinPartitioner``.
    """
    link.constructor(ROUND_ROBIN)  # or it would not compile, and say why
    return link.neighbour(java_source("SendingProducer"), SENDING_PRODUCER, ACCUMULATOR)
