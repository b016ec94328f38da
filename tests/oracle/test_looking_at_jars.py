"""Looking at many jars at once: what is found, and that one jar costs the others nothing."""

import contextlib
import os
import re
from pathlib import Path
from typing import Any

import pytest

from conformance.errors import OracleError, SuiteError
from conformance.jars.lock import jars_of_client
from conformance.jars.store import JarStore
from conformance.model.settings import NO_DEFAULT, Setting
from conformance.oracle.looking import look_at_each
from conformance.oracle.serialized import serialized_by
from conformance.oracle.settings import settings_of
from tests.doctored import doctored

VERSIONS = ("2.3.1", "3.2.3", "3.8.0")


@pytest.fixture(scope="module")
def jars() -> list[list[Path]]:
    return [JarStore().ensure(jars_of_client(version)) for version in VERSIONS]


def test_defaults_are_those_of_kafkas_documentation(jars: list[list[Path]]) -> None:
    """As in the tables of producer settings of 2.3, 3.2 and 3.8."""
    documented = {
        "acks": ["1", "all", "all"],
        "enable.idempotence": ["false", "true", "true"],
        "linger.ms": ["0", "0", "0"],
        "batch.size": ["16384", "16384", "16384"],
        "partitioner.class": ["DefaultPartitioner", "DefaultPartitioner", "null"],
        "partitioner.adaptive.partitioning.enable": [None, None, "true"],
        "interceptor.classes": ["[]", "[]", "[]"],
        "client.id": ["", "", ""],
        "key.serializer": [NO_DEFAULT, NO_DEFAULT, NO_DEFAULT],
    }
    found = [one for one in settings_of(jars) if not isinstance(one, SuiteError)]
    assert len(found) == len(VERSIONS)
    for setting, values in documented.items():
        told = [one["producer"].get(setting) for one in found]
        assert [one and one.default for one in told] == values, setting
    assert found[-1]["producer"]["batch.size"] == Setting("INT", "16384", "[0,...]", "MEDIUM")
    assert found[-1]["consumer"]["fetch.min.bytes"] == Setting("INT", "1", "[0,...]", "HIGH")
    printed = [part for one in found for of in one.values() for two in of.values() for part in two]
    assert not [part for part in printed if re.search(r"@[0-9a-f]{4,}|Lambda.*0x", part)]


def version_or_death(java: Any) -> str:
    """What a client calls itself; 3.2.3 brings the process down."""
    if java.version == "3.2.3":
        os._exit(70)
    return str(java.version)


def test_a_jar_that_brings_the_jvm_down_takes_no_other_with_it(jars: list[list[Path]]) -> None:
    first, fatal, last = look_at_each(version_or_death, jars)
    assert (first, last) == ("2.3.1", "3.8.0")
    assert isinstance(fatal, OracleError)
    assert "its process exited with code 70" in fatal.what


def dies_in_the_end(java: Any) -> None:
    """However few classes it may load."""
    for name in ("A", "B", "C", "D", "E", "F"):
        with contextlib.suppress(SuiteError):
            java.has(f"org.apache.kafka.{name}")
    os._exit(70)


def test_a_jar_that_always_brings_the_jvm_down_is_given_up(jars: list[list[Path]]) -> None:
    [fatal] = look_at_each(dies_in_the_end, jars[:1])
    assert isinstance(fatal, OracleError)
    given_up = "kafka-clients-2.3.1.jar cannot be looked at: class org.apache.kafka.F: its process"
    assert fatal.what.startswith(f"{given_up} exited with code 70; class org.apache.kafka.E: ")


def test_a_jar_without_kafka_is_told_for_itself(jars: list[list[Path]]) -> None:
    slf4j = jars[0][1:]
    missing, there = settings_of([slf4j, jars[0]])
    assert isinstance(missing, SuiteError)
    assert not isinstance(there, SuiteError)


SHORT = "org.apache.kafka.common.serialization.ShortSerializer"
LITTLE_ENDIAN = """package org.apache.kafka.common.serialization;

public class ShortSerializer implements Serializer<Short> {
    public byte[] serialize(String topic, Short data) {
        return data == null ? null : new byte[] {data.byteValue(), (byte) (data >> 8)};
    }
}
"""


def test_every_serializer_is_asked_and_another_order_of_bytes_is_seen(
    tmp_path: Path, jars: list[list[Path]]
) -> None:
    *_, (real, *beside) = jars
    own = doctored(tmp_path / "own.jar", {SHORT: LITTLE_ENDIAN})
    before, after = serialized_by([[real, *beside], [own, *beside]])
    assert not isinstance(before, SuiteError)
    assert not isinstance(after, SuiteError)
    kinds = ("Boolean", "ByteArray", "ByteBuffer", "Bytes", "Double", "Float", "Integer", "List")
    kinds = (*kinds, "Long", "Short", "String", "UUID", "Void")
    assert before.keys() == after.keys() == {f"{kind}Serializer" for kind in kinds}
    # As Kafka's documentation has it: big-endian, in as many bytes as the type has.
    assert before["ShortSerializer"]["256"] == "0100"
    assert before["FloatSerializer"]["1.5"] == "3fc00000"
    assert before["BooleanSerializer"] == {"True": "01", "False": "00", "null": "null"}
    assert all(values for values in before.values())
    assert [name for name in before if before[name] != after[name]] == ["ShortSerializer"]
    assert after["ShortSerializer"]["256"] == "0001"


def test_a_broken_serializer_costs_itself_alone(tmp_path: Path, jars: list[list[Path]]) -> None:
    *_, (real, *beside) = jars
    failing = LITTLE_ENDIAN.replace("{", "{ static { if (true) throw new Error(); }", 1)
    own = doctored(tmp_path / "own.jar", {SHORT: failing})
    before, after = serialized_by([[real, *beside], [own, *beside]])
    assert not isinstance(before, SuiteError)
    assert not isinstance(after, SuiteError)
    broken = after["ShortSerializer"]
    assert isinstance(broken, SuiteError)
    assert broken.what.startswith(f"own.jar: class {SHORT} cannot be loaded")
    assert [name for name in before if before[name] != after[name]] == ["ShortSerializer"]
