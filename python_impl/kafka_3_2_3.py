"""The partitioners and record batches of kafka-clients 3.2.3, under their Java names."""

from .producer.buffer_pool import BufferPool
from .producer.default_partitioner import StickyDefaultPartitioner as DefaultPartitioner
from .producer.partition_accumulator import PartitionAccumulator as RecordAccumulator
from .producer.partition_producer import PartitionKafkaProducer as KafkaProducer
from .producer.producer_record import ProducerRecord, partition_of_record
from .producer.producer_sends import PartitionProducerSends as ProducerSends
from .producer.round_robin_partitioner import EagerRoundRobinPartitioner as RoundRobinPartitioner
from .producer.sticky_partition_cache import StickyPartitionCache
from .producer.uniform_sticky_partitioner import UniformStickyPartitioner
from .records.builder import MemoryRecordsBuilder
from .records.compression_ratio import CompressionRatioEstimator

VERSION = "3.2.3"

__all__ = [
    "VERSION",
    "BufferPool",
    "CompressionRatioEstimator",
    "DefaultPartitioner",
    "KafkaProducer",
    "MemoryRecordsBuilder",
    "ProducerRecord",
    "ProducerSends",
    "RecordAccumulator",
    "RoundRobinPartitioner",
    "StickyPartitionCache",
    "UniformStickyPartitioner",
    "partition_of_record",
]
