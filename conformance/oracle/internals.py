"""The suite's own classes among the internals of a client, where versions differ."""

import re

from conformance.errors import OracleError
from conformance.java.sources import java_source
from conformance.model.program import Linker
from conformance.oracle.kafka_classes import (
    ACCUMULATOR,
    BUILT_IN,
    COMMON,
    INTERNALS,
    PRODUCER_METADATA,
    RECORDS,
    RECORDS_BUILDER,
    ROUND_ROBIN,
)

BUILT_IN_MAKER = f"{INTERNALS}.BuiltInMaker"
_MOCKED_BUILT_IN = f"{INTERNALS}.MockedBuiltIn"
SENDING_PRODUCER = f"{INTERNALS}.SendingProducer"
PRIVATE_FIELD = f"{INTERNALS}.PrivateField"
QUIET_PRODUCER = f"{INTERNALS}.QuietProducer"
_ACCUMULATOR_CLASSES = f"{INTERNALS}.AccumulatorClasses"
ACCUMULATOR_HISTORY = f"{INTERNALS}.AccumulatorHistory"
_TOLD_TIME = f"{INTERNALS}.ToldTime"
_LOGICAL_THREADS = f"{INTERNALS}.LogicalThreads"
_HELD_METADATA = f"{INTERNALS}.HeldMetadata"
_PRODUCER_CLASSES = f"{INTERNALS}.ProducerClasses"
_PRODUCER_IDS = f"{INTERNALS}.ProducerIds"
_PRODUCER_PLUGINS = f"{INTERNALS}.ProducerPlugins"
_AROUND = "new LogContext()", "new ClusterResourceListeners()"
CONFIGURED_PRODUCER = f"{INTERNALS}.ConfiguredProducer"
PRODUCER_HISTORY = f"{INTERNALS}.ProducerHistory"
ACCUMULATOR_THREADS = f"{INTERNALS}.AccumulatorThreads"
POOL_THREADS = f"{INTERNALS}.PoolThreads"
BATCH_WRITER = f"{RECORDS}.BatchWriter"
COLUMN_WRITER = f"{RECORDS}.ColumnWriter"
BATCH_READER = f"{RECORDS}.BatchReader"


def add_built_in_maker(link: Linker) -> object:
    """Add :data:`BUILT_IN_MAKER` to a client; answers the class as JPype sees it.

    What it makes can be mocked. Raises :class:`~conformance.errors.OracleError` if the client has
    no such partitioner.
    """
    if link.has(BUILT_IN, "mockRandom"):
        link.mock_by(BUILT_IN, "mockRandom")
    elif link.has(BUILT_IN, "randomPartition"):  # since 3.9
        source = java_source("MockedBuiltIn")
        marked = r"\1" if link.has(BUILT_IN, "rackAware") else ""
        link.neighbour(re.sub(r"/\*4\.4(.*?)\*/", marked, source), _MOCKED_BUILT_IN, BUILT_IN)
        link.mock_by(_MOCKED_BUILT_IN, "mockRandom")
    return link.neighbour(java_source("BuiltInMaker"), BUILT_IN_MAKER, BUILT_IN)


def add_sending_producer(link: Linker) -> object:
    """Add :data:`SENDING_PRODUCER`, a real ``KafkaProducer`` that sends nothing; as above.

    Raises :class:`~conformance.errors.OracleError` if the client has no ``RoundRobinPartitioner``.
    """
    link.constructor(ROUND_ROBIN)  # or it would not compile, and say why
    _add_quiet_producer(link)
    return link.neighbour(java_source("SendingProducer"), SENDING_PRODUCER, ACCUMULATOR)


def _add_quiet_producer(link: Linker) -> None:
    link.neighbour(java_source("PrivateField"), PRIVATE_FIELD, ACCUMULATOR)
    link.neighbour(java_source("QuietProducer"), QUIET_PRODUCER, ACCUMULATOR)


