"""A batch of magic 2, byte for byte, and what its builder says while it grows.

Vocabulary of a case. 64-bit numbers are decimal strings, -1 stands for none:

- ``config``: ``codec``; ``log_append_time`` (null: records keep their own times);
  ``base_offset``; ``producer_id``, ``epoch``, ``sequence``, ``transactional``; ``control``;
  ``leader_epoch`` (null: the broker writes it, so it is not compared); ``limit`` (bytes);
  ``ratio``, the expected compression (the bits of a double, or null).
- ``{"op": "append", "times", "timestamp", "key", "value", "headers"}``, ``{"op": "append at",
  "offset", ...}`` and, in control batches, ``{"op": "marker", "timestamp", "commit",
  "coordinator_epoch"}``: a record is written.
- ``{"op": "has room", "timestamp", "key", "value", "headers"}``: would it fit?
- ``{"op": "producer state", ...}``, ``{"op": "reopen", ...}`` (of a batch that was closed), with
  the four members of the config; ``{"op": "last offset", "offset"}``.
- ``{"op": "close for appends"}``, ``{"op": "abort"}``; ``{"op": "build"}`` answers the bytes;
  ``{"op": "ratio"}`` the compressed part of each byte of records, a double.

After each step ``state`` says how many records the batch has, its estimated size and its size
before compression (bytes), and whether it is full and closed. Two writers of one codec may write
other bytes for the same records. So a compressed batch is answered as a list: whether its length
and its CRC are right, its header without these two, whether snappy is framed as snappy-java does
it, and its records after decompression; its size once it is closed, and its ratio, are null.
"""

from collections.abc import Iterator
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.records.batch_operations import OPERATIONS, producer_state
from conformance.behaviours.records.contents import (
    ALL_CODECS,
    CONTENT_CLASSES,
    CONTENT_DIMENSIONS,
    ContentSymbols,
    content_labels,
)
from conformance.behaviours.records.meanings import BYTES as BYTES_MEANING
from conformance.behaviours.records.places import place_in_batch
from conformance.behaviours.records.unpacking import most_bytes_of, shown_batch
from conformance.model.behaviour import Behaviour, JavaPerformer, PortPerformer, Reader
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.dimension import numbers
from conformance.model.port import BatchRelease, Port, release_of
from conformance.model.program import (
    NULL,
    Linker,
    Mode,
    Program,
    boolean,
    double,
    integer,
    long,
    slot,
)
from conformance.model.trace import Answer, Step, Trace, answer_of
from conformance.model.values import float_of, is_error
from conformance.model.ways import Way
from conformance.oracle.internals import BATCH_WRITER, add_batch_writer
from conformance.oracle.kafka_classes import RECORDS_BUILDER, STRING
from conformance.strategies.integers import INT32_MAX
from conformance.strategies.records.batch_cases import NOW, batch_cases
from conformance.strategies.records.ratio_cases import CODECS
from conformance.strategies.records.wire import OVERHEAD

_STATE: Final = ("records", "estimated size", "uncompressed size", "full", "closed")
_NEW: Final = (
    *(STRING, "int", "long", "long"),
    *("long", "int", "int", "boolean"),
    *("boolean", "int", "int"),
)
"""The parameters of our ``BatchWriter``."""


