"""Arrow columns as record batches: the port's, compared with the real builder's record by record.

Vocabulary of a case. 64-bit numbers are decimal strings:

- ``config``: ``codec``; ``base_offset``; ``producer_id``, ``epoch``, ``sequence``,
  ``transactional``; ``leader_epoch``; ``limit``, the bytes of a batch before compression; and
  ``columns``: the layout of each column, null for one that is left out.
- ``{"op": "row", "offset", "timestamp", "key", "value", "headers"}``: a row; headers of null are
  a null list, which has none. What stands in columns that are left out is not read.
- ``{"op": "write", "times", "stride", "restart"}`` answers all batches of the rows so far, which
  come so many times. Each time their offsets are further by the stride; from the row ``restart`` on
  they are those of the first rows again. Without a column of offsets, they just follow each other.

A layout is ``{"type"}``, an Arrow type. With ``before`` and ``after`` the column is a slice; with
``chunks`` it is in chunks of these lengths; with ``index`` it is dictionary-encoded; with
``hidden`` its nulls lie over other data, where a type allows it. Lists of headers have the type of
their keys (``text``).

The real builder is asked whether one more record fits where it can answer (``hasRoomFor``: plain
records whose offsets follow each other); where not, its sizes of records tell. A compressed batch
is answered as in ``record-batch``. The port is asked for both of its loops; if they differ, the
answer is both answers. For 256 rows and more, the loop that it chooses will do.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.records.contents import (
    ALL_CODECS,
    CONTENT_CLASSES,
    CONTENT_DIMENSIONS,
    LIST,
    ContentSymbols,
    content_labels,
)
from conformance.behaviours.records.meanings import BYTES as BYTES_MEANING
from conformance.behaviours.records.places import place_in_batch
from conformance.behaviours.records.unpacking import most_bytes_of, shown_batch
from conformance.model.behaviour import Behaviour, JavaPerformer, PortPerformer, Reader
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.dimension import Dimension, numbers
from conformance.model.port import Port
from conformance.model.program import NULL, Linker, Mode, Program, boolean, integer, long, slot
from conformance.model.trace import Answer, Trace, answer_of
from conformance.model.values import is_error, mapping
from conformance.model.ways import Way
from conformance.oracle.internals import COLUMN_WRITER, add_column_writer
from conformance.oracle.kafka_classes import BYTES, RECORDS_BUILDER, STRING
from conformance.strategies.integers import INT32_MAX
from conformance.strategies.partitioning.column_cases import TYPES
from conformance.strategies.records.column_cases import (
    LISTS,
    NUMBERS,
    PIECE,
    TEXTS,
    record_column_cases,
)
from conformance.strategies.records.ratio_cases import CODECS
from conformance.strategies.records.wire import OVERHEAD

_LOOPS: Final = {"Numba's loop": True, "a loop of Python": False}
_CHOSEN: Final = {"the loop it chooses": None}
"""By what the port is told of its loops."""
_MANY: Final = 256
"""Rows of which only one loop is asked."""
_PARTS: Final = ("plain", "sliced", "chunked")
_NEW: Final = (STRING, "long", "long", "int", "int", "boolean", "int", "int")
_ROW: Final = ("long", "long", BYTES, BYTES, LIST)


def _written(case: Case) -> int:
    """How many rows a case writes."""
    rows = sum(step["op"] == "row" for step in case["steps"])
    return max((rows * step["times"] for step in case["steps"] if step["op"] == "write"), default=0)


def _layouts(case: Case) -> Iterator[str]:
    for name, layout in case["config"]["columns"].items():
        if layout is None:
            yield f"no {name}"
            continue
        parts = {"sliced": "before", "chunked": "chunks", "dictionary": "index"}
        yield from (f"{part} {name}" for part, word in parts.items() if word in layout)
        if not any(word in layout for word in parts.values()):
            yield f"plain {name}"


def _types(case: Case) -> Iterator[str]:
    for name, layout in case["config"]["columns"].items():
        if layout is not None:
            yield f"{name} {layout['type']}"
            if name == "headers":
                yield f"header key {layout['text']}"


class RecordColumns(Behaviour):
    """``write_records`` of the port, and a ``MemoryRecordsBuilder`` for each batch."""

    name = "record-columns"
    summary = "Arrow columns as batches: their bytes, and where one ends and the next begins"
    ways = (Way(f"{RECORDS_BUILDER}.build", ALL_CODECS, since="2.1"),)
    arrived = "asked since 2.1, which brought zstd (KIP-110)"
    for_jars = False  # columns are the port's
    for_testees = False  # a column is the Python port's own way to be asked
    meaning = BYTES_MEANING
    operations = ("row", "write")
    typed = True
    weight = 0.6
    interesting = {
        **{
            name: text
            for name, text in CONTENT_CLASSES.items()
            if name not in ("half a character", "null headers")
        },
        "no list of headers": "a null where a list of headers could be",
        "no rows": "columns without rows, which are no batches",
        "one batch": "all rows fit into a batch",
        "several batches": "a batch ends because the next record would make it too long",
        "exactly full": "a batch of exactly as many bytes as it may have",
        "longer than a batch": "a record that alone is longer than a batch may be",
        **{codec: f"records compressed by {codec}" for codec in CODECS if codec != "none"},
        "idempotent": "batches with a producer id",
        "transactional": "batches of a transaction",
        "sequence goes on": "a second batch, whose sequence is that of its first row",
        "sequence wraps": "2^31 - 1 is followed by 0",
        "gap": "an offset that is more than one beyond the last",
        "too far": "an offset more than 2^31 - 1 beyond a batch's first, so another batch begins",
        "timestamp goes backwards": "a record that is older than its batch's first one",
        "many rows": f"more than {PIECE:,} rows, which the port writes in pieces",
        "refused": "columns that are answered by an error",
    }
    dimensions = (
        *CONTENT_DIMENSIONS,
        numbers(
            "rows",
            "rows that are written",
            (0, 1, 2, 16, 64, 128, PIECE),
            lambda case: (_written(case),),
        ),
        numbers(
            "limit",
            "bytes that a batch may have",
            (-1, 0, 61, 62, 101, 1000, 16384, 2**31 - 1),
            lambda case: (case["config"]["limit"],),
        ),
        Dimension(
            "layout",
            "how each column is laid out",
            (
                *(
                    f"{part} {name}"
                    for name in ("offset", "timestamp", "headers")
                    for part in _PARTS
                ),
                *(
                    f"{part} {name}"
                    for name in ("key", "value")
                    for part in (*_PARTS, "dictionary")
                ),
                *(f"no {name}" for name in ("offset", "timestamp", "key", "value", "headers")),
            ),
            _layouts,
        ),
        Dimension(
            "type",
            "the Arrow type of each column",
            (
                *(
                    f"{name} {kind}"
                    for name in ("offset", "timestamp")
                    for kind in dict.fromkeys(NUMBERS)
                ),
                *(f"{name} {kind}" for name in ("key", "value") for kind in TYPES),
                *(f"headers {kind}" for kind in LISTS),
                *(f"header key {kind}" for kind in TEXTS),
            ),
            _types,
        ),
    )

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """A table at a time, in each layout of its columns."""
        return record_column_cases()

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        rows = [step for step in case["steps"] if step["op"] == "row"]
        for row in rows:
            yield from content_labels({**row, "headers": row["headers"] or []})
            if row["headers"] is None and case["config"]["columns"]["headers"] is not None:
                yield "no list of headers"
        yield from _config_labels(case)
        yield from _row_labels(case, rows)
        for operation, step in zip(case["steps"], trace, strict=True):
            if operation["op"] == "write":
                yield from _labels(case, step["answer"])

    def place(self, operation: Operation, expected: Answer, answered: Answer) -> str:
        if operation["op"] == "row" or not (
            isinstance(expected, list) and isinstance(answered, list)
        ):
            return ""
        for one, other in zip(expected, answered, strict=False):
            if one != other:
                return place_in_batch(one, other)
        return "number of batches"

    def java_method(self, client: ClientVersion, operation: Operation) -> str:
        return f"{RECORDS_BUILDER}.{'appendWithOffset' if operation['op'] == 'row' else 'build'}"

    def java(self, client: ClientVersion, link: Linker) -> "_JavaColumns":
        return _JavaColumns(link)

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        # Imported here because Arrow takes long to import.
        from conformance.behaviours.records.tables import table_of  # noqa: PLC0415

        def written(case: Case, table: Any, compiled: bool | None) -> Answer:
            config = case["config"]
            batches = implementation.records.write_records(
                table,
                base_offset=int(config["base_offset"]),
                compression=config["codec"],
                batch_bytes=config["limit"],
                producer_id=int(config["producer_id"]),
                producer_epoch=config["epoch"],
                base_sequence=config["sequence"],
                is_transactional=config["transactional"],
                partition_leader_epoch=config["leader_epoch"],
                compiled=compiled,
            )
            return _seen(case, list(batches))

        def perform(case: Case) -> Trace:
            trace: Trace = []
            for operation in case["steps"]:
                if operation["op"] == "row":
                    trace.append({"answer": None})
                    continue
                table = table_of(case, operation)
                # Both loops take longest for many rows, and Python's ten times as long.
                loops = _LOOPS if len(table) < _MANY else _CHOSEN
                answers = {
                    loop: answer_of(written, case, table, compiled)
                    for loop, compiled in loops.items()
                }
                first, *others = answers.values()
                agree = all(other == first for other in others)
                trace.append({"answer": first if agree else mapping(answers.items())})
            return trace

        return perform


class _JavaColumns(JavaPerformer):
    def __init__(self, link: Linker) -> None:
        add_column_writer(link)
        self._contents = ContentSymbols(link)
        self._new = link.constructor(COLUMN_WRITER, *_NEW)
        self._add = link.method(COLUMN_WRITER, "add", *_ROW)
        self._write = link.method(COLUMN_WRITER, "write", "int", "long", "int", "boolean")

    def program(self, case: Case) -> Program:
        program, config = Program(), case["config"]
        writer = program.new_slot()
        program.call(
            self._new,
            NULL,
            program.text(config["codec"]),
            *(long(int(config["base_offset"])), long(int(config["producer_id"]))),
            *(integer(config["epoch"]), integer(config["sequence"])),
            *(boolean(config["transactional"]), integer(config["leader_epoch"])),
            integer(config["limit"]),
            into=writer,
        )
        for step in case["steps"]:
            if step["op"] == "write":
                follow = boolean(config["columns"]["offset"] is None)
                restart = integer(INT32_MAX if step["restart"] is None else step["restart"])
                how = integer(step["times"]), long(int(step["stride"])), restart, follow
                program.call(self._write, slot(writer), *how, mode=Mode.ANSWER)
                continue
            row = {**step, **_not_read(config), "headers": step["headers"] or []}
            of = long(int(row["offset"])), long(int(row["timestamp"]))
            contents = self._contents.arguments(program, row)
            program.call(self._add, slot(writer), *of, *contents, mode=Mode.ANSWER)
        return program

    def trace(self, case: Case, results: Reader) -> Trace:
        return [{"answer": _seen(case, results.answer())} for _ in case["steps"]]


def _not_read(config: dict[str, Any]) -> dict[str, Any]:
    """What rows have where columns are left out, whatever a case says."""
    nothing = {"timestamp": "-1", "key": None, "value": None, "headers": None}
    return {name: none for name, none in nothing.items() if config["columns"][name] is None}


def _seen(case: Case, answer: Answer) -> Answer:
    """Batches as they are compared."""
    if case["config"]["codec"] == "none" or not isinstance(answer, list):
        return answer
    times = max(step["times"] for step in case["steps"] if step["op"] == "write")
    rows = [step for step in case["steps"] if step["op"] == "row"]
    most = most_bytes_of(rows, times)
    return [shown_batch(batch, most) for batch in answer]


def _config_labels(case: Case) -> Iterator[str]:
    config, written = case["config"], _written(case)
    if config["producer_id"] != "-1":
        yield "idempotent"
    if config["transactional"]:
        yield "transactional"
    if written == 0:
        yield "no rows"
    elif config["codec"] != "none":
        yield config["codec"]
    if written > PIECE:
        yield "many rows"
    if config["sequence"] >= 0 and config["sequence"] + written - 1 > INT32_MAX:
        yield "sequence wraps"


def _row_labels(case: Case, rows: list[Operation]) -> Iterator[str]:
    columns = case["config"]["columns"]
    times = [int(row["timestamp"]) for row in rows]
    if columns["timestamp"] is not None and any(time < times[0] for time in times):
        yield "timestamp goes backwards"
    if columns["offset"] is not None and rows:
        offsets = [int(row["offset"]) for row in rows]
        pairs = pairwise(offsets)
        if any(other > one + 1 for one, other in pairs):
            yield "gap"
        if offsets[-1] - offsets[0] > INT32_MAX:
            yield "too far"


def _labels(case: Case, answer: Answer) -> Iterator[str]:
    if is_error(answer):
        yield "refused"
    if not isinstance(answer, list) or not answer:
        return
    yield "several batches" if len(answer) > 1 else "one batch"
    if len(answer) > 1 and case["config"]["sequence"] >= 0:
        yield "sequence goes on"
    if case["config"]["codec"] == "none":
        sizes = [len(batch) for batch in answer if isinstance(batch, bytes)]
        if case["config"]["limit"] in sizes:
            yield "exactly full"
        if max(sizes) > max(OVERHEAD, case["config"]["limit"]):
            yield "longer than a batch"
