"""A real ``KafkaProducer`` that was never constructed: of it only ``partition`` is called.

So it needs neither a network nor a thread, and every version has it.
"""

from conformance.model.program import NULL, Argument, Linker, Mode, slot
from conformance.oracle.kafka import KafkaProgram
from conformance.oracle.kafka_classes import (
    BUILT_IN,
    BYTES,
    CLUSTER,
    DEFAULT,
    KAFKA_PRODUCER,
    OBJECT,
    RECORD,
    STRING,
)

_PLUGIN = "org.apache.kafka.common.internals.Plugin"
_PLUGIN_FIELD = "partitionerPlugin"


class JavaProducer:
    """``ProducerRecord`` and the private ``KafkaProducer.partition``."""

    def __init__(self, link: Linker) -> None:
        self._producer = link.allocator(KAFKA_PRODUCER)
        self._partitioner = -1
        if not link.has(BUILT_IN):
            # Up to 3.2 there is no producer without a partitioner.
            self._partitioner = link.constructor(DEFAULT)
            self._put = link.setter(KAFKA_PRODUCER, "partitioner")
        elif link.has(KAFKA_PRODUCER, _PLUGIN_FIELD):
            # From 4.1 on none is a plugin that holds nothing.
            self._partitioner = link.allocator(_PLUGIN)
            self._put = link.setter(KAFKA_PRODUCER, _PLUGIN_FIELD)
        self._record = link.constructor(RECORD, STRING, "java.lang.Integer", OBJECT, OBJECT)
        self._partition = link.private_method(
            KAFKA_PRODUCER, "partition", RECORD, BYTES, BYTES, CLUSTER
        )

    def new(self, program: KafkaProgram) -> Argument:
        """A producer without ``partitioner.class``."""
        producer = program.new_slot()
        program.call(self._producer, into=producer)
        if self._partitioner >= 0:
            partitioner = program.new_slot()
            program.call(self._partitioner, into=partitioner)
            program.call(self._put, slot(producer), slot(partitioner))
        return slot(producer)

    def new_record(
        self, program: KafkaProgram, topic: Argument, partition: Argument, key: Argument, mode: Mode
    ) -> Argument:
        """A record; null where the constructor fails, which ``mode`` may make an answer."""
        record = program.new_slot()
        program.call(self._record, NULL, topic, partition, key, NULL, mode=mode, into=record)
        return slot(record)

    def ask(
        self,
        program: KafkaProgram,
        producer: Argument,
        record: Argument,
        key: Argument,
        cluster: Argument,
    ) -> None:
        """Emit the partition of a record with that serialized key."""
        program.call(self._partition, producer, record, key, NULL, cluster, mode=Mode.ANSWER)
