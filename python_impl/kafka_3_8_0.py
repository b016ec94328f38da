"""The partitioners and record batches of kafka-clients 3.8.0, under their Java names."""

from .producer.buffer_pool import BufferPool
from .producer.built_in_partitioner import BuiltInPartitioner, StickyPartitionInfo
from .producer.default_partitioner import StickyDefaultPartitioner as DefaultPartitioner
from .producer.kafka_producer import KafkaProducer
from .producer.keyed import partition_for_key
from .producer.load_stats import PartitionLoadStats
from .producer.producer_record import ProducerRecord, partition_of_record
from .producer.producer_sends import ProducerSends
from .producer.round_robin_partitioner import RoundRobinPartitioner
from .producer.sticky_partition_cache import StickyPartitionCache
from .producer.topic_accumulator import TopicAccumulator as RecordAccumulator
from .producer.uniform_sticky_partitioner import UniformStickyPartitioner
from .records.builder import MemoryRecordsBuilder
from .records.compression_ratio import CompressionRatioEstimator

VERSION = "3.8.0"

__all__ = [
    "VERSION",
    "BufferPool",
    "BuiltInPartitioner",
    "CompressionRatioEstimator",
    "DefaultPartitioner",
    "KafkaProducer",
    "MemoryRecordsBuilder",
    "PartitionLoadStats",
    "ProducerRecord",
    "ProducerSends",
    "RecordAccumulator",
    "RoundRobinPartitioner",
    "StickyPartitionCache",
    "StickyPartitionInfo",
    "UniformStickyPartitioner",
    "partition_for_key",
    "partition_of_record",
]
