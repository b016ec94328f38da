"""``RoundRobinPartitioner`` (since 2.4): every record in turn, whatever its key."""

from collections.abc import Mapping

from ..cluster import Cluster, known
from .topic_counters import TopicCounters, partition_for_counter


class RoundRobinPartitioner:
    """Counts the records of each topic from 0, or from ``counters``, wrapping at 2**31.

    Follows 3.8.0, which looks at the metadata only after it has counted; 3.2.3 differs for
    null metadata (see :class:`EagerRoundRobinPartitioner`).

    In producers from 2.4 to 3.9.1 this partitioner skips partitions, because the producer calls it
    again whenever a batch is opened (KAFKA-9965; see :class:`ProducerSends`): the class itself
    does not.
    """

    def __init__(self, *, counters: Mapping[str, int] | None = None) -> None:
        self._counters = TopicCounters(first=lambda: 0, initial=counters)

    def partition(self, topic: str | None, key: bytes | None, cluster: Cluster | None) -> int:
        """The partition of the topic's next record.

        Raises :class:`JavaArithmeticError` for a topic without partitions and
        :class:`JavaNullPointerError` for null metadata, both after counting, and
        :class:`JavaNullPointerError` for a null topic.
        """
        del key  # whatever it is
        value = self._counters.next_value(topic)
        cluster = known(cluster)
        count = len(cluster.partitions_for_topic(topic))
        return partition_for_counter(value, topic, cluster, count)

    def on_new_batch(self, topic: str | None, cluster: Cluster | None, previous: int) -> None:
        """``Partitioner.onNewBatch``: batches do not change whose turn it is."""

    def counter(self, topic: str) -> int | None:
        """The int32 that the topic's next record will use, or None before its first."""
        return self._counters.get(topic)


class EagerRoundRobinPartitioner(RoundRobinPartitioner):
    """``RoundRobinPartitioner`` of 3.2.3: null metadata fails before the counter advances."""

    def partition(self, topic: str | None, key: bytes | None, cluster: Cluster | None) -> int:
        """As in 3.8.0, but :class:`JavaNullPointerError` for null metadata counts nothing."""
        return super().partition(topic, key, known(cluster))
