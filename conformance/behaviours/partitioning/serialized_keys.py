"""Keys as programs use them (text, numbers, UUIDs), through Kafka's own serializers.

Vocabulary: ``{"op": "serialize", "type", "value", "partitions"}``; the answer is the list of the
serialized bytes followed by the partition, or null for a null value. 64-bit values are decimal
strings, doubles the 16 hex digits of their bits, UUIDs their text: lossless in any JSON reader.
"""

import math
import sys
from collections.abc import Callable, Iterator
from typing import Any
from unicodedata import is_normalized
from uuid import UUID

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.partitioning.dimensions.serialized import (
    ACROSS,
    CODE_POINT,
    DOUBLE,
    INTEGER,
    LONE_SURROGATE,
    LONG,
    TEXT_LENGTH,
    UUID_BITS,
)
from conformance.behaviours.partitioning.keyed import KEY_WAYS, JavaKeyed, has_partition_for_key
from conformance.behaviours.partitioning.meanings import KEYS_MOVE
from conformance.model.behaviour import Behaviour, PortPerformer, Reader, stateless
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.port import Port
from conformance.model.program import NULL, Argument, Linker, Mode, double, integer, long, slot
from conformance.model.trace import Answer, Trace
from conformance.model.values import float_of
from conformance.model.ways import Limit, Member
from conformance.oracle.kafka import KafkaProgram
from conformance.oracle.kafka_classes import BYTES, COMMON, STRING
from conformance.strategies.partitioning.serialized_cases import serialized_cases
from conformance.utf16 import has_lone_surrogate, joined

_SERIALIZATION = f"{COMMON}.serialization"
_UUID = "java.util.UUID"
# Our name of a type: the Java serializer, and the type that its serialize method takes.
_SERIALIZERS = {
    "string": ("StringSerializer", STRING),
    "integer": ("IntegerSerializer", "java.lang.Integer"),
    "long": ("LongSerializer", "java.lang.Long"),
    "double": ("DoubleSerializer", "java.lang.Double"),
    "uuid": ("UUIDSerializer", _UUID),
    "byte_array": ("ByteArraySerializer", BYTES),
    "bytes": ("BytesSerializer", f"{COMMON}.utils.Bytes"),
}

_PORTED_AS = {"byte_array": "bytes"}


