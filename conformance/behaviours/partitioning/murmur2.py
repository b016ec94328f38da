"""The hash behind every keyed record, and the mask that makes it an index.

Vocabulary: ``{"op": "murmur2", "key"}`` hashes bytes (null is answered by an error),
``{"op": "toPositive", "number"}`` clears the sign bit of an int32.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.partitioning.dimensions.keys import (
    KEY_LENGTH,
    KEY_TAIL,
    KEYS_ALIKE,
    NULS,
)
from conformance.behaviours.partitioning.meanings import KEYS_MOVE
from conformance.behaviours.partitioning.python_types import SHORT, asked_in_python, other_buffers
from conformance.model.behaviour import Behaviour, JavaPerformer, PortPerformer, stateless
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.port import Port
from conformance.model.program import NULL, Linker, Mode, Program, integer
from conformance.model.trace import Answer, Trace
from conformance.model.values import is_error
from conformance.model.ways import Member, Way
from conformance.oracle.kafka_classes import BYTES, UTILS
from conformance.strategies.integers import INT32_MIN
from conformance.strategies.keys import MEBIBYTE
from conformance.strategies.partitioning.keyed_cases import hash_cases


class Murmur2(Behaviour):
    """``Utils.murmur2`` and ``Utils.toPositive``."""

    name = "murmur2"
    summary = "the 32-bit hash of a key's bytes, and the mask that clears its sign"
    ways = (Way(f"{UTILS}.murmur2", (Member(UTILS, "murmur2"),)),)
    meaning = f"The hash differs from Java's. {KEYS_MOVE}"
    about_keys = True
    operations = ("murmur2", "toPositive")
    interesting = {
        "empty key": "no bytes at all",
        "null key": "no key: NullPointerException",
        "tail of 1": "a length of 1 modulo 4",
        "tail of 2": "a length of 2 modulo 4",
        "tail of 3": "a length of 3 modulo 4",
        "high bit in the tail": "a byte of 0x80 or more after the last whole word",
        "high bit in the body": "a byte of 0x80 or more in a whole word",
        "negative hash": "the hash is below 0",
        "hash 0": "the hash is exactly 0",
        "hash -2^31": "the one hash that has no absolute value in int32",
        "long key": "256 bytes or more",
        "1 MiB key": "a mebibyte or more",
        "toPositive of -2^31": "a mask answers 0, an absolute value does not",
    }

    dimensions = (KEY_LENGTH, KEY_TAIL, NULS, KEYS_ALIKE)

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Keys and numbers, several a case."""
        return hash_cases()

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        for operation, step in zip(case["steps"], trace, strict=True):
            if operation["op"] == "murmur2":
                yield from hash_labels(operation["key"], step["answer"])
            elif operation["number"] == INT32_MIN:
                yield "toPositive of -2^31"

    def java_method(self, client: ClientVersion, operation: Operation) -> str:
        return f"{UTILS}.{operation['op']}"

    def java(self, client: ClientVersion, link: Linker) -> "_JavaMurmur2":
        return _JavaMurmur2(link)

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        def call(operation: Operation) -> Answer:
            if operation["op"] == "toPositive":
                return implementation.to_positive(operation["number"])
            key = operation["key"]
            hashed = implementation.murmur2(key)
            if key is None or len(key) > SHORT:
                return hashed
            wrong: tuple[Any, ...] = ("text", len(key), list(key))
            return asked_in_python(
                hashed,
                (partial(implementation.murmur2, buffer) for buffer in other_buffers(key)),
                (partial(implementation.murmur2, one) for one in wrong),
            )

        return stateless(call)


class _JavaMurmur2(JavaPerformer):
    def __init__(self, link: Linker) -> None:
        self._murmur2 = link.method(UTILS, "murmur2", BYTES)
        self._to_positive = link.method(UTILS, "toPositive", "int")

    def program(self, case: Case) -> Program:
        program = Program()
        for operation in case["steps"]:
            if operation["op"] == "murmur2":
                key = program.data(operation["key"])
                program.call(self._murmur2, NULL, key, mode=Mode.ANSWER)
            else:
                number = integer(operation["number"])
                program.call(self._to_positive, NULL, number, mode=Mode.ANSWER)
        return program


def hash_labels(key: bytes | None, hashed: Any) -> Iterator[str]:
    """Classes of one key and its hash."""
    if key is None or is_error(hashed):
        yield "null key"
        return
    tail = len(key) % 4
    if not key:
        yield "empty key"
    if tail:
        yield f"tail of {tail}"
        if max(key[-tail:]) >= 0x80:
            yield "high bit in the tail"
    if len(key) >= 4 and max(key[: len(key) - tail]) >= 0x80:
        yield "high bit in the body"
    if hashed < 0:
        yield "hash -2^31" if hashed == INT32_MIN else "negative hash"
    elif hashed == 0:
        yield "hash 0"
    if len(key) >= 256:
        yield "1 MiB key" if len(key) >= MEBIBYTE else "long key"
