"""The partitioners of kafka-clients 2.3.1, under their Java names."""

from .producer.default_partitioner import RoundRobinDefaultPartitioner as DefaultPartitioner
from .producer.producer_record import ProducerRecord, partition_of_record

VERSION = "2.3.1"

__all__ = [
    "VERSION",
    "DefaultPartitioner",
    "ProducerRecord",
    "partition_of_record",
]