class SerializedKeys(Behaviour):
    """The bytes of a key of each type, and its partition."""

    name = "serialized-keys"
    summary = "String, Integer, Long, Double, UUID and byte[] keys through Kafka's serializers"
    ways = KEY_WAYS
    limits = (Limit(Member(f"{_SERIALIZATION}.UUIDSerializer"), "uuid keys"),)  # 2.1 (KIP-206)
    meaning = f"The same value becomes different bytes than in Java's serializer. {KEYS_MOVE}"
    about_keys = True
    operations = ("serialize",)
    interesting = {
        **{kind: f"a key for {name}" for kind, (name, _) in _SERIALIZERS.items()},
        "null value": "serializers keep null",
        "long text": "text of 100 characters or more",
        "NUL or byte order mark": "characters that text libraries like to drop",
        "not normalized": "text that Unicode normalization would change",
        "infinity": "a double without end",
        "subnormal": "a double below the smallest normal one",
        "negative zero": "-0.0, which equals 0.0 and is written otherwise",
        "beyond 2^53": "a long that no double holds",
        "lone surrogate": "text that UTF-8 cannot hold: Java writes a question mark",
        "NaN": "every NaN is written as the same one",
        "negative number": "an integer or a long below 0",
    }

    dimensions = (
        *(TEXT_LENGTH, CODE_POINT, ACROSS, LONE_SURROGATE, INTEGER, LONG, DOUBLE, UUID_BITS),
    )

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Values of each type."""
        return serialized_cases()

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        for operation in case["steps"]:
            kind, value = operation["type"], operation["value"]
            yield kind
            if value is None:
                yield "null value"
            elif kind == "string":
                yield from _text_labels(value)
            elif kind == "double":
                yield from _double_labels(float_of(value))
            elif kind in ("integer", "long"):
                if int(value) < 0:
                    yield "negative number"
                if abs(int(value)) > 2**53:
                    yield "beyond 2^53"

    def java_method(self, client: ClientVersion, operation: Operation) -> str:
        return f"{_SERIALIZATION}.{_SERIALIZERS[operation['type']][0]}.serialize"

    def java(self, client: ClientVersion, link: Linker) -> "_JavaSerialized":
        return _JavaSerialized(link, bare_counts=has_partition_for_key(client))

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        serializers = implementation.serializers

        def call(operation: Operation) -> Answer:
            kind = operation["type"]
            serialize = getattr(serializers, f"serialize_{_PORTED_AS.get(kind, kind)}")
            data = serialize(_python_value(kind, operation["value"]))
            if data is None:
                return None
            return [*data, implementation.partition_for_key(data, operation["partitions"])]

        return stateless(call)


class _JavaSerialized(JavaKeyed):
    """Serializes with the real serializer and asks for the partition of its bytes."""

    def __init__(self, link: Linker, *, bare_counts: bool) -> None:
        super().__init__(link, bare_counts=bare_counts)
        self._serializers = {}
        for kind, (name, value) in _SERIALIZERS.items():
            class_name = f"{_SERIALIZATION}.{name}"
            if not link.has(class_name):
                continue  # UUIDs before 2.1, which no case then has
            self._serializers[kind] = (
                link.constructor(class_name),
                link.method(class_name, "serialize", STRING, value),
            )
        self._uuid = link.method(_UUID, "fromString", STRING)
        self._bytes = link.method(f"{COMMON}.utils.Bytes", "wrap", BYTES)

    def program(self, case: Case) -> KafkaProgram:
        program = KafkaProgram(self._symbols)
        subject = self.new_partitioner(program)
        topic = program.topic("t")
        for index, operation in enumerate(case["steps"]):
            kind, value = operation["type"], operation["value"]
            new, serialize = self._serializers[kind]
            serializer, data = program.new_slot(), program.new_slot()
            program.call(new, into=serializer)
            argument = self._argument(program, kind, value)
            program.call(serialize, slot(serializer), topic, argument, mode=Mode.ANSWER, into=data)
            if value is not None:
                self.ask_count(program, subject, slot(data), operation["partitions"], index)
        return program

    def trace(self, case: Case, results: Reader) -> Trace:
        trace: Trace = []
        for operation in case["steps"]:
            data = results.answer()
            if operation["value"] is not None:
                data = [*data, results.answer()]
            trace.append({"answer": data})
        return trace

    def _argument(self, program: KafkaProgram, kind: str, value: Any) -> Argument:
        if value is None:
            return NULL
        encode: dict[str, Callable[[Any], Argument]] = {
            "integer": integer,
            "long": lambda digits: long(int(digits)),
            "double": lambda bits: double(float_of(bits)),
            "byte_array": program.data,
            "string": program.text,
        }
        if kind in encode:
            return encode[kind](value)
        made = program.new_slot()
        if kind == "uuid":
            program.call(self._uuid, NULL, program.text(value), into=made)
        else:
            program.call(self._bytes, NULL, program.data(value), into=made)
        return slot(made)


def _text_labels(text: str) -> Iterator[str]:
    # A pair of halves is one character, as in Java and after a round trip through JSON.
    text = joined(text)
    if has_lone_surrogate(text):
        yield "lone surrogate"
    elif not is_normalized("NFC", text):
        yield "not normalized"
    if len(text) >= 100:
        yield "long text"
    if "\0" in text or "\ufeff" in text:
        yield "NUL or byte order mark"


def _double_labels(value: float) -> Iterator[str]:
    if math.isnan(value):
        yield "NaN"
    elif math.isinf(value):
        yield "infinity"
    elif value == 0:
        if math.copysign(1, value) < 0:
            yield "negative zero"
    elif abs(value) < sys.float_info.min:
        yield "subnormal"


def _python_value(kind: str, value: Any) -> Any:
    if value is None:
        return None
    convert: dict[str, Callable[[str], Any]] = {"long": int, "double": float_of, "uuid": UUID}
    return convert[kind](value) if kind in convert else value
