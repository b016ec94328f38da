"""Keys as programs have them (text, numbers, UUIDs), through Kafka's own serializers.

Vocabulary: ``{"op": "serialize", "type", "value", "partitions"}``; the answer is the list of the
serialized bytes followed by the partition, or null for a null value. 64-bit values are decimal
strings, doubles the 16 hex digits of their bits, UUIDs their text: lossless in any JSON reader.
"""

import struct
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

from hypothesis.strategies import SearchStrategy

from conformance.behaviour import Behaviour, PortPerformer, Reader, stateless
from conformance.behaviours.keyed import JavaKeyed, has_partition_for_key
from conformance.case import Case, Operation
from conformance.clients import ClientVersion
from conformance.oracle.kafka import BYTES, COMMON, STRING, KafkaProgram
from conformance.oracle.program import NULL, Argument, Linker, Mode, double, integer, long, slot
from conformance.strategies.keyed_cases import serialized_cases
from conformance.trace import Answer, Trace

_SERIALIZATION = f"{COMMON}.serialization"
_UUID = "java.util.UUID"
# Our name of a type: the Java serializer, and the type that its serialize method takes.
_SERIALIZERS = {
    "string": ("StringSerializer", STRING),
    "integer": ("IntegerSerializer", "java.lang.Integer"),
    "long": ("LongSerializer", "java.lang.Long"),
    "double": ("DoubleSerializer", "java.lang.Double"),
    "uuid": ("UUIDSerializer", _UUID),
    "bytes": ("ByteArraySerializer", BYTES),
}


class SerializedKeys(Behaviour):
    """What a key of each type becomes, and where it then goes."""

    name = "serialized-keys"
    summary = "String, Integer, Long, Double, UUID and byte[] keys through Kafka's serializers"
    weight = 0.5
    interesting = {
        **{kind: f"a key for {name}" for kind, (name, _) in _SERIALIZERS.items()},
        "null value": "serializers keep null",
        "lone surrogate": "text that UTF-8 cannot hold: Java writes a question mark",
        "NaN": "every NaN is written as the same one",
        "negative number": "an integer or a long below 0",
    }

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Values of each type."""
        del client
        return serialized_cases()

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        """See :class:`Behaviour`."""
        for operation in case["steps"]:
            kind, value = operation["type"], operation["value"]
            yield kind
            if value is None:
                yield "null value"
            elif kind == "string" and any("\ud800" <= char <= "\udfff" for char in value):
                yield "lone surrogate"
            elif kind == "double" and _double(value) != _double(value):
                yield "NaN"
            elif kind in ("integer", "long") and int(value) < 0:
                yield "negative number"

    def java(self, client: ClientVersion, link: Linker) -> "_JavaSerialized":
        """See :class:`Behaviour`."""
        return _JavaSerialized(link, bare_counts=has_partition_for_key(client))

    def port(self, client: ClientVersion, implementation: Any) -> PortPerformer:
        """See :class:`Behaviour`."""
        del client
        serializers = implementation.serializers

        def call(operation: Operation) -> Answer:
            kind = operation["type"]
            serialize = getattr(serializers, f"serialize_{kind}")
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
            self._serializers[kind] = (
                link.constructor(class_name),
                link.method(class_name, "serialize", STRING, value),
            )
        self._uuid = link.method(_UUID, "fromString", STRING)

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
                partitions = [[number, 0] for number in range(operation["partitions"])]
                snapshots = {index: [("t", partitions)]}
                cluster = program.cluster(snapshots, index)
                self.ask(program, subject, topic, slot(data), cluster)
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
            "double": lambda bits: double(_double(bits)),
            "bytes": program.data,
            "string": program.text,
        }
        if kind in encode:
            return encode[kind](value)
        uuid = program.new_slot()
        program.call(self._uuid, NULL, program.text(value), into=uuid)
        return slot(uuid)


def _double(bits: str) -> float:
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    return float(value)


def _python_value(kind: str, value: Any) -> Any:
    if value is None:
        return None
    convert: dict[str, Callable[[str], Any]] = {"long": int, "double": _double, "uuid": UUID}
    return convert[kind](value) if kind in convert else value