class RecordBatch(Behaviour):
    """``MemoryRecordsBuilder``, from the first record to the bytes."""

    name = "record-batch"
    summary = "a batch byte for byte; estimated sizes, room, producer state and markers on the way"
    ways = (Way(f"{RECORDS_BUILDER}.build", ALL_CODECS, since="2.1"),)
    arrived = "asked since 2.1, which brought zstd (KIP-110)"
    meaning = BYTES_MEANING
    operations = tuple(OPERATIONS)
    typed = True
    weight = 1.0
    interesting = {
        **CONTENT_CLASSES,
        "no records": "a batch without records, which has no bytes",
        "several records": "a batch of several records",
        "thousands of records": "a batch of more than 8,192 records: offsets take three bytes",
        **{codec: f"records compressed by {codec}" for codec in CODECS if codec != "none"},
        "log append time": "the broker's time stands for those of all records",
        "timestamp goes backwards": "a record that is older than the batch's first one",
        "far timestamps": "times in one batch that are more than 2^31 ms apart",
        "farthest timestamps": "-1 and 2^63 - 1 in one batch: their difference wraps",
        "no timestamp": "a record without time, -1",
        "gap": "an offset that is more than one beyond the last",
        "beyond the offsets": "an offset that is more than 2^31 - 1 beyond the first: refused",
        "refused": "a step that is answered by an error",
        "marker": "the end of a transaction",
        "transactional": "a batch of a transaction",
        "idempotent": "a batch with a producer id",
        "no room": "one more record would not fit",
        "full": "a batch that has reached its limit",
        "expected ratio": "records to be compressed, with an expectation",
        "aborted": "a batch that is given up",
        "reopened": "a closed batch that gets other producer state",
        "last offset": "a batch that ends after its last record",
    }
    dimensions = (
        *CONTENT_DIMENSIONS,
        numbers(
            "records",
            "records of a case's batch, refused ones included",
            (0, 1, 2, 3, 4, 8, 65, 128, 8192),
            lambda case: (_asked(case),),
        ),
        numbers(
            "limit",
            "bytes that the batch may have",
            (0, 61, 62, 101, 1000, 16383, 16384, 2**31 - 1),
            lambda case: (case["config"]["limit"],),
        ),
        numbers(
            "time since",
            "ms between a record and the time near which most are",
            (-(2**63), -(2**31), 0, 1, 64, 8192, 2**31),
            lambda case: (
                int(step["timestamp"]) - NOW for step in case["steps"] if "timestamp" in step
            ),
        ),
    )

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """A batch at a time, most of them built at the end."""
        return batch_cases()

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        yield from _config_labels(case)
        yield from _time_labels(case, trace)
        yield from _offset_labels(case, trace)
        for operation, step in zip(case["steps"], trace, strict=True):
            yield from _labels(operation, step)
        counts = [step["state"]["records"] for step in trace]
        if counts[-1] == 0:
            yield "no records"
        elif counts[-1] > 8192:
            yield "thousands of records"
        elif counts[-1] > 1:
            yield "several records"
        if case["config"]["codec"] != "none" and counts[-1]:
            yield case["config"]["codec"]

    def place(self, operation: Operation, expected: Answer, answered: Answer) -> str:
        return place_in_batch(expected, answered)

    def as_compared(self, case: Case, trace: Trace) -> Trace:
        """Batches, which a testee answers as bytes, as they are compared."""
        compared: Trace = []
        for operation, step in zip(case["steps"], trace, strict=True):
            seen: Step = {**step, "answer": _seen_answer(case, operation, step["answer"])}
            if "state" in seen:
                seen["state"] = _seen_state(case, seen["state"])
            compared.append(seen)
        return compared

    def java_method(self, client: ClientVersion, operation: Operation) -> str:
        return f"{RECORDS_BUILDER}.{OPERATIONS[operation['op']].java_method}"

    def java(self, client: ClientVersion, link: Linker) -> "_JavaBatch":
        return _JavaBatch(link)

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        release: BatchRelease = release_of(implementation, client)

        def perform(case: Case) -> Trace:
            batch = release.MemoryRecordsBuilder(**_on_port(case["config"], implementation))
            if case["config"]["ratio"] is not None:
                batch.set_estimated_compression_ratio(float_of(case["config"]["ratio"]))
            trace: Trace = []
            for operation in case["steps"]:
                performed = OPERATIONS[operation["op"]]
                answer = answer_of(performed.perform, implementation, batch, operation)
                state = [
                    batch.num_records,
                    batch.estimated_size_in_bytes,
                    batch.uncompressed_bytes_written,
                    int(batch.is_full),
                    int(batch.is_closed),
                ]
                trace.append(_seen(case, operation, answer, state))
            return trace

        return perform


class _JavaBatch(JavaPerformer):
    def __init__(self, link: Linker) -> None:
        add_batch_writer(link)
        self._contents = ContentSymbols(link)
        self._new = link.constructor(BATCH_WRITER, *_NEW)
        self._expect = link.method(BATCH_WRITER, "expectRatio", "double")
        self._state = link.method(BATCH_WRITER, "state")
        self._asked = {name: performed.link(link) for name, performed in OPERATIONS.items()}

    def program(self, case: Case) -> Program:
        program, config = Program(), case["config"]
        batch = program.new_slot()
        producer_id, epoch, sequence, transactional = producer_state(config)
        by_broker = config["log_append_time"]
        program.call(
            self._new,
            NULL,
            program.text(config["codec"]),
            integer(int(by_broker is not None)),
            long(int(config["base_offset"])),
            long(-1 if by_broker is None else int(by_broker)),
            *(long(producer_id), integer(epoch), integer(sequence), boolean(transactional)),
            *(boolean(config["control"]), integer(_leader_epoch(config))),
            integer(config["limit"]),
            into=batch,
        )
        if config["ratio"] is not None:
            program.call(self._expect, slot(batch), double(float_of(config["ratio"])))
        for operation in case["steps"]:
            name = operation["op"]
            arguments = OPERATIONS[name].arguments(program, self._contents, operation)
            program.call(self._asked[name], slot(batch), *arguments, mode=Mode.ANSWER)
            program.call(self._state, slot(batch), mode=Mode.OBSERVE)
        return program

    def trace(self, case: Case, results: Reader) -> Trace:
        return [
            _seen(case, operation, results.answer(), results.answer())
            for operation in case["steps"]
        ]


