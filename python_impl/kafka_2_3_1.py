"""The partitioners of kafka-clients 2.3.1, under their Java names."""

from .producer.default_partitioner import RoundRobinDefaultPartitioner as DefaultPartitioner

VERSION = "2.3.1"

__all__ = ["VERSION", "DefaultPartitioner"]
