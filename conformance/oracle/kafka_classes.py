"""The names of Kafka's classes, and of Java's, that more than one place asks for."""

from typing import Final

COMMON: Final = "org.apache.kafka.common"
REQUESTS: Final = f"{COMMON}.requests"
PRODUCER: Final = "org.apache.kafka.clients.producer"
INTERNALS: Final = f"{PRODUCER}.internals"

RECORDS: Final = f"{COMMON}.record"
RECORDS_BUILDER: Final = f"{RECORDS}.MemoryRecordsBuilder"
COMPRESSION_TYPE: Final = f"{RECORDS}.CompressionType"

CLUSTER: Final = f"{COMMON}.Cluster"
UTILS: Final = f"{COMMON}.utils.Utils"

RECORD: Final = f"{PRODUCER}.ProducerRecord"
KAFKA_PRODUCER: Final = f"{PRODUCER}.KafkaProducer"
ACCUMULATOR: Final = f"{INTERNALS}.RecordAccumulator"
SENDER: Final = f"{INTERNALS}.Sender"
TRANSACTION_MANAGER: Final = f"{INTERNALS}.TransactionManager"
PRODUCER_METADATA: Final = f"{INTERNALS}.ProducerMetadata"

DEFAULT: Final = f"{INTERNALS}.DefaultPartitioner"
BUILT_IN: Final = f"{INTERNALS}.BuiltInPartitioner"
STICKY_PARTITION_CACHE: Final = f"{INTERNALS}.StickyPartitionCache"
ROUND_ROBIN: Final = f"{PRODUCER}.RoundRobinPartitioner"
UNIFORM_STICKY: Final = f"{PRODUCER}.UniformStickyPartitioner"

STRING: Final = "java.lang.String"
OBJECT: Final = "java.lang.Object"
BYTES: Final = "[B"
_MAP: Final = f"java.util.Map<{STRING}, "
ATOMIC_INTEGER: Final = "java.util.concurrent.atomic.AtomicInteger"
ATOMIC_REFERENCE: Final = "java.util.concurrent.atomic.AtomicReference"
COUNTERS: Final = f"{_MAP}{ATOMIC_INTEGER}>"
"""The type of a map of counters by topic."""
STICKY_PARTITIONS: Final = f"{_MAP}java.lang.Integer>"
"""The type of a map of partitions by topic."""
