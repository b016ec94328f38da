"""How many bytes a number, a record and a batch take, and the sequence numbers of batches.

Vocabulary:

- ``{"op": "varint", "number"}`` (int32) and ``{"op": "varlong", "long"}`` (int64, a decimal
  string) answer the length and the bytes of a variable-length integer.
- ``{"op": "record size", "offset_delta", "timestamp_delta", "key", "value", "headers"}``: the
  bytes of a record so far (int32; int64, a decimal string) from the batch's first offset and time.
- ``{"op": "upper bound", "key", "value", "headers"}``: the bytes that a batch of one record takes
  at most, as a producer reserves them.
- ``{"op": "sequence", "sequence", "by"}`` answers the sequence numbers (int32) so much later and
  earlier.
"""

from collections.abc import Iterator

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.records.contents import (
    ALL_CODECS,
    CONTENT_CLASSES,
    CONTENT_DIMENSIONS,
    LIST,
    ContentSymbols,
    content_labels,
    port_contents,
)
from conformance.behaviours.records.meanings import SIZES, TELLS_OF_SIZES
from conformance.model.behaviour import (
    Behaviour,
    JavaPerformer,
    PortPerformer,
    Reader,
    stateless,
)
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.dimension import numbers
from conformance.model.port import Port
from conformance.model.program import NULL, Linker, Mode, Program, integer, long
from conformance.model.trace import Answer, Step, Trace
from conformance.model.values import is_error
from conformance.model.ways import Member, Way
from conformance.oracle.internals import BATCH_WRITER, add_batch_writer
from conformance.oracle.kafka_classes import BYTES, COMMON, RECORDS
from conformance.strategies.integers import INT32_MAX
from conformance.strategies.records.size_cases import size_cases

_DEFAULT_RECORD = f"{RECORDS}.DefaultRecord"
_BATCH = f"{RECORDS}.DefaultRecordBatch"
_METHODS = {
    "varint": f"{COMMON}.utils.ByteUtils.writeVarint",
    "varlong": f"{COMMON}.utils.ByteUtils.writeVarlong",
    "record size": f"{_DEFAULT_RECORD}.sizeInBytes",
    "upper bound": f"{RECORDS}.AbstractRecords.estimateSizeInBytesUpperBound",
    "sequence": f"{_BATCH}.incrementSequence",
}


