"""Narrowed cases: each word takes out what it says, and real clients perform what is left."""

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from conformance.behaviours.registry import BEHAVIOURS
from conformance.clients.versions import CLIENT_VERSIONS
from conformance.draws import EQUAL_DRAWS
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case, Metadata, Operation
from conformance.model.client_version import ClientVersion
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort
from conformance.testees.limits import Limits
from conformance.testees.message_bytes import BYTES_OF_A_CASE, bytes_of
from conformance.testees.narrow import (
    LARGEST_PLAIN_COUNT,
    NARROWINGS,
    narrow,
    narrow_for_testee,
)
from conformance.testees.protocol import cases_line
from tests.testees.test_narrow_records import CONFIGURED, HOLDS, LEFT_OUT

ASKED = [behaviour for behaviour in BEHAVIOURS if behaviour.for_testees]
_FEW = settings(
    max_examples=25,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
LEAVE_OUT = {"null topics", "lone surrogates", "negative partitions", "uuid keys", *LEFT_OUT}
"""Words that take steps out."""
_CHANGED = {"metadata", "key", "partitions", "partition", "draw", "timestamp", "offset"}
"""Members of steps that words change."""
_WORDS = st.sets(st.sampled_from(sorted(NARROWINGS)))


def _client(behaviour: Behaviour) -> ClientVersion:
    """The newest that has the behaviour."""
    return [client for client in CLIENT_VERSIONS if behaviour.name not in client.absent][-1]


def _topics(case: Case) -> list[Any]:
    return [parts for snapshot in case["metadata"] for _, parts in snapshot or []]


def _values(case: Case, member: str) -> list[Any]:
    return [step[member] for step in case["steps"] if member in step]


def _has_every_topic(case: Case) -> bool:
    asked = {topic for topic in _values(case, "topic") if topic is not None}
    return all(
        {topic for topic, parts in snapshot if parts} >= asked
        for snapshot in case["metadata"]
        if snapshot is not None
    )


_HOLDS = {
    "null metadata": lambda case: None not in case["metadata"],
    "unknown topics": _has_every_topic,
    "null topics": lambda case: None not in _values(case, "topic"),
    "lone surrogates": lambda case: all(
        not isinstance(value, str) or value.encode("utf-8", "replace").decode() == value
        for value in _values(case, "value")
    ),
    "uuid keys": lambda case: "uuid" not in _values(case, "type"),
    "negative partitions": lambda case: all(
        (step["partition"] or 0) >= 0 for step in case["steps"] if step["op"] == "record"
    ),
    "gaps in ids": lambda case: all(
        [number for number, _ in parts] == list(range(len(parts))) for parts in _topics(case)
    ),
    "leaderless partitions": lambda case: all(
        leader is not None for parts in _topics(case) for _, leader in parts
    ),
    "no available partition": lambda case: all(
        not parts or any(leader is not None for _, leader in parts) for parts in _topics(case)
    ),
    "changing metadata": lambda case: (
        len(case["metadata"]) <= 1 and set(_values(case, "metadata")) <= {0}
    ),
    "null keys": lambda case: None not in _values(case, "key"),
    "odd counts": lambda case: all(
        1 <= step["partitions"] <= LARGEST_PLAIN_COUNT
        for step in case["steps"]
        if step["op"] == "partition for key"
    ),
    "set counters": lambda case: "counters" not in case["config"],
    "raw mock draws": lambda case: case["config"].get("source", "thread") == "thread",
    "assertions": lambda case: not case["config"].get("assertions", False),
    **HOLDS,
}


def _of_real_nodes(case: Case) -> list[Metadata | None]:
    """The metadata, in which no leader has a negative id."""
    return [
        known
        and [
            (topic or "nameless", [[n, leader and abs(leader)] for n, leader in parts])
            for topic, parts in known
        ]
        for known in case["metadata"]
    ]


def _has_neither(step: Operation) -> bool:
    """A record without partition and key, which no testee is asked."""
    return step["op"] == "record" and step["partition"] is None and step["key"] is None


def _kept(case: Case, narrowed: Case, words: set[str]) -> None:
    """What the words do not speak of is as it was."""
    if not words & LEAVE_OUT and not any(map(_has_neither, case["steps"])):
        assert len(narrowed["steps"]) == len(case["steps"])
        for one, other in zip(case["steps"], narrowed["steps"], strict=True):
            changed = {name for name in one if one[name] != other[name]}
            # A topic without a name gets one.
            changed -= {"topic"} if one.get("topic") == "" else set()
            assert changed <= _CHANGED, changed
    nameless = "" in case["config"].get("counters", {})
    if not words & {"set counters", "raw mock draws", "assertions", *CONFIGURED} and not nameless:
        assert narrowed["config"] == case["config"]
    of_metadata = ("metadata", "topics", "ids", "partition")
    if not any(word.endswith((*of_metadata, "partitions")) for word in words):
        assert narrowed["metadata"] == _of_real_nodes(case)


def test_every_word_is_tested() -> None:
    assert sorted(_HOLDS) == sorted(NARROWINGS)


@pytest.mark.parametrize("behaviour", ASKED, ids=lambda behaviour: behaviour.name)
def test_words_take_out_what_they_say_and_nothing_else(behaviour: Behaviour) -> None:
    @_FEW
    @given(behaviour.cases(_client(behaviour)), _WORDS)
    def check(case: Case, words: set[str]) -> None:
        before = repr(case)
        narrowed = narrow_for_testee(case, words)
        assert repr(case) == before, "the case itself was changed"
        if narrowed is None:
            assert words & LEAVE_OUT or any(map(_has_neither, case["steps"]))
            return
        for word in words:
            assert _HOLDS[word](narrowed), word
        _kept(case, narrowed, words)
        assert narrow_for_testee(narrowed, words) == narrowed

    check()


@pytest.mark.parametrize("behaviour", ASKED, ids=lambda behaviour: behaviour.name)
def test_java_and_the_port_perform_narrowed_cases(behaviour: Behaviour, java: JavaSubject) -> None:
    client = _client(behaviour)
    real, port = java.performer(behaviour, client), PythonPort().performer(behaviour, client)

    @_FEW
    @given(behaviour.cases(client), st.just(set(NARROWINGS)) | _WORDS)
    def check(case: Case, words: set[str]) -> None:
        narrowed = narrow_for_testee(case, words)
        if narrowed is not None:
            trace = real(narrowed)
            assert len(trace) == len(narrowed["steps"])
            assert port(narrowed) == trace

    check()


@pytest.mark.parametrize("behaviour", ASKED, ids=lambda behaviour: behaviour.name)
def test_only_the_operations_that_can_be_performed_are_left(behaviour: Behaviour) -> None:
    @_FEW
    @given(behaviour.cases(_client(behaviour)), st.data())
    def check(case: Case, data: st.DataObject) -> None:
        operations = data.draw(st.sets(st.sampled_from(behaviour.operations), min_size=1))
        narrowed = narrow_for_testee(case, (), operations)
        if narrowed is None:
            return
        assert set(_values(narrowed, "op")) <= operations
        for at, step in enumerate(narrowed["steps"]):
            for value in step.values():
                if isinstance(value, dict) and value.keys() == {"step"}:
                    assert 0 <= value["step"] < at

    check()


def test_a_case_of_which_nothing_is_left_is_none() -> None:
    step = {"op": "partition", "topic": None, "key": b"k", "metadata": 0}
    case: Case = {"config": {}, "metadata": [[]], "steps": [step, step]}
    assert narrow_for_testee(case, ["null topics"]) is None
    assert narrow_for_testee(case, [], ["new batch"]) is None


def test_a_real_client_is_asked_what_no_testee_is() -> None:
    step = {"op": "record", "topic": "", "key": None, "partition": None, "metadata": 0}
    case: Case = {"config": {}, "metadata": [[("", [[0, -1]])]], "steps": [step]}
    assert narrow(case, ()) == case
    assert narrow_for_testee(case) is None


def test_a_testee_is_not_asked_where_a_producer_chooses_by_chance_or_waits() -> None:
    named = {"op": "record", "topic": "t", "key": None, "metadata": 0}
    steps = [{**named, "partition": one} for one in (None, 5, 1)]
    case: Case = {"config": {}, "metadata": [[("t", [[0, 0], [1, 0]])]], "steps": steps}
    left = narrow_for_testee(case)
    assert left is not None
    assert [step["partition"] for step in left["steps"]] == [1, 1]


def test_steps_that_refer_to_what_is_left_out_go_with_it() -> None:
    case: Case = {
        "config": {},
        "metadata": [[("t", [[0, 0]])]],
        "steps": [
            {"op": "partition", "topic": None, "key": None, "metadata": 0},
            {"op": "partition", "topic": "t", "key": None, "metadata": 0},
            {"op": "new batch", "topic": "t", "previous": {"step": 0}, "metadata": 0},
            {"op": "new batch", "topic": "t", "previous": {"step": 1}, "metadata": 0},
        ],
    }
    narrowed = narrow_for_testee(case, ["null topics"])
    assert narrowed is not None
    assert [step.get("previous") for step in narrowed["steps"]] == [None, {"step": 0}]


def test_long_keys_fit_into_a_line() -> None:
    mebibyte = bytes(2**20)
    step = {"op": "partition", "topic": "t", "key": mebibyte, "metadata": 0}
    case: Case = {"config": {}, "metadata": [[("t", [[0, 0]])]], "steps": [step] * 400}
    narrowed = narrow_for_testee(case)
    assert narrowed is not None
    assert bytes_of(narrowed) <= BYTES_OF_A_CASE
    assert [len(key) for key in _values(narrowed, "key")[:5]] == [2**20] * 3 + [100, 100]
    assert len(cases_line(1, "keyed", "3.8.0", [narrowed])) < Limits().line_bytes


def test_draws_that_are_equal_for_longer_than_a_message_are_cut() -> None:
    first, tail = EQUAL_DRAWS[2, 1]
    steps = [
        {"op": "partition", "topic": "t", "key": None, "metadata": 0, "draw": draw}
        for draw in ([first, tail], [first, 7], [0, 7])
    ]
    narrowed = narrow_for_testee({"config": {}, "metadata": [[("t", [[0, 0]])]], "steps": steps})
    assert narrowed is not None
    assert _values(narrowed, "draw") == [[first, 0], [first, 7], [0, 7]]
