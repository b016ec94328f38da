"""What metadata that come do to those before: the real ``ProducerMetadata`` and the port's.

The cases of ``producer`` set what a producer knows; only here real answers of brokers are read.
"""

from typing import Any, Protocol

import jpype
import pytest

from conformance.clients.versions import client_named
from python_impl import Cluster
from python_impl.errors import JavaInvalidTopicError, JavaTopicAuthorizationError
from python_impl.producer.producer_metadata import ProducerMetadata
from tests.releases import fresh

NONE, INVALID, UNAUTHORIZED = 0, 17, 29
_COMMON = "org.apache.kafka.common"


class Metadata(Protocol):
    """Either of them."""

    def add(self, topic: str) -> None: ...

    def ask(self) -> int:
        """Ask for others; what is to be told when they come."""

    def come(self, code: int, asked_at: int) -> None:
        """They come, with an error of topic t, or with its partition 0."""

    def seen(self) -> list[Any]:
        """Whether others are wanted, what is told of t, and the topics that are invalid."""


class Port:
    def __init__(self) -> None:
        self.known = ProducerMetadata(Cluster([]))

    def add(self, topic: str) -> None:
        self.known.add(topic)

    def ask(self) -> int:
        self.known.request_update()
        return self.known.request_version

    def come(self, code: int, asked_at: int) -> None:
        self.known.update(
            Cluster([]) if code else Cluster.of(t=1),
            unauthorized=("t",) if code == UNAUTHORIZED else (),
            invalid=("t",) if code == INVALID else (),
            asked_at=asked_at,
        )

    def seen(self) -> list[Any]:
        try:
            self.known.raise_for_topic("t")
            told = None
        except (JavaInvalidTopicError, JavaTopicAuthorizationError) as error:
            told = error.java_class
        return [self.known.update_requested, told, [*self.known.invalid_topics]]


class Real:
    """Since 2.4, where an answer is made of its message."""

    def __init__(self, version: str) -> None:
        client = fresh(client_named(version))
        self.java = client.java_class
        made = self.java("org.apache.kafka.clients.producer.internals.ProducerMetadata")
        [constructor] = made.class_.getDeclaredConstructors()
        constructor.setAccessible(True)
        parts = {
            "long": jpype.java.lang.Long(300_000),
            "LogContext": self.java(f"{_COMMON}.utils.LogContext")(),
            "ClusterResourceListeners": self.java(
                f"{_COMMON}.internals.ClusterResourceListeners"
            )(),
        }
        if version < "4.4":
            parts["Time"] = self.java(f"{_COMMON}.utils.Time").SYSTEM
        types = [str(one.getSimpleName()) for one in constructor.getParameterTypes()]
        self.known = constructor.newInstance([parts[one] for one in types])

    def add(self, topic: str) -> None:
        self.known.add(topic, jpype.JLong(0))

    def ask(self) -> int:
        resets = [False] * (len(self.types("requestUpdate")) == 1)
        self.known.requestUpdate(*resets)
        return int(self.known.newMetadataRequestAndVersion(jpype.JLong(10)).requestVersion)

    def types(self, name: str) -> list[Any]:
        [method] = [one for one in self.known.getClass().getMethods() if one.getName() == name]
        return [*method.getParameterTypes()]

    def come(self, code: int, asked_at: int) -> None:
        message = f"{_COMMON}.message.MetadataResponseData"
        data, broker = self.java(message)(), self.java(f"{message}$MetadataResponseBroker")()
        data.brokers().add(broker.setNodeId(0).setHost("localhost").setPort(9092))
        topic = self.java(f"{message}$MetadataResponseTopic")()
        topic.setName("t").setErrorCode(jpype.JShort(code))
        if code == NONE:
            partition = self.java(f"{message}$MetadataResponsePartition")()
            nodes = jpype.java.util.ArrayList()
            nodes.add(jpype.java.lang.Integer(0))
            partition.setPartitionIndex(0).setLeaderId(0).setReplicaNodes(nodes).setIsrNodes(nodes)
            topic.partitions().add(partition)
        data.topics().add(topic)
        response = self.java(f"{_COMMON}.requests.MetadataResponse")(data, jpype.JShort(9))
        self.known.update(asked_at, response, False, jpype.JLong(1))

    def seen(self) -> list[Any]:
        try:
            self.known.maybeThrowExceptionForTopic("t")
            told = None
        except jpype.JException as error:
            told = str(error.getClass().getName())
        invalid = [str(topic) for topic in self.known.fetch().invalidTopics()]
        return [bool(self.known.updateRequested()), told, invalid]


@pytest.fixture(params=["port", "3.2.3", "3.8.0", "4.4.0"])
def metadata(request: pytest.FixtureRequest, java: object) -> Metadata:
    del java  # which starts the JVM
    made: Metadata = Port() if request.param == "port" else Real(request.param)
    made.add("t")
    return made


@pytest.mark.parametrize("code", [INVALID, UNAUTHORIZED])
def test_newer_metadata_forget_what_older_ones_told(metadata: Metadata, code: int) -> None:
    error = {INVALID: "InvalidTopicException", UNAUTHORIZED: "TopicAuthorizationException"}[code]
    metadata.come(code, metadata.ask())
    invalid = ["t"] if code == INVALID else []
    assert metadata.seen() == [False, f"{_COMMON}.errors.{error}", invalid]
    assert metadata.seen() == [False, None, invalid]  # it is told once
    metadata.come(code, metadata.ask())
    metadata.come(NONE, metadata.ask())
    assert metadata.seen() == [False, None, []]


def test_metadata_that_were_asked_for_before_a_topic_was_new_are_not_enough(
    metadata: Metadata,
) -> None:
    asked_at = metadata.ask()
    metadata.add("u")
    metadata.come(NONE, asked_at)
    assert metadata.seen() == [True, None, []]
    metadata.come(NONE, metadata.ask())
    assert metadata.seen() == [False, None, []]


def test_what_is_asked_for_again_meanwhile_is_not_wanted_twice(metadata: Metadata) -> None:
    asked_at = metadata.ask()
    metadata.ask()
    metadata.come(NONE, asked_at)
    assert metadata.seen() == [False, None, []]
