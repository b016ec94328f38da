"""The partitioners and record batches of kafka-clients 4.4.0, under their Java names."""

from .producer.buffer_pool import BufferPool
from .producer.built_in_partitioner import StickyPartitionInfo
from .producer.kafka_producer import RackAwareKafkaProducer as KafkaProducer
from .producer.keyed import partition_for_key
from .producer.load_stats import PartitionLoadStats
from .producer.producer_record import ProducerRecord, partition_of_record
from .producer.producer_sends import ProducerSendsAskingOnce as ProducerSends
from .producer.rack_aware_partitioner import RackAwareBuiltInPartitioner as BuiltInPartitioner
from .producer.round_robin_partitioner import RoundRobinPartitioner
from .producer.topic_accumulator import RackAwareAccumulator as RecordAccumulator
from .records.builder import MemoryRecordsBuilder
from .records.compression_ratio import CompressionRatioEstimator

VERSION = "4.4.0"

__all__ = [
    "VERSION",
    "BufferPool",
    "BuiltInPartitioner",
    "CompressionRatioEstimator",
    "KafkaProducer",
    "MemoryRecordsBuilder",
    "PartitionLoadStats",
    "ProducerRecord",
    "ProducerSends",
    "RecordAccumulator",
    "RoundRobinPartitioner",
    "StickyPartitionInfo",
    "partition_for_key",
    "partition_of_record",
]
