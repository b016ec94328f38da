"""kafka-clients 2.3.1: hash for keys, round robin without."""

from conformance.clients.client_version import ClientVersion

_PRODUCER = "org.apache.kafka.clients.producer"
_DEFAULT = f"{_PRODUCER}.internals.DefaultPartitioner"
_KIP_480 = "arrived in 2.4 (KIP-480)"
_KIP_794 = "arrived in 3.3 (KIP-794)"

V2_3_1 = ClientVersion(
    version="2.3.1",
    port="kafka_2_3_1",
    realised_by={
        "murmur2": "org.apache.kafka.common.utils.Utils.murmur2",
        "keyed": f"{_DEFAULT}.partition",
        "keyed-columns": f"{_DEFAULT}.partition",
        "serialized-keys": f"{_DEFAULT}.partition",
        "explicit-partition": f"{_PRODUCER}.KafkaProducer.partition",
        "round-robin-null-key": f"{_DEFAULT}.partition",
    },
    absent={
        "round-robin": "arrived in 2.4 (KIP-369)",
        "round-robin-sends": "RoundRobinPartitioner arrived in 2.4 (KIP-369)",
        "sticky": _KIP_480,
        "uniform-sticky": _KIP_480,
        "sticky-cache": _KIP_480,
        "built-in": _KIP_794,
        "load-stats": _KIP_794,
        "adaptive": _KIP_794,
    },
)
