"""What the real ProducerConfig refuses, the port's settings refuse; the defaults are the same."""

import dataclasses
from typing import Any

import pytest

from conformance.clients.versions import CLIENT_VERSIONS, client_named
from python_impl.errors import JavaConfigError
from python_impl.producer import ProducerSettings
from python_impl.producer.producer_settings import kafka_name, knows
from tests.releases import fresh

VERSIONS = pytest.mark.parametrize("version", [client.version for client in CLIENT_VERSIONS])
NUMBERS = (
    *("batch.size", "buffer.memory", "linger.ms", "max.block.ms", "max.request.size", "retries"),
    *("max.in.flight.requests.per.connection", "request.timeout.ms", "retry.backoff.ms"),
    *("delivery.timeout.ms", "partitioner.availability.timeout.ms", "retry.backoff.max.ms"),
)
BOOLEANS = ("partitioner.adaptive.partitioning.enable", "partitioner.ignore.keys")
EDGES = (-2, -1, 0, 1, 2, 2**31 - 1, 2**31)


def config(version: str, settings: dict[str, str], *, fresh_idempotence: bool = False) -> Any:
    """A real ``ProducerConfig``; raises a JPype exception for what it refuses.

    Idempotence is off unless it is named, or left to the client.
    """
    client = fresh(client_named(version))
    values = client.java_class("java.util.HashMap")()
    serializer = "org.apache.kafka.common.serialization.ByteArraySerializer"
    # Kafka looks classes of its configuration up in the thread's loader.
    thread = client.java_class("java.lang.Thread").currentThread()
    before = thread.getContextClassLoader()
    more = {"key.serializer": serializer, "value.serializer": serializer}
    off = {} if fresh_idempotence else {"enable.idempotence": "false"}
    for name, value in {**off, **more, **settings}.items():
        values.put(name, value)
    values.put("bootstrap.servers", "127.0.0.1:1")
    thread.setContextClassLoader(client.loader)
    try:
        return client.java_class("org.apache.kafka.clients.producer.ProducerConfig")(values)
    finally:
        thread.setContextClassLoader(before)


def refused_by_java(
    version: str, settings: dict[str, str], fresh_idempotence: bool = False
) -> bool:
    try:
        config(version, settings, fresh_idempotence=fresh_idempotence)
    except Exception as error:
        if "ConfigException" not in f"{type(error)} {error}":
            raise
        return True
    return False


def refused_by_port(version: str, settings: dict[str, str]) -> bool:
    try:
        ProducerSettings.of(settings, version)
    except JavaConfigError:
        return True
    return False


@VERSIONS
@pytest.mark.parametrize("name", NUMBERS)
def test_the_same_numbers_are_refused(version: str, name: str) -> None:
    for edge in EDGES:
        settings = {name: str(edge), "enable.idempotence": "false"}
        if name == "delivery.timeout.ms":
            # Whether it is long enough is asked of the producer, not of its configuration.
            settings |= {"linger.ms": "0", "request.timeout.ms": "0"}
        assert refused_by_port(version, settings) == refused_by_java(version, settings), settings


@VERSIONS
@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("acks", value) for value in ("all", "-1", "0", "1", "2", "-2", "")),
        *(
            ("linger.ms", value)
            for value in ("soon", "", "+5", "1_000", "5.0", "0x5", "\u0665", "\uff15", "\U0001d7d3")
        ),
        *(("retries", value) for value in (" 5\t", "\x015", "\u00a05", "--5", "+")),
        *(("retry.backoff.max.ms", value) for value in ("soon", "1_000")),
        *((name, value) for name in BOOLEANS for value in ("yes", "TRUE", " false ", "1")),
    ],
)
def test_the_same_words_are_refused(version: str, name: str, value: str) -> None:
    settings = {name: value}
    assert refused_by_port(version, settings) == refused_by_java(version, settings)


@pytest.mark.parametrize("version", ["3.8.0", "4.4.0"])
@pytest.mark.parametrize("value", ["none", "zstd", "brotli", ""])
def test_the_same_codecs_are_refused(version: str, value: str) -> None:
    # Earlier ones leave it to the producer that is made of them.
    settings = {"compression.type": value}
    assert refused_by_port(version, settings) == refused_by_java(version, settings)


@VERSIONS
def test_the_defaults_are_those_of_the_version(version: str) -> None:
    real = config(version, {})
    port = ProducerSettings.of({}, version)
    values = real.values()
    for name in NUMBERS:
        if name != "delivery.timeout.ms" and knows(version, name):
            assert getattr(port, name.replace(".", "_")) == int(str(values.get(name))), name
    for name in BOOLEANS:
        if knows(version, name):
            assert getattr(port, name.replace(".", "_")) == bool(values.get(name)), name
    assert port.delivery_timeout == int(str(values.get("delivery.timeout.ms")))
    acks = str(values.get("acks"))
    assert port.acks == (-1 if acks == "all" else int(acks))


@VERSIONS
def test_a_version_knows_the_settings_that_it_has(version: str) -> None:
    real = {str(name) for name in config(version, {}).values().keySet()}
    names = {kafka_name(field.name) for field in dataclasses.fields(ProducerSettings)}
    assert {name for name in names if knows(version, name)} == names & real


EXCLUDING = (
    *({"acks": value} for value in ("all", "0", "1")),
    *({"retries": value} for value in ("0", "1")),
    *({"max.in.flight.requests.per.connection": value} for value in ("5", "6")),
    {"retries": "0", "max.in.flight.requests.per.connection": "6"},
    {"acks": "1", "max.in.flight.requests.per.connection": "6"},
    {},
)


@pytest.mark.parametrize("version", ["3.2.3", "3.8.0", "4.4.0"])
@pytest.mark.parametrize("settings", EXCLUDING)
@pytest.mark.parametrize("asked", [None, "true", "false"])
def test_idempotence_is_on_and_refused_as_in_java(
    version: str, settings: dict[str, str], asked: str | None
) -> None:
    # None is what the settings of a fresh producer have: Java must not see the member at all.
    told = settings | ({} if asked is None else {"enable.idempotence": asked})
    assert refused_by_port(version, told) == refused_by_java(version, told, asked is None)
    if not refused_by_port(version, told):
        real = config(version, told, fresh_idempotence=asked is None).getBoolean(
            "enable.idempotence"
        )
        assert ProducerSettings.of(told, version).idempotent == bool(real)
