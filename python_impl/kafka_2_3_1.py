"""The partitioners and record batches of kafka-clients 2.3.1, under their Java names."""

from .producer.buffer_pool import TimingOutBufferPool as BufferPool
from .producer.default_partitioner import RoundRobinDefaultPartitioner as DefaultPartitioner
from .producer.partition_accumulator import ThrottledAccumulator as RecordAccumulator
from .producer.partition_producer import ThrottledKafkaProducer as KafkaProducer
from .producer.producer_record import ProducerRecord, partition_of_record
from .records.builder import MemoryRecordsBuilder
from .records.compression_ratio import SteppingRatioEstimator as CompressionRatioEstimator

VERSION = "2.3.1"

__all__ = [
    "VERSION",
    "BufferPool",
    "CompressionRatioEstimator",
    "DefaultPartitioner",
    "KafkaProducer",
    "MemoryRecordsBuilder",
    "ProducerRecord",
    "RecordAccumulator",
    "partition_of_record",
]
