"""What a producer knows of a cluster.

Follows ``org.apache.kafka.clients.producer.internals.ProducerMetadata`` without expiry.
"""

from collections.abc import Callable, Collection

from ..cluster import Cluster
from ..errors import JavaInvalidTopicError, JavaTopicAuthorizationError
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
        self.request_version = 0
        """How many topics were new so far."""
        self.address = address
        self._topics: set[str] = set()
        self._unauthorized: Collection[str] = ()
        self._invalid: Collection[str] = ()

    @property
    def topics(self) -> Collection[str]:
        """The topics that the producer has used."""
        return self._topics

    def add(self, topic: str) -> None:
        """A topic is used; if it is a new one, metadata are wanted."""
        if topic not in self._topics:
            self._topics.add(topic)
            self.update_requested = True
            self.request_version += 1

    def request_update(self) -> None:
        """Metadata are wanted."""
        self.update_requested = True

    def update(
        self,
        cluster: Cluster,
        *,
        unauthorized: Collection[str] = (),
        invalid: Collection[str] = (),
        asked_at: int | None = None,
    ) -> None:
        """Metadata have come; what those before told of topics is forgotten.

        They name topics that may not be written to, and topics that cannot be. ``asked_at`` is
        :attr:`request_version` as it was when they were asked for; None: as it is now. If a topic
        is new since then, others are still wanted.
        """
        self.cluster = cluster
        self.update_requested = asked_at is not None and asked_at != self.request_version
        self.invalid_topics = self._invalid = invalid
        self._unauthorized = unauthorized

    def raise_for_topic(self, topic: str) -> None:
        """Raise what metadata told of a topic, and forget what they told of all of them.

        Follows ``Metadata.maybeThrowExceptionForTopic``. Raises
        :class:`JavaTopicAuthorizationError` or :class:`JavaInvalidTopicError`.
        """
        unauthorized, invalid = self._unauthorized, self._invalid
        self._unauthorized = self._invalid = ()
        if topic in unauthorized:
            raise JavaTopicAuthorizationError(f"Not authorized to access topics: [{topic}]")
        if topic in invalid:
            raise JavaInvalidTopicError(f"Invalid topics: [{topic}]")
