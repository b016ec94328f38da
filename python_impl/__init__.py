"""Which partition will the Java client choose? Python ports of its partitioners.

>>> from python_impl import partition_for_key
>>> partition_for_key(b"user-1", 12)
8

``partitions_for_keys`` answers the same for a whole Arrow or NumPy column. The stateful
partitioners are in :mod:`python_impl.kafka_2_3_1`, :mod:`python_impl.kafka_3_2_3`,
:mod:`python_impl.kafka_3_8_0` and :mod:`python_impl.kafka_4_4_0`, under their Java names. Nothing
here needs Java or Spark.
"""

import logging
from typing import TYPE_CHECKING, Any

from . import (
    deserializers,
    errors,
    kafka_2_3_1,
    kafka_3_2_3,
    kafka_3_8_0,
    kafka_4_4_0,
    producer,
    records,
    serializers,
)
from .cluster import Cluster, PartitionInfo
from .errors import JavaError
from .int32 import to_positive
from .murmur2 import murmur2
from .producer.keyed import partition_for_key

logging.getLogger(__name__).addHandler(logging.NullHandler())  # its users say where logs go

if TYPE_CHECKING:
    from .columns import murmur2_column, partitions_for_keys

__all__ = [
    "Cluster",
    "JavaError",
    "PartitionInfo",
    "deserializers",
    "errors",
    "kafka_2_3_1",
    "kafka_3_2_3",
    "kafka_3_8_0",
    "kafka_4_4_0",
    "murmur2",
    "murmur2_column",
    "partition_for_key",
    "partitions_for_keys",
    "producer",
    "records",
    "serializers",
    "to_positive",
]


def __getattr__(name: str) -> Any:
    # The columns need NumPy and Arrow, which take a while to import.
    if name in ("murmur2_column", "partitions_for_keys"):
        from . import columns  # noqa: PLC0415

        return getattr(columns, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
