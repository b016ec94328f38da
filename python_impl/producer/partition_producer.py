"""The producer of 2.3.1 and 3.2.3, in which each record has its partition before it is appended.

Follows ``org.apache.kafka.clients.producer.KafkaProducer`` of these versions; what they have in
common with later ones is in :mod:`.kafka_producer`.
"""

from collections.abc import Callable
from typing import Any

from ..cluster import Cluster
from .buffer_pool import TimingOutBufferPool
from .default_partitioner import RoundRobinDefaultPartitioner, StickyDefaultPartitioner
from .interceptors import Call
from .kafka_producer import KafkaProducer, Partitioner
from .partition_accumulator import PartitionAccumulator, ThrottledAccumulator
from .partition_sender import PartitionSender, ThrottledSender
from .resetting_transaction_manager import ResettingTransactionManager
from .transaction_manager import EarlierTransactionManager


class PartitionKafkaProducer(KafkaProducer):
    """The same of 3.2.3, where each record has its partition before it is appended."""

    accumulator_class = PartitionAccumulator
    sender_class = PartitionSender
    transactions_class = EarlierTransactionManager
    least_batch_size = 0  # which holds one record, too

    def _partitioner_of(
        self, partitioner: Partitioner | None, random: Callable[[], int]
    ) -> Partitioner | None:
        return StickyDefaultPartitioner(random=random) if partitioner is None else partitioner

    def _of_version(
        self, random: Callable[[], int], jitter: Callable[[], float] | None
    ) -> dict[str, Any]:
        del random, jitter
        return {}

    def _partition(self, call: Call, named: int | None, key: bytes | None, cluster: Cluster) -> int:
        call.set_partition(super()._partition(call, named, key, cluster))
        return call.partition

    def _chosen(self, partition: int) -> int | None:
        return partition

    def _for_choice(self, call: Call, cluster: Cluster) -> dict[str, Any]:
        del call, cluster
        return {}


class ThrottledKafkaProducer(PartitionKafkaProducer):
    """The same of 2.3.1, which takes its partitioner's first answer, whatever it is."""

    pool_class = TimingOutBufferPool
    accumulator_class = ThrottledAccumulator
    sender_class = ThrottledSender
    transactions_class = ResettingTransactionManager
    asks_again = False
    takes_any_answer = True

    def _partitioner_of(
        self, partitioner: Partitioner | None, random: Callable[[], int]
    ) -> Partitioner | None:
        return RoundRobinDefaultPartitioner(random=random) if partitioner is None else partitioner
