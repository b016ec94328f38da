"""Batches that are read as a consumer reads them, whole and damaged, whoever wrote them.

Vocabulary. Each step has ``data``, the bytes of some batches one after the other. ``codec``,
``damage`` and ``odd`` (no client writes such numbers or names) tell how these were made; no subject
looks at them.

- ``{"op": "read", ...}`` answers a list: each batch, then ``"end"``, or ``"refused"`` if what
  follows the last one cannot be one. A batch that is cut off at the end is no batch. A batch whose
  checksum or codec is wrong is ``"refused"``; any other is a map of what its header says, and of
  its ``records``: ``[offset, timestamp, sequence, key, value, [[header key, value], ...]]``, up to
  ``"refused"`` where they are not what they say. A compressed batch then has no record before it:
  how many a reader has seen by then depends on its buffers.
- ``{"op": "columns", ...}`` answers the same records as rows of columns, which a reader of whole
  segments makes: offset, timestamp, sequence, key, value, headers, producer id and epoch, and
  whether the batch is transactional, and a control batch; ``"refused"`` if anything is.
- ``{"op": "records", ...}`` answers what a consumer hands to its user: ``[offset, timestamp, key,
  value, headers]`` of all records of batches that can be read whole, and not of control batches;
  then ``"refused"`` if it stopped at what it cannot read.
- ``{"op": "refusals", ...}`` answers why each batch is refused, or null for one that is not; then
  ``"end"``, or why what follows is refused. The reasons are names of Kafka's error codes, which
  every client knows: see :data:`REASONS`.
- ``{"op": "delete horizons", ...}`` answers from when on tombstones may go, for each batch whose
  checksum is right: a time in ms, or null (KIP-534).

The suite does not look into messages of formats 0 and 1: they are ``"refused"``.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any, ClassVar, Final

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.records.contents import ALL_CODECS
from conformance.behaviours.records.meanings import READING, TELLS_OF_READING
from conformance.behaviours.records.places import place_in_reading
from conformance.behaviours.records.refusals import END, REASONS, REFUSED, refusals, unless_refused
from conformance.model.behaviour import (
    Behaviour,
    JavaPerformer,
    PortPerformer,
    Reader,
    stateless,
)
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.dimension import Dimension, numbers
from conformance.model.port import Port
from conformance.model.program import NULL, Linker, Mode, Program
from conformance.model.trace import Answer, Step, Trace
from conformance.model.values import int64, mapping
from conformance.model.ways import Member, Way
from conformance.oracle.internals import BATCH_READER, add_batch_reader
from conformance.oracle.kafka_classes import BYTES, RECORDS
from conformance.strategies.records.reading_cases import (
    DAMAGES,
    HORIZONS,
    REFUSALS,
    reading_cases,
)
from conformance.strategies.records.wire import CODEC_IDS, OVERHEAD

_RECORD_BATCH: Final = f"{RECORDS}.RecordBatch"
_READ: Final = f"{RECORDS}.MemoryRecords.batches"
_HORIZON: Final = Member(_RECORD_BATCH, "deleteHorizonMs")


class BatchReading(Behaviour):
    """``MemoryRecords.batches``, ``ensureValid`` and ``streamingIterator``."""

    name = "batch-reading"
    summary = "batches and records as a consumer reads them; damage is refused where Java does"
    ways = (  # two, of which the first tells that a client knows delete horizons
        Way(_READ, (*ALL_CODECS, _HORIZON), since="3.1"),
        Way(f"{RECORDS}.DefaultRecordBatch.streamingIterator", ALL_CODECS, since="2.1"),
    )
    arrived = "asked since 2.1, which brought zstd (KIP-110)"
    meaning = READING
    operations: ClassVar[tuple[str, ...]] = ("read", "columns", "records", REFUSALS, HORIZONS)
    only_with: ClassVar = {HORIZONS: _HORIZON}
    words = (REFUSED, END, *REASONS)
    tells = TELLS_OF_READING
    typed = True
    weight = 1.0
    interesting = {
        **{codec: f"records compressed by {codec}" for codec in CODEC_IDS if codec != "none"},
        **{
            f"damage: {damage}": f"a batch with damage of the kind {damage!r}" for damage in DAMAGES
        },
        "undamaged": "batches without damage",
        "plain": "batches as a client writes them",
        "refused batch": "a batch with a wrong checksum, size or codec",
        "refused records": "a batch whose records are not what they say",
        "some records": "records before the one that is refused",
        "refused rest": "bytes after a batch that cannot begin another",
        "no batch": "bytes that are cut off before a batch ends",
        "two batches": "two batches one after the other",
        "empty batch": "a batch without records",
        "many records": "a batch of more than 64 records",
        "log append time": "a batch whose records all have the broker's time",
        "no timestamp": "a record without time, -1",
        "transactional": "a batch of a transaction",
        "control": "a control batch",
        "sequence": "a record with a sequence number",
        "sequence wraps": "a batch whose sequence numbers begin at 0 again",
        "headers": "a record with headers",
        "malformed header key": "a header's key that is not UTF-8, or has a replaced character",
        "null key": "a record without key",
        "null value": "a record without value",
        "refused columns": "a segment that is refused as a whole",
        "columns": "records as columns",
        "refused batches": "records of whole batches up to one that is refused",
        "consumed records": "records as a consumer hands them out",
        **{f"reason: {name}": f"a refusal, told apart: {why}" for name, why in REASONS.items()},
    }
    contexts = tuple(label for label in interesting if label.startswith("damage: "))
    dimensions: ClassVar[tuple[Dimension, ...]] = (
        numbers(
            "bytes",
            "bytes of all batches that are read at once",
            (0, 1, 12, 17, OVERHEAD, OVERHEAD + 1, 128, 1024, 2**14, 2**16),
            lambda case: (len(step["data"]) for step in case["steps"]),
        ),
        numbers("reads", "reads of one case", (1, 2, 3), lambda case: (len(case["steps"]),)),
    )

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Reads of one or two batches, of which one may be damaged."""
        return reading_cases(horizons=_has_horizons(client))

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        for operation, step in zip(case["steps"], trace, strict=True):
            yield f"damage: {operation['damage']}" if operation["damage"] else "undamaged"
            if not operation["damage"] and not operation["odd"]:
                yield "plain"
            if operation["codec"] != "none":
                yield operation["codec"]
            if operation["op"] == "columns":
                yield "refused columns" if step["answer"] == REFUSED else "columns"
            elif operation["op"] == "records":
                yield "refused batches" if REFUSED in step["answer"] else "consumed records"
            elif operation["op"] == REFUSALS:
                yield from (f"reason: {why}" for why in step["answer"] if why in REASONS)
            elif operation["op"] == "read":
                yield from _labels(step)

    def exists_in(self, client: ClientVersion, case: Case) -> bool:
        return _has_horizons(client) or all(step["op"] != HORIZONS for step in case["steps"])

    def place(self, operation: Operation, expected: Answer, answered: Answer) -> str:
        return place_in_reading(operation["op"], expected, answered)

    def java_method(self, client: ClientVersion, operation: Operation) -> str:
        if operation["op"] == HORIZONS:
            return f"{_HORIZON.owner}.{_HORIZON.name}"
        return client.realised_by[self.name]

    def java(self, client: ClientVersion, link: Linker) -> "_JavaReader":
        return _JavaReader(link, horizons=_has_horizons(client))

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        def call(operation: Operation) -> Answer:
            return _ON_PORT[operation["op"]](implementation, operation["data"])

        return stateless(call)


