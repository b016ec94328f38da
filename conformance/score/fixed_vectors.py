"""What others test with: a few fixed vectors, asked of the mutants to compare.

Expected values are never typed in: the real client is asked when the score is made.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from conformance.clients.versions import client_named
from conformance.engine.plan import behaviour_named
from conformance.model.case import Case, Operation
from conformance.model.results import Cell
from conformance.model.subject import Subject
from conformance.model.trace import Trace

Seen = Callable[[Trace], Any]
"""What a test of that kind looks at, of a trace."""


@dataclass(frozen=True)
class FixedTest:
    """One test as others have it: a case, and what of the trace it compares."""

    cell: Cell
    case: Case
    seen: Seen


def kafkas_own() -> list[FixedTest]:
    """The six byte strings of ``UtilsTest.testMurmur2``, and ``adaptivePartitionsTest``.

    Whoever ports the hash twice, for a key and for a column of keys, holds both against the six.
    """
    keys = [
        b"21",
        b"foobar",
        b"a-little-bit-long-string",
        b"a-little-bit-longer-string",
        b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8",
        b"abc",
    ]
    return [_hashes(keys), _column_of_hashes(keys), _adaptive()]


def twelve_vectors() -> list[FixedTest]:
    """Twelve short keys with their hash, and their partition among three and among ten.

    The kind that ports have in their tests today. These are modelled on kafkajs, whose murmur2
    is held against seventh powers as decimal text (0 to 11 to the power of seven are twelve);
    the tests of kafka-python and librdkafka have six to eight, as short and as plain.
    """
    keys = [str(number**7).encode() for number in range(12)]
    tests = [_hashes(keys), _column_of_hashes(keys)]
    for count in (3, 10):
        metadata = [("t", [[number, 0] for number in range(count)])]
        for client in ("2.3.1", "3.2.3", "3.8.0"):
            steps: list[Operation] = [
                {"op": "partition", "topic": "t", "key": key, "metadata": 0} for key in keys
            ]
            tests.append(_test("keyed", client, steps, metadata))
        column = {**_column_of(keys), "op": "column", "partitions": count}
        tests.append(_test("keyed-columns", "3.8.0", [column]))
    return tests


def expected_by(oracle: Subject, tests: list[FixedTest]) -> list[tuple[FixedTest, Any]]:
    """The tests with what the real client shows in each."""
    return [(test, _shown(oracle, test)) for test in tests]


def is_noticed(subject: Subject, tests: list[tuple[FixedTest, Any]]) -> bool:
    """Whether any of the tests fails for a subject."""
    return any(_shown(subject, test) != expected for test, expected in tests)


def _shown(subject: Subject, test: FixedTest) -> Any:
    behaviour, client = behaviour_named(test.cell.behaviour), client_named(test.cell.client)
    return test.seen(subject.performer(behaviour, client)(test.case))


def _answers(trace: Trace) -> list[Any]:
    return [step["answer"] for step in trace]


def _test(
    behaviour: str, client: str, steps: list[Operation], metadata: Any = None, seen: Seen = _answers
) -> FixedTest:
    case: Case = {"config": {}, "metadata": [metadata], "steps": steps}
    return FixedTest(Cell(behaviour, client), case, seen)


def _hashes(keys: list[bytes]) -> FixedTest:
    return _test("murmur2", "3.8.0", [{"op": "murmur2", "key": key} for key in keys])


def _column_of_hashes(keys: list[bytes]) -> FixedTest:
    return _test("keyed-columns", "3.8.0", [{**_column_of(keys), "op": "hashes"}])


def _column_of(keys: list[bytes]) -> Operation:
    return {"keys": keys, "rows": len(keys), "run": 1, "layout": {"type": "binary"}}


_QUEUES: Final = (5, 0, 3, 0, 1)
_CYCLES: Final = 2


def _adaptive() -> FixedTest:
    """``BuiltInPartitionerTest.adaptivePartitionsTest``: how often each partition is chosen.

    Queue sizes 5, 0, 3, 0, 1, a batch size of 1, draws 0, 1, 2 ...; two cycles of a range that
    ends at the sum of all weights.
    """
    ids = list(range(len(_QUEUES)))
    draws = _CYCLES * sum(max(_QUEUES) + 1 - size for size in _QUEUES)
    steps: list[Operation] = [
        {"op": "create", "topic": "t", "batch_size": 1},
        {"op": "load", "topic": "t", "queues": [*_QUEUES], "ids": ids, "length": len(ids)},
        {"op": "range end", "topic": "t"},
    ]
    for draw in range(draws):
        seen = {"topic": "t", "metadata": 0, "draw": [draw, 0]}
        if draw:
            of = {"step": len(steps) - 1}
            steps.append({"op": "update", "of": of, "bytes": 1, "switch": None, **seen})
        steps.append({"op": "peek", **seen})
    case: Case = {
        "config": {"assertions": False, "source": "mock"},
        "metadata": [[("t", [[number, number % 4] for number in ids])]],
        "steps": steps,
    }

    def frequencies(trace: Trace) -> Any:
        peeks = [
            str(step["answer"])
            for operation, step in zip(steps, trace, strict=False)
            if operation["op"] == "peek"
        ]
        return trace[2:3] and trace[2]["answer"], Counter(peeks)

    return FixedTest(Cell("adaptive", "3.8.0"), case, frequencies)
