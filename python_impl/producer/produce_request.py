"""What a producer and the nodes of a cluster tell each other: requests to produce, and answers.

Follows ``ProduceRequest``, ``ProduceResponse`` and ``KafkaClient``, as far as the sender sees them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .producer_batch import ProducerBatch


@dataclass(frozen=True, slots=True, eq=False)
class ProduceRequest:
    """Batches for the partitions that a node leads, one for each.

    ``acks`` is 0, 1 or -1 (all). Without acks no answer is awaited: the request ends when it has
    been sent.
    """

    node: int
    acks: int
    timeout_ms: int
    batches: Sequence[ProducerBatch]

    @property
    def expects_response(self) -> bool:
        """Whether the node answers."""
        return self.acks != 0


@dataclass(frozen=True, slots=True)
class PartitionResponse:
    """What became of a batch: an error's code (int16, 0: none) and its first offset (int64).

    ``log_start_offset`` (int64) is where the partition's log begins; -1 if the node does not tell.
    ``record_errors`` has the places of single records that were refused; all others of the batch
    were not taken because of them.
    """

    code: int = 0
    base_offset: int = -1
    record_errors: Sequence[int] = ()
    log_start_offset: int = -1


@dataclass(frozen=True, slots=True)
class ProduceResponse:
    """A node's answer, by topic and partition; it wants to be left alone for some time (ms)."""

    partitions: Mapping[tuple[str, int], PartitionResponse] = field(default_factory=dict)
    throttle_ms: int = 0


@dataclass(frozen=True, slots=True)
class NoResponse:
    """There is none: none was to be, or the connection ended before it came.

    ``disconnected`` and ``timed_out`` (no answer in time, so that the client ended the connection)
    are failures; ``version_mismatch`` is a node that does not know the request.
    """

    disconnected: bool = False
    timed_out: bool = False
    version_mismatch: bool = False


class KafkaClient(Protocol):
    """Connections to the nodes of a cluster."""

    def ready(self, node: int, now_ms: int) -> bool:
        """Whether a request can be sent to a node now; if not, a connection to it is begun."""

    def poll_delay_ms(self, node: int, now_ms: int) -> int:
        """How long to wait for a node that is not ready."""

    def send(self, request: ProduceRequest, now_ms: int) -> None:
        """Send a request to a node that is ready.

        Its answer goes to :meth:`.Sender.handle_produce_response`.
        """

    def wakeup(self) -> None:
        """There may be something to be sent: a pass of the sender is due now."""