def _has_horizons(client: ClientVersion) -> bool:
    return client.realised_by[BatchReading.name] == _READ


class _JavaReader(JavaPerformer):
    def __init__(self, link: Linker, *, horizons: bool) -> None:
        add_batch_reader(link)
        read = link.method(BATCH_READER, "read", BYTES)
        self._asked = {"read": read, "columns": read, "records": read}
        self._asked[REFUSALS] = link.method(BATCH_READER, "refusals", BYTES)
        if horizons:
            self._asked[HORIZONS] = link.method(BATCH_READER, "deleteHorizons", BYTES)

    def program(self, case: Case) -> Program:
        program = Program()
        for operation in case["steps"]:
            data = program.data(operation["data"])
            program.call(self._asked[operation["op"]], NULL, data, mode=Mode.ANSWER)
        return program

    def trace(self, case: Case, results: Reader) -> Trace:
        return [{"answer": _seen(operation, results.answer())} for operation in case["steps"]]


def _seen(operation: Operation, answer: Answer) -> Answer:
    """Java's answer to a step, which reads columns and records as it reads batches."""
    seen_as = {"columns": _rows, "records": _consumed}.get(operation["op"])
    return seen_as(answer) if seen_as else answer


def _rows(batches: list[Answer]) -> Answer:
    """The rows of columns of batches that were read."""
    rows = []
    for batch in map(_members, batches[:-1]):
        if batch is None or REFUSED in batch["records"]:
            return REFUSED
        of = [batch[name] for name in ("producer id", "producer epoch", "transactional", "control")]
        rows += [[*record, *of] for record in batch["records"]]
    return rows if batches[-1] == END else REFUSED


def _consumed(batches: list[Answer]) -> Answer:
    """The records that a consumer hands to its user, of batches that were read."""
    rows: list[Answer] = []
    for batch in map(_members, batches[:-1]):
        if batch is None or REFUSED in batch["records"]:
            return [*rows, REFUSED]
        if not batch["control"]:
            rows += [[*record[:2], *record[3:]] for record in batch["records"]]
    return rows if batches[-1] == END else [*rows, REFUSED]


