"""Which partitions a producer's records reach, as long as none of its batches leaves.

A :class:`KafkaProducer` whose sender is never run: for authors of partitioners, who want to see
what becomes of their answers.
"""

from functools import cache
from typing import ClassVar, Final, cast

from ..cluster import Cluster
from ..records.batch import RECORD_BATCH_OVERHEAD
from ..records.record import record_size
from ..records.sized_builder import SizedRecordsBuilder
from .kafka_producer import KafkaProducer, Partitioner, RackAwareKafkaProducer
from .partition_producer import PartitionKafkaProducer
from .produce_request import KafkaClient
from .producer_metadata import ProducerMetadata
from .producer_settings import ProducerSettings

CONTENT_BYTES: Final = 36
"""Key and value together: a longer key has a shorter value, so all records are of one size."""


class _Unconnected:
    """All that a producer asks of its connections before its sender is run."""

    def wakeup(self) -> None:
        """Nobody sleeps."""


class ProducerSends:
    """Records of a producer of 3.8.0, and where its partitioner and its batches let them go.

    From 2.4 to 3.9 a record that would open a batch is not taken at once: the partitioner is
    told, and asked again, and its second answer is used, whether there is an open batch or not
    (KIP-480). ``RoundRobinPartitioner`` counts both questions and so skips partitions
    (KAFKA-9965). 4.0 asks once (:class:`ProducerSendsAskingOnce`).

    All records are of one size, ``batch_records`` of which fill a batch (one or more); a batch
    that is full may be sent or not, which makes no difference to the next record.
    """

    producer: ClassVar[type[KafkaProducer]] = KafkaProducer

    def __init__(self, partitioner: Partitioner, batch_records: int) -> None:
        if batch_records < 1:
            raise ValueError(f"a batch holds one record or more, not {batch_records}")
        self._metadata = ProducerMetadata(Cluster([]))
        settings = ProducerSettings(
            batch_size=_size_of_batch(batch_records),
            buffer_memory=2**63 - 1,  # nothing is ever given back
            enable_idempotence=False,
        )
        self._producer = self.producer(
            settings,
            self._metadata,
            cast("KafkaClient", _Unconnected()),
            partitioner=partitioner,
            builder=SizedRecordsBuilder,
        )

    def send(
        self, topic: str, key: bytes | None, cluster: Cluster, named: int | None = None
    ) -> int:
        """The partition into whose batch a record goes.

        The partitioner is not asked for a record that names its partition, but it is told of the
        batch that such a record opens. The cluster has the topic, and more partitions than
        ``named``: for others a real producer waits, and this one raises
        :class:`JavaTimeoutError`. Raises ``ValueError`` for a key of more than
        :data:`CONTENT_BYTES`, and what the partitioner raises.
        """
        left = CONTENT_BYTES - (0 if key is None else len(key))
        if left < 0:
            raise ValueError(f"a key of {len(key or b'')} bytes: at most {CONTENT_BYTES} are taken")
        self._metadata.update(cluster)
        sent = self._producer.send(topic, named, key, bytes(left), now_ms=0)
        if sent.error is not None:
            raise sent.error
        return sent.partition


@cache
def _size_of_batch(records: int) -> int:
    """Bytes of a batch of so many records: later ones store a larger distance to the first."""
    value = bytes(CONTENT_BYTES)
    return RECORD_BATCH_OVERHEAD + sum(
        record_size(number, 0, None, value, ()) for number in range(records)
    )


class PartitionProducerSends(ProducerSends):
    """The same of 3.2.3."""

    producer = PartitionKafkaProducer


class ProducerSendsAskingOnce(ProducerSends):
    """The same from 4.0 on: what a partitioner answers is taken."""

    producer = RackAwareKafkaProducer
