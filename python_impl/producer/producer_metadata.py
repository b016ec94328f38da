"""What a producer knows of a cluster.

Follows ``org.apache.kafka.clients.producer.internals.ProducerMetadata`` without expiry.
"""

from collections.abc import Callable, Collection

from ..cluster import Cluster
from .topic_accumulator import LeaderEpochs, no_epoch

Addresses = Callable[[int], tuple[str, int, str | None]]
"""A node's host, port and rack."""


def _local(node: int) -> tuple[str, int, str | None]:
    """All nodes on this machine; they differ by their ids."""
    del node
    return "localhost", 9092, None


class ProducerMetadata:
    """The latest metadata, and whether newer ones are wanted.

    ``leader_epoch`` answers the epoch of a partition's leader, if metadata have it.
    ``invalid_topics`` are topics that cannot be. By the ``address`` of a node Java puts nodes in
    some order.
    """

    def __init__(
        self,
        cluster: Cluster,
        *,
        leader_epoch: LeaderEpochs = no_epoch,
        invalid_topics: Collection[str] = (),
        address: Addresses = _local,
    ) -> None:
        self.cluster = cluster
        self.leader_epoch = leader_epoch
        self.invalid_topics = invalid_topics
        self.update_requested = False
        self.address = address
        self._topics: set[str] = set()

    @property
    def topics(self) -> Collection[str]:
        """The topics that the producer has used."""
        return self._topics

    def add(self, topic: str) -> None:
        """A topic is used; if it is a new one, metadata are wanted."""
        if topic not in self._topics:
            self._topics.add(topic)
            self.update_requested = True

    def request_update(self) -> None:
        """Metadata are wanted."""
        self.update_requested = True

    def update(self, cluster: Cluster) -> None:
        """Metadata have come."""
        self.cluster = cluster
        self.update_requested = False
