"""``gate`` and refactorings of private parts: they change nothing, and leave little uncompared."""

import pytest

from tests.cli.running import Suite, check_schema
from tests.doctored import renamed
from tests.landing import later

PRODUCER = "org/apache/kafka/clients/producer"
INTERNALS = f"{PRODUCER}/internals"
BUILT_IN = f"{INTERNALS}/BuiltInPartitioner"
RENAMED = {
    f"{BUILT_IN}.stickyPartitionInfo": "sticky",
    f"{BUILT_IN}.partitionLoadStats": "stats",
    f"{BUILT_IN}$StickyPartitionInfo": f"{BUILT_IN}$Sticky",
    f"{BUILT_IN}$StickyPartitionInfo.producedBytes": "produced",
    f"{INTERNALS}/StickyPartitionCache.indexCache": "cached",
    f"{INTERNALS}/DefaultPartitioner.stickyPartitionCache": "cache",
    f"{PRODUCER}/UniformStickyPartitioner.stickyPartitionCache": "cache",
    f"{PRODUCER}/RoundRobinPartitioner.topicCounterMap": "counters",
    f"{PRODUCER}/KafkaProducer.partitioner": "chooser",
    f"{PRODUCER}/KafkaProducer.metadata": "known",
    f"{PRODUCER}/KafkaProducer.accumulator": "records",
    f"{PRODUCER}/KafkaProducer.sender": "io",
    f"{PRODUCER}/KafkaProducer.ioThread": "thread",
    f"{PRODUCER}/KafkaProducer.partition(Lorg/apache/kafka/clients/producer/ProducerRecord;[B[B"
    "Lorg/apache/kafka/common/Cluster;)I": "choose",
    "org/apache/kafka/clients/Metadata.metadataSnapshot": "snapshot",
    "org/apache/kafka/clients/MetadataSnapshot.clusterInstance": "cluster",
    f"{INTERNALS}/RecordAccumulator.topicInfoMap": "topics",
    f"{INTERNALS}/RecordAccumulator.incomplete": "pending",
    f"{INTERNALS}/FutureRecordMetadata.result": "batch",
}
TABLE = {
    f"{BUILT_IN}$PartitionLoadStats": f"{BUILT_IN}$Table",
    f"{BUILT_IN}$PartitionLoadStats.length": "used",
}
OF_KAFKA_3_8 = {
    *("murmur2", "keyed", "serialized-keys", "explicit-partition", "round-robin"),
    *("round-robin-sends", "sticky", "uniform-sticky", "sticky-cache", "built-in"),
    *("load-stats", "adaptive"),
}


@pytest.mark.parametrize(
    "names", [later(RENAMED), later(TABLE)], ids=["fields, a class, a method", "the table of loads"]
)
def test_private_parts_may_be_called_otherwise(suite: Suite, names: dict[str, str]) -> None:
    suite.cwd.mkdir(parents=True, exist_ok=True)
    renamed(suite.cwd / "own.jar", names)
    jars = ("--baseline", "3.8.0", "--candidate", "own.jar", "--json", "gate.json")
    suite.run("gate", *jars, "--profile", "quick", "--no-cache").expect(0)
    document = check_schema(suite.cwd / "gate.json", "report")
    same = {one["behaviour"] for one in document["gate"]["changes"] if one["change"] == "same"}
    assert same >= OF_KAFKA_3_8
    assert all(not cell["refused"] for cell in document["cells"])


def test_what_cannot_be_found_at_all_is_told_in_full(suite: Suite) -> None:
    suite.cwd.mkdir(parents=True, exist_ok=True)
    renamed(suite.cwd / "own.jar", {f"{INTERNALS}/RecordAccumulator.batchSize": "size"})
    jars = ("--baseline", "3.8.0", "--candidate", "own.jar")
    chosen = ("--behaviour", "round-robin-sends", "--behaviour", "murmur2")
    answer = suite.run("gate", *jars, *chosen, "--profile", "quick", "--no-cache")
    told = "RecordAccumulator has no field batchSize, and 0 of such a type"
    answer.expect(3, "1 not comparable, 1 same", "Not comparable:", told, "docs/gate.md lists")