def add_accumulator_history(link: Linker) -> object:
    """Add :data:`ACCUMULATOR_HISTORY`, a real ``RecordAccumulator`` on told time; as above."""
    if link.has(BUILT_IN):
        add_built_in_maker(link)  # by which it looks at load stats
    link.neighbour(java_source("PrivateField"), PRIVATE_FIELD, ACCUMULATOR)
    link.neighbour(java_source("AccumulatorClasses"), _ACCUMULATOR_CLASSES, ACCUMULATOR)
    link.neighbour(java_source("ToldTime"), _TOLD_TIME, ACCUMULATOR)
    link.neighbour(java_source("LogicalThreads"), _LOGICAL_THREADS, ACCUMULATOR)
    return link.neighbour(java_source("AccumulatorHistory"), ACCUMULATOR_HISTORY, ACCUMULATOR)


def add_producer_history(link: Linker) -> object:
    """Add :data:`PRODUCER_HISTORY`, a real producer and its sender on told time; as above."""
    add_accumulator_history(link)  # which brings what differs between versions, and the clock
    _add_quiet_producer(link)
    source = java_source("HeldMetadata").replace("/*NEW*/", _new_metadata(link))
    link.neighbour(source, _HELD_METADATA, ACCUMULATOR)
    link.neighbour(java_source("ProducerClasses"), _PRODUCER_CLASSES, ACCUMULATOR)
    link.neighbour(java_source("ProducerIds"), _PRODUCER_IDS, ACCUMULATOR)
    link.neighbour(java_source("ProducerPlugins"), _PRODUCER_PLUGINS, ACCUMULATOR)
    return link.neighbour(java_source("ProducerHistory"), PRODUCER_HISTORY, ACCUMULATOR)


def add_configured_producer(link: Linker) -> object:
    """Add :data:`CONFIGURED_PRODUCER`, what a real producer makes of its settings; as above."""
    add_accumulator_history(link)  # which brings what differs between versions
    _add_quiet_producer(link)
    return link.neighbour(java_source("ConfiguredProducer"), CONFIGURED_PRODUCER, ACCUMULATOR)


def _new_metadata(link: Linker) -> str:
    """What a ``ProducerMetadata`` is made of: two to four times, and a clock up to 4.3."""
    around = f"{COMMON}.utils.LogContext", f"{COMMON}.internals.ClusterResourceListeners"
    for clock in ((f"{COMMON}.utils.Time",), ()):
        for times in (4, 3, 2):
            try:
                link.constructor(PRODUCER_METADATA, *("long",) * times, *around, *clock)
            except OracleError:
                continue
            parts = ("100L",) * times + _AROUND + ("time",) * len(clock)
            return ", ".join(parts)
    raise OracleError(
        f"{PRODUCER_METADATA} is made of parts that the suite does not know",
        "add them to conformance/oracle/internals.py",
    )


def add_accumulator_threads(link: Linker) -> object:
    """Add :data:`ACCUMULATOR_THREADS`, threads that append to a real accumulator; as above."""
    add_accumulator_history(link)  # which brings what differs between versions
    return link.neighbour(java_source("AccumulatorThreads"), ACCUMULATOR_THREADS, ACCUMULATOR)


def add_pool_threads(link: Linker) -> object:
    """Add :data:`POOL_THREADS`, threads that wait for a real pool's memory; as above."""
    link.neighbour(java_source("PrivateField"), PRIVATE_FIELD, ACCUMULATOR)
    return link.neighbour(java_source("PoolThreads"), POOL_THREADS, ACCUMULATOR)


def add_batch_writer(link: Linker) -> object:
    """Add :data:`BATCH_WRITER`, which writes batches with the real classes; as above."""
    link.method(RECORDS_BUILDER, "build")  # or it would not compile, and say why
    # This class of the package is where it was in every version; all others have moved.
    return link.neighbour(java_source("BatchWriter"), BATCH_WRITER, f"{RECORDS}.TimestampType")


def add_column_writer(link: Linker) -> object:
    """Add :data:`COLUMN_WRITER`, which writes many records as batches; as above."""
    add_batch_writer(link)  # which the writer of many names
    return link.neighbour(java_source("ColumnWriter"), COLUMN_WRITER, f"{RECORDS}.TimestampType")


def add_batch_reader(link: Linker) -> object:
    """Add :data:`BATCH_READER`, which reads batches with the real classes; as above."""
    add_batch_writer(link)  # which the reader names
    return link.neighbour(java_source("BatchReader"), BATCH_READER, f"{RECORDS}.TimestampType")
