"""kafka-clients 3.2.3: hash for keys, sticky by batch without."""

from conformance.clients.client_version import ClientVersion

_PRODUCER = "org.apache.kafka.clients.producer"
_DEFAULT = f"{_PRODUCER}.internals.DefaultPartitioner"
_KIP_794 = "arrived in 3.3 (KIP-794)"

V3_2_3 = ClientVersion(
    version="3.2.3",
    port="kafka_3_2_3",
    realised_by={
        "murmur2": "org.apache.kafka.common.utils.Utils.murmur2",
        "keyed": f"{_DEFAULT}.partition",
        "keyed-columns": f"{_DEFAULT}.partition",
        "serialized-keys": f"{_DEFAULT}.partition",
        "explicit-partition": f"{_PRODUCER}.KafkaProducer.partition",
        "round-robin": f"{_PRODUCER}.RoundRobinPartitioner.partition",
        "round-robin-sends": f"{_PRODUCER}.KafkaProducer.doSend",
        "sticky": f"{_DEFAULT}.partition",
        "uniform-sticky": f"{_PRODUCER}.UniformStickyPartitioner.partition",
        "sticky-cache": f"{_PRODUCER}.internals.StickyPartitionCache.nextPartition",
    },
    absent={
        "round-robin-null-key": "replaced by sticky partitioning in 2.4 (KIP-480)",
        "built-in": _KIP_794,
        "load-stats": _KIP_794,
        "adaptive": _KIP_794,
    },
)