class RecordSizes(Behaviour):
    """``ByteUtils``, ``DefaultRecord.sizeInBytes`` and the upper bound of a batch."""

    name = "record-sizes"
    summary = "varints, the bytes of a record, the bound that a producer reserves, sequence numbers"
    ways = (
        Way(
            f"{_DEFAULT_RECORD}.sizeInBytes",
            (*ALL_CODECS, Member(_BATCH, "decrementSequence")),
            since="2.1",
        ),
    )
    arrived = "asked since 2.1, which brought decrementSequence"
    meaning = SIZES
    operations = tuple(_METHODS)
    tells = TELLS_OF_SIZES
    typed = True
    weight = 0.75
    interesting = {
        **CONTENT_CLASSES,
        "varint of 5 bytes": "a varint as long as one can be",
        "varlong of 10 bytes": "a varlong as long as one can be",
        "negative number": "a varint or varlong below 0",
        "sequence wraps": "a sequence number beyond 2^31 - 1 begins at 0 again",
        "record of 3 bytes of length": "a record of more than a mebibyte",
    }
    dimensions = (
        *CONTENT_DIMENSIONS,
        numbers(
            "varint",
            "a number written as a varint",
            (-(2**31), -(2**27), -8192, -64, 0, 64, 128, 8192, 2**16, 2**27),
            lambda case: (step["number"] for step in case["steps"] if step["op"] == "varint"),
        ),
        numbers(
            "varlong",
            "a number written as a varlong",
            (-(2**63), -(2**53), -(2**31), -64, 0, 64, 2**31, 2**53),
            lambda case: (int(step["long"]) for step in case["steps"] if step["op"] == "varlong"),
        ),
    )

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Numbers, records and bounds, several a case."""
        return size_cases()

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        for operation, step in zip(case["steps"], trace, strict=True):
            yield from _labels(operation, step)

    def java_method(self, client: ClientVersion, operation: Operation) -> str:
        return _METHODS[operation["op"]]

    def java(self, client: ClientVersion, link: Linker) -> "_JavaSizes":
        return _JavaSizes(link)

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        def call(operation: Operation) -> Answer:
            return _on_port(implementation, operation)

        return stateless(call)


def _number_in(operation: Operation) -> int:
    """The number that a step writes."""
    return int(operation["long"] if operation["op"] == "varlong" else operation["number"])


def _on_port(implementation: Port, operation: Operation) -> Answer:
    records, name = implementation.records, operation["op"]
    if name in ("varint", "varlong"):
        value = _number_in(operation)
        data = getattr(records, name)(value)
        return [getattr(records, f"size_of_{name}")(value), data]
    if name == "sequence":
        arguments = operation["sequence"], operation["by"]
        return [records.increment_sequence(*arguments), records.decrement_sequence(*arguments)]
    contents = port_contents(implementation, operation)
    if name == "upper bound":
        return records.estimate_batch_size_upper_bound(*contents)
    return records.record_size(
        operation["offset_delta"], int(operation["timestamp_delta"]), *contents
    )


class _JavaSizes(JavaPerformer):
    def __init__(self, link: Linker) -> None:
        add_batch_writer(link)
        self._contents = ContentSymbols(link)
        contents = (BYTES, BYTES, LIST)
        self._size = link.method(BATCH_WRITER, "recordSize", "int", "long", *contents)
        self._bound = link.method(BATCH_WRITER, "batchSizeUpperBound", *contents)
        self._varint = link.method(BATCH_WRITER, "varint", "int")
        self._varlong = link.method(BATCH_WRITER, "varlong", "long")
        utils = f"{COMMON}.utils.ByteUtils"
        self._size_of_varint = link.method(utils, "sizeOfVarint", "int")
        self._size_of_varlong = link.method(utils, "sizeOfVarlong", "long")
        self._later = link.method(_BATCH, "incrementSequence", "int", "int")
        self._earlier = link.method(_BATCH, "decrementSequence", "int", "int")

    def program(self, case: Case) -> Program:
        program = Program()
        for operation in case["steps"]:
            name = operation["op"]
            if name == "varint":
                value = integer(operation["number"])
                program.call(self._size_of_varint, NULL, value, mode=Mode.ANSWER)
                program.call(self._varint, NULL, value, mode=Mode.ANSWER)
            elif name == "varlong":
                value = long(_number_in(operation))
                program.call(self._size_of_varlong, NULL, value, mode=Mode.ANSWER)
                program.call(self._varlong, NULL, value, mode=Mode.ANSWER)
            elif name == "sequence":
                of = integer(operation["sequence"]), integer(operation["by"])
                program.call(self._later, NULL, *of, mode=Mode.ANSWER)
                program.call(self._earlier, NULL, *of, mode=Mode.ANSWER)
            elif name == "upper bound":
                contents = self._contents.arguments(program, operation)
                program.call(self._bound, NULL, *contents, mode=Mode.ANSWER)
            else:
                deltas = integer(operation["offset_delta"]), long(int(operation["timestamp_delta"]))
                contents = self._contents.arguments(program, operation)
                program.call(self._size, NULL, *deltas, *contents, mode=Mode.ANSWER)
        return program

    def trace(self, case: Case, results: Reader) -> Trace:
        return [{"answer": self._answer(operation, results)} for operation in case["steps"]]

    def _answer(self, operation: Operation, results: Reader) -> Answer:
        if operation["op"] in ("varint", "varlong", "sequence"):
            return [results.answer(), results.answer()]
        return results.answer()


def _labels(operation: Operation, step: Step) -> Iterator[str]:
    name, answer = operation["op"], step["answer"]
    if name in ("varint", "varlong"):
        if _number_in(operation) < 0:
            yield "negative number"
        longest = {"varint": 5, "varlong": 10}[name]
        if not is_error(answer) and len(answer[1]) == longest:
            yield f"{name} of {longest} bytes"
    elif name == "sequence":
        if operation["sequence"] + operation["by"] > INT32_MAX:
            yield "sequence wraps"
    else:
        yield from content_labels(operation)
        if not is_error(answer) and answer > 2**20:
            yield "record of 3 bytes of length"
