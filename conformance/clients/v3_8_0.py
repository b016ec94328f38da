"""kafka-clients 3.8.0: hash for keys, sticky by bytes without, adaptive to queue sizes."""

from conformance.clients.client_version import ClientVersion

_PRODUCER = "org.apache.kafka.clients.producer"
_DEFAULT = f"{_PRODUCER}.internals.DefaultPartitioner"
_BUILT_IN = f"{_PRODUCER}.internals.BuiltInPartitioner"

V3_8_0 = ClientVersion(
    version="3.8.0",
    port="kafka_3_8_0",
    realised_by={
        "murmur2": "org.apache.kafka.common.utils.Utils.murmur2",
        "keyed": f"{_BUILT_IN}.partitionForKey",
        "keyed-columns": f"{_BUILT_IN}.partitionForKey",
        "serialized-keys": f"{_BUILT_IN}.partitionForKey",
        "explicit-partition": f"{_PRODUCER}.KafkaProducer.partition",
        "round-robin": f"{_PRODUCER}.RoundRobinPartitioner.partition",
        "round-robin-sends": f"{_PRODUCER}.KafkaProducer.doSend",
        "sticky": f"{_DEFAULT}.partition",
        "uniform-sticky": f"{_PRODUCER}.UniformStickyPartitioner.partition",
        "sticky-cache": f"{_PRODUCER}.internals.StickyPartitionCache.nextPartition",
        "built-in": f"{_BUILT_IN}.updatePartitionInfo",
        "load-stats": f"{_BUILT_IN}.updatePartitionLoadStats",
        "adaptive": f"{_BUILT_IN}.nextPartition",
    },
    absent={"round-robin-null-key": "replaced by sticky partitioning in 2.4 (KIP-480)"},
)
