"""A producer: partitioners, batches, the accumulator, the sender, and what they tell each other."""

from .produce_request import (
    KafkaClient,
    NoResponse,
    PartitionResponse,
    ProduceRequest,
    ProduceResponse,
)
from .producer_id import IdempotentClient, InitProducerIdRequest, InitProducerIdResponse
from .producer_metadata import ProducerMetadata
from .producer_settings import ProducerSettings

__all__ = [
    "IdempotentClient",
    "InitProducerIdRequest",
    "InitProducerIdResponse",
    "KafkaClient",
    "NoResponse",
    "PartitionResponse",
    "ProduceRequest",
    "ProduceResponse",
    "ProducerMetadata",
    "ProducerSettings",
]
