"""``KafkaProducer.doSend`` with a partitioner: which batch each record goes into."""

from typing import Protocol

from ..cluster import Cluster


class Partitioner(Protocol):
    """What a producer needs of its partitioner."""

    def partition(self, topic: str | None, key: bytes | None, cluster: Cluster | None) -> int:
        """The partition of the topic's next record."""

    def on_new_batch(self, topic: str | None, cluster: Cluster | None, previous: int) -> None:
        """A batch is about to be opened, because ``previous`` has none with room."""


class ProducerSends:
    """As much of a producer as knows which batches are open (``KafkaProducer.doSend``).

    From 2.4 to 3.9 a record that would open a batch is not taken at once: the partitioner is
    told, and asked again, and its second answer is used, whether there is an open batch or not
    (KIP-480). ``RoundRobinPartitioner`` counts both questions and so skips partitions
    (KAFKA-9965). 4.0 asks once (``asks_again=False``).

    All records are of one size, ``batch_records`` of which fill a batch (one or more); a batch
    that is full may be sent or not, which makes no difference to the next record.
    """

    def __init__(
        self, partitioner: Partitioner, batch_records: int, *, asks_again: bool = True
    ) -> None:
        if batch_records < 1:
            raise ValueError(f"a batch holds one record or more, not {batch_records}")
        self._partitioner = partitioner
        self._batch_records = batch_records
        self._asks_again = asks_again
        self._held: dict[tuple[str, int], int] = {}
        """The records in the latest batch of each topic's partition."""

    def send(
        self, topic: str, key: bytes | None, cluster: Cluster, named: int | None = None
    ) -> int:
        """The partition into whose batch a record goes.

        The partitioner is not asked for a record that names its partition, but it is told of the
        batch that such a record opens. The cluster has the topic, and more partitions than
        ``named``: for others a real producer waits. Raises what the partitioner raises.
        """
        partition = self._partition(topic, key, cluster, named)
        if self._asks_again and not self._has_room(topic, partition):
            self._partitioner.on_new_batch(topic, cluster, partition)
            partition = self._partition(topic, key, cluster, named)
        held = self._held[topic, partition] if self._has_room(topic, partition) else 0
        self._held[topic, partition] = held + 1
        return partition

    def _has_room(self, topic: str, partition: int) -> bool:
        return 0 < self._held.get((topic, partition), 0) < self._batch_records

    def _partition(self, topic: str, key: bytes | None, cluster: Cluster, named: int | None) -> int:
        return self._partitioner.partition(topic, key, cluster) if named is None else named


class ProducerSendsAskingOnce(ProducerSends):
    """The same from 4.0 on: what a partitioner answers is taken."""

    def __init__(self, partitioner: Partitioner, batch_records: int) -> None:
        super().__init__(partitioner, batch_records, asks_again=False)
