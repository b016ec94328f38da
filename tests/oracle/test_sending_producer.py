"""The real producer behind round-robin-sends: harmless, and refused where it cannot be driven."""

from typing import Any

import pytest

from conformance.clients.versions import CLIENT_VERSIONS, client_named
from conformance.distributions.double_call import DoubleCall
from conformance.engine.plan import behaviour_named
from conformance.errors import OracleError
from conformance.jars.lock import LockedJar
from conformance.java.sources import java_source
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Block
from conformance.oracle.internals import PRIVATE_FIELD, QUIET_PRODUCER, SENDING_PRODUCER
from conformance.oracle.kafka_classes import ACCUMULATOR
from conformance.subjects.java_client import JavaSubject
from tests.releases import fresh, loaded, sampled_releases, version_of

jpype = pytest.importorskip("jpype")

CLIENTS = [client for client in CLIENT_VERSIONS if client.shows("round-robin-sends")]
CASE: Any = {
    "config": {"batch_records": 1},
    "metadata": [[("t", [[0, 0], [1, 1]])]],
    "steps": [{"op": "send", "topic": "t", "key": None, "metadata": 0}] * 3,
}


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_no_thread_of_the_producer_is_left(java: JavaSubject, client: ClientVersion) -> None:
    trace = java.performer(behaviour_named("round-robin-sends"), client)(CASE)
    asked_once = client.version == "4.4.0"
    assert [step["answer"] for step in trace] == ([0, 1, 0] if asked_once else [1, 1, 1])
    threads = jpype.JClass("java.lang.Thread").getAllStackTraces().keySet()
    assert not [thread for thread in threads if "kafka-producer" in str(thread.getName())]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
@pytest.mark.parametrize(
    ("known", "otherwise", "told"),
    [
        (
            '"cache", "metadataSnapshot", ".MetadataCache|.MetadataSnapshot"',
            '"renamed", null, "no other"',
            "Metadata has no field renamed",
        ),
        (
            '"batches", "topicInfoMap", "ProducerBatch>>|.RecordAccumulator$TopicInfo>"',
            '"renamed", null, "no other"',
            "RecordAccumulator has no field renamed",
        ),
        ("RECORD_BATCH_OVERHEAD;", "RECORD_BATCH_OVERHEAD + 43;", "more records fit"),
        ("RECORD_BATCH_OVERHEAD;", "RECORD_BATCH_OVERHEAD - 1;", "fewer records fill"),
        ("partitionerField.set(partitionerHolder, partitioner);", "", "the partitioner remembers"),
        (
            "clusterField.set(knownField.get(metadata), cluster);",
            "",
            "closed while send in progress",
        ),
        ("running.setBoolean(sender, true);", "", "after producer has been closed"),
    ],
)
def test_a_producer_of_another_shape_is_refused(
    client: ClientVersion, known: str, otherwise: str, told: str
) -> None:
    names = {"QuietProducer": QUIET_PRODUCER, "SendingProducer": SENDING_PRODUCER}
    sources = {name: java_source(name) for name in names}
    assert sum(source.count(known) for source in sources.values()) == 1
    loaded = fresh(client)
    loaded.neighbour(java_source("PrivateField"), PRIVATE_FIELD, ACCUMULATOR)
    for name, class_name in names.items():
        loaded.neighbour(sources[name].replace(known, otherwise), class_name, ACCUMULATOR)
    performer = behaviour_named("round-robin-sends").java(client, loaded)
    with pytest.raises(OracleError, match=told):
        loaded.run(performer.program(CASE))


def test_a_client_without_the_partitioner_is_refused() -> None:
    client = client_named("2.3.1")
    with pytest.raises(OracleError, match=r"2\.3\.1 has no class .*RoundRobinPartitioner"):
        behaviour_named("round-robin-sends").java(client, fresh(client))


@pytest.mark.parametrize("jar", sampled_releases(2, 4), ids=lambda jar: jar.version)
def test_every_published_version_can_be_driven(jar: LockedJar) -> None:
    block = Block(0, 0, 8, (0, 0, 0))  # to two partitions, one record a batch
    distribution = DoubleCall()
    sampler = distribution.java(client_named("3.8.0"), loaded(jar))
    answers = sampler(block, distribution.inputs(block)).tolist()
    asked_once = version_of(jar) >= (3, 9, 2)
    assert answers == ([0, 1] * 4 if asked_once else [1] * 8)