def _on_port(config: dict[str, Any], implementation: Port) -> dict[str, Any]:
    """The arguments of a port's builder; those that are as by default are left out."""
    producer_id, epoch, sequence, transactional = producer_state(config)
    types = implementation.records.TimestampType
    by_broker = config["log_append_time"]
    wanted = {
        "compression": (config["codec"], "none"),
        "timestamp_type": (
            types.CREATE_TIME if by_broker is None else types.LOG_APPEND_TIME,
            types.CREATE_TIME,
        ),
        "log_append_time": (-1 if by_broker is None else int(by_broker), -1),
        "base_offset": (int(config["base_offset"]), 0),
        "producer_id": (producer_id, -1),
        "producer_epoch": (epoch, -1),
        "base_sequence": (sequence, -1),
        "is_transactional": (transactional, False),
        "is_control_batch": (config["control"], False),
        "partition_leader_epoch": (_leader_epoch(config), -1),
        "write_limit": (config["limit"], 2**31 - 1),
    }
    return {name: value for name, (value, default) in wanted.items() if value != default}


def _leader_epoch(config: dict[str, Any]) -> int:
    """-1 for none, also where it is not compared."""
    return -1 if config["leader_epoch"] is None else int(config["leader_epoch"])


def _seen(case: Case, operation: Operation, answer: Answer, state: list[Any]) -> Step:
    """A step as it is compared; see the module for what a compressed batch shows."""
    told = dict(zip(_STATE, state, strict=True))
    return {"answer": _seen_answer(case, operation, answer), "state": _seen_state(case, told)}


def _seen_state(case: Case, state: dict[str, Any]) -> dict[str, Any]:
    if case["config"]["codec"] != "none" and state.get("closed"):
        return {**state, "estimated size": None}
    return state


def _seen_answer(case: Case, operation: Operation, answer: Answer) -> Answer:
    codec = case["config"]["codec"]
    if operation["op"] == "ratio" and codec != "none":
        return None
    if operation["op"] != "build" or not isinstance(answer, bytes) or len(answer) < OVERHEAD:
        return answer
    if case["config"]["leader_epoch"] is None:
        answer = answer[:12] + bytes(4) + answer[16:]
    return answer if codec == "none" else shown_batch(answer, most_bytes_of(case["steps"]))


def _asked(case: Case) -> int:
    """How many records a case asks for."""
    writes = ("append", "append at", "marker")
    return sum(step.get("times", 1) for step in case["steps"] if step["op"] in writes)


def _config_labels(case: Case) -> Iterator[str]:
    config = case["config"]
    if config["log_append_time"] is not None:
        yield "log append time"
    if config["ratio"] is not None and config["codec"] != "none":
        yield "expected ratio"
    if config["producer_id"] != "-1":
        yield "idempotent"
    if config["transactional"]:
        yield "transactional"


def _offset_labels(case: Case, trace: Trace) -> Iterator[str]:
    base = int(case["config"]["base_offset"])
    following, records = base, 0
    for operation, step in zip(case["steps"], trace, strict=True):
        written, records = step["state"]["records"] - records, step["state"]["records"]
        if "offset" not in operation:
            following += written
            continue
        offset = int(operation["offset"])
        if operation["op"] == "append at":
            if offset - base > INT32_MAX:
                yield "beyond the offsets"
            elif written and offset > following:
                yield "gap"
        if not is_error(step["answer"]):
            following = offset + 1


def _time_labels(case: Case, trace: Trace) -> Iterator[str]:
    times = [
        int(operation["timestamp"])
        for operation, step in zip(case["steps"], trace, strict=True)
        if operation["op"] in ("append", "append at", "marker") and not is_error(step["answer"])
    ]
    if any(time == -1 for time in times):
        yield "no timestamp"
    if any(time < times[0] for time in times):
        yield "timestamp goes backwards"
    if times and max(times) - min(times) > 2**31:
        yield "farthest timestamps" if max(times) - times[0] >= 2**63 else "far timestamps"


def _labels(operation: Operation, step: Step) -> Iterator[str]:
    name, answer = operation["op"], step["answer"]
    if "key" in operation:
        yield from content_labels(operation)
    if step["state"]["full"] and not step["state"]["closed"]:
        yield "full"
    if is_error(answer):
        yield "refused"
    elif name == "has room" and answer == 0:
        yield "no room"
    elif name == "marker":
        yield "marker"
    elif name == "abort":
        yield "aborted"
    elif name == "reopen":
        yield "reopened"
    elif name == "last offset":
        yield "last offset"
