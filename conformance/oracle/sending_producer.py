"""A real ``KafkaProducer`` with ``RoundRobinPartitioner`` in a client; it sends nothing."""

from importlib import resources

from conformance.oracle.kafka import PRODUCER
from conformance.oracle.program import Linker

SENDING_PRODUCER = f"{PRODUCER}.internals.SendingProducer"
BESIDE = f"{PRODUCER}.internals.RecordAccumulator"


def sending_producer_source() -> str:
    """What ``SendingProducer.java`` says; there is how it works, and in which versions."""
    return (resources.files("conformance.oracle") / "SendingProducer.java").read_text("utf-8")


def add_sending_producer(link: Linker) -> object:
    """Add :data:`SENDING_PRODUCER` to a client; answers the class as JPype sees it.

    Raises :class:`~conformance.errors.OracleError` if the client has no such partitioner.
    """
    link.constructor(f"{PRODUCER}.RoundRobinPartitioner")  # or it would not compile, and say why
    return link.neighbour(sending_producer_source(), SENDING_PRODUCER, BESIDE)
