"""Who a producer is, to a broker that is to tell a batch from the same one sent twice.

Follows ``org.apache.kafka.common.utils.ProducerIdAndEpoch`` (KIP-98), and the request by which a
producer gets one, ``InitProducerIdRequest``.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from .produce_request import KafkaClient, NoResponse, ProduceRequest

MOST_EPOCHS: Final = 2**15 - 1
"""The last epoch of an id; a producer that needs another one asks for a new id."""


class ProducerIdAndEpoch(NamedTuple):
    """A producer's id (int64) and epoch (int16); -1 stands for none."""

    producer_id: int = -1
    epoch: int = -1

    @property
    def is_valid(self) -> bool:
        """Whether it is one that a broker gave."""
        return self.producer_id > -1


NO_PRODUCER_ID_AND_EPOCH: Final = ProducerIdAndEpoch()


@dataclass(slots=True, eq=False)
class InitProducerIdRequest:
    """A request for a producer id, to a node; ``is_retry`` of one that was sent in vain before."""

    node: int = -1
    is_retry: bool = False


@dataclass(frozen=True, slots=True)
class InitProducerIdResponse:
    """A node's answer: an error's code (int16, 0: none), or the id and its epoch."""

    code: int = 0
    producer_id: int = -1
    producer_epoch: int = -1


class IdempotentClient(KafkaClient, Protocol):
    """What the sender of an idempotent producer asks its connections beside that."""

    def least_loaded_node(self, now_ms: int) -> int | None:
        """Any node that could answer soon; None if there is none."""

    def connect(self, node: int, now_ms: int) -> bool:
        """Wait until a node is connected; answers whether it is."""

    def send(self, request: ProduceRequest | InitProducerIdRequest, now_ms: int) -> None:
        """Send a request to a node that is ready.

        Its answer goes to :meth:`.Sender.handle_produce_response` or
        :meth:`.Sender.handle_init_producer_id_response`.
        """

    def send_and_receive(
        self, request: InitProducerIdRequest, now_ms: int
    ) -> InitProducerIdResponse | NoResponse:
        """Send a request and wait for its answer (up to 2.4)."""

    def sleep(self, ms: int) -> None:
        """The sender does nothing for that long."""
