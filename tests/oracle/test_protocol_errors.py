"""Error codes of Kafka's protocol: those of each version's ``Errors``, one by one."""

from typing import Any

import pytest

import python_impl
from conformance.clients.versions import CLIENT_VERSIONS
from conformance.model.client_version import ClientVersion
from conformance.model.port import release_of
from conformance.oracle.kafka_classes import COMMON
from tests.releases import fresh

NONE = 0


@pytest.mark.parametrize("client", CLIENT_VERSIONS, ids=str)
def test_each_code_is_what_it_is_in_java(client: ClientVersion) -> None:
    java = fresh(client)
    retriable, invalid = (
        java.java_class(f"{COMMON}.errors.{name}Exception").class_
        for name in ("Retriable", "InvalidMetadata")
    )
    theirs = {
        int(error.code()): (
            str(error.name()),
            str(error.exception().getClass().getName()),
            bool(retriable.isInstance(error.exception())),
            bool(invalid.isInstance(error.exception())),
        )
        for error in java.java_class(f"{COMMON}.protocol.Errors").values()
        if error.code() != NONE
    }
    release: Any = release_of(python_impl, client)
    producer = release.KafkaProducer
    for known in (producer.sender_class.errors, producer.transactions_class.errors):
        ours = {
            error.code: (error.name, error.java_class, error.retriable, error.invalid_metadata)
            for error in known.values()
        }
        assert ours == theirs