def _members(batch: Answer) -> dict[str, Answer] | None:
    """A batch's map as a dictionary; None if it was refused."""
    return None if batch == REFUSED else dict(batch["map"])


def _read(implementation: Port, data: bytes) -> Answer:
    seen: list[Answer] = []
    batches = implementation.records.read_batches(data)
    refused = unless_refused(lambda: seen.extend(map(_batch, batches)))
    return [*seen, refused or END]


def _batch(batch: Any) -> Answer:
    def header() -> Answer:
        batch.ensure_valid()
        return batch.header, batch.codec

    seen = unless_refused(header)
    if seen == REFUSED:
        return REFUSED
    of, codec = seen
    return mapping(
        (
            ("base offset", int64(of.base_offset)),
            ("last offset", int64(of.last_offset)),
            ("leader epoch", of.partition_leader_epoch),
            ("codec", codec),
            ("log append time", int(of.timestamp_type.value == "LogAppendTime")),
            ("max timestamp", int64(of.max_timestamp)),
            ("producer id", int64(of.producer_id)),
            ("producer epoch", of.producer_epoch),
            ("base sequence", of.base_sequence),
            ("last sequence", of.last_sequence),
            ("transactional", int(of.is_transactional)),
            ("control", int(of.is_control_batch)),
            ("count", of.records),
            ("records", _records(batch, all_or_none=codec != "none")),
        )
    )


def _records(batch: Iterable[Any], *, all_or_none: bool) -> list[Answer]:
    seen: list[Answer] = []
    refused = unless_refused(lambda: seen.extend(map(_record, batch)))
    if refused:
        return [REFUSED] if all_or_none else [*seen, REFUSED]
    return seen


def _record(record: Any) -> Answer:
    headers = [[header.key, header.value] for header in record.headers]
    at = int64(record.offset), int64(record.timestamp)
    return [*at, record.sequence, record.key, record.value, headers]


def _columns(implementation: Port, data: bytes) -> Answer:
    """By Numba's loop and without it, which have to agree."""
    one, other = (_table(implementation, data, compiled) for compiled in (True, False))
    return one if one == other else [one, other]


def _table(implementation: Port, data: bytes, compiled: bool) -> Answer:
    read = implementation.records.read_records
    table = unless_refused(lambda: read(data, compiled=compiled).read_all())
    if isinstance(table, str):
        return REFUSED
    table.validate(full=True)
    return [_row(row) for row in table.to_pylist()]


def _row(row: dict[str, Any]) -> Answer:
    headers = [[header["key"], header["value"]] for header in row["headers"]]
    at = int64(row["offset"]), int64(row["timestamp"])
    of = int64(row["producer_id"]), row["producer_epoch"]
    flags = int(row["is_transactional"]), int(row["is_control"])
    return [*at, row["sequence"], row["key"], row["value"], headers, *of, *flags]


def _horizons(implementation: Port, data: bytes) -> Answer:
    seen: list[Answer] = []

    def look() -> Answer:
        for batch in implementation.records.read_batches(data):
            if unless_refused(batch.ensure_valid) is None:
                horizon = batch.header.delete_horizon_ms
                seen.append(None if horizon is None else int64(horizon))

    if unless_refused(look):
        seen.append(REFUSED)
    return seen


_ON_PORT: Final[dict[str, Callable[[Port, bytes], Answer]]] = {
    "read": _read,
    "columns": _columns,
    "records": lambda implementation, data: _consumed(_read(implementation, data)),
    REFUSALS: refusals,
    HORIZONS: _horizons,
}


def _labels(step: Step) -> Iterator[str]:
    batches = step["answer"]
    if batches == [END]:
        yield "no batch"
    if batches[-1] == REFUSED and len(batches) > 1:
        yield "refused rest"
    if len(batches) > 2:
        yield "two batches"
    for batch in map(_members, batches[:-1]):
        if batch is None:
            yield "refused batch"
            continue
        for name in ("log append time", "transactional", "control"):
            if batch[name]:
                yield name
        yield from _record_labels(batch["records"])


def _record_labels(records: list[Answer]) -> Iterator[str]:
    if not records:
        yield "empty batch"
        return
    if records[-1] == REFUSED:
        yield "refused records"
        records = records[:-1]
        if records:
            yield "some records"
    if len(records) > 64:
        yield "many records"
    sequences = [record[2] for record in records]
    if max(sequences, default=-1) >= 0:
        yield "sequence"
    if any(before > after >= 0 for before, after in pairwise(sequences)):
        yield "sequence wraps"
    for _, timestamp, _, key, value, headers in records:
        if timestamp == int64(-1):
            yield "no timestamp"
        if key is None:
            yield "null key"
        if value is None:
            yield "null value"
        if headers:
            yield "headers"
        if any("\ufffd" in text for text, _ in headers):
            yield "malformed header key"
