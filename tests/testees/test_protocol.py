"""The messages of the protocol: written, read, refused, and as the page shows them."""

import json
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from conformance import draws
from conformance.behaviours.registry import BEHAVIOURS
from conformance.clients.versions import CLIENT_VERSIONS
from conformance.draws import Draw
from conformance.engine.plan import behaviour_named
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.trace import Trace
from conformance.model.values import from_json, is_error, to_json
from conformance.subjects.python_port import PythonPort
from conformance.testees import errors
from conformance.testees.protocol import (
    DRAWS_GIVEN,
    JAVA_ERRORS,
    Support,
    as_observed,
    cases_line,
    hello_of,
    read_message,
    read_trace,
    records_line,
    records_of,
    suite_hello,
)
from tests.testees.port import Given, perform

PROJECT = Path(__file__).parents[2]
ASKED = [behaviour for behaviour in BEHAVIOURS if behaviour.for_testees]
CLIENT = CLIENT_VERSIONS[-1]
_FEW = settings(
    max_examples=20,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
_HELLO = {
    **{"type": "hello", "protocol": 1, "name": "mine", "version": "1", "language": "C"},
    "behaviours": {"keyed": {"mode": "exact"}},
}


@cache
def _schema(kind: str) -> Any:
    path = PROJECT / "conformance" / "schemas" / "protocol.schema.json"
    definitions = json.loads(path.read_text("utf-8"))["$defs"]
    return jsonschema_rs.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": definitions})


def _validate(message: Any, typed: Collection[int] = ()) -> str:
    """Check a message of either side; answers its name in the schema.

    ``typed`` are the ids of questions about behaviours that have answers of every type.
    """
    kind = str(message["type"])
    if "suite" in message:
        kind = "suite_hello"
    answered = kind == "traces" and message["id"] in typed
    _schema("typed_traces" if answered else kind).validate(message)
    return kind


def _said(page: str) -> list[Any]:
    """The messages in a page of documentation, those in the middle of a sentence, too."""
    text = (PROJECT / "docs" / page).read_text("utf-8")
    case = '{"config": {}, "metadata": [], "steps": [{"op": "murmur2", "key": null}]}'
    text = re.sub(r"\bCASE\b", case, re.sub(r"\bTRACE\b", "[2]", text))
    found, at = [], 0
    while (start := text.find('{"type": "', at)) >= 0:
        # Line ends within a message are the page's.
        message, length = json.JSONDecoder().raw_decode(text[start:])
        found.append(message)
        at = start + length
    return found


@pytest.mark.parametrize("page", ["protocol.md", "write-a-testee.md"])
def test_every_message_of_the_documentation_is_valid(page: str) -> None:
    typed = [
        message["id"]
        for message in _said(page)
        if "cases" in message and behaviour_named(message["behaviour"]).typed
    ]
    kinds = {_validate(message, typed) for message in _said(page)}
    if page == "protocol.md":
        assert kinds == {"suite_hello", "hello", "cases", "traces", "records", "partitions"}


def test_the_suite_reads_what_the_documentation_has_testees_write() -> None:
    for message in _said("protocol.md"):
        if _validate(message) in ("hello", "traces", "partitions"):
            assert read_message(json.dumps(message).encode()) == message


@pytest.mark.parametrize(("page", "examples"), [("protocol.md", 2), ("write-a-testee.md", 6)])
def test_every_example_of_the_documentation_answers_as_java_does(
    page: str, examples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the port does, which the matrix holds to Java: draws and states where they are shown."""
    monkeypatch.setattr(draws, "Draw", Given)
    questions = {one["id"]: one for one in _said(page) if one["type"] == "cases" and one["id"] != 7}
    told = [one for one in _said(page) if one["type"] == "traces" and one["id"] in questions]
    assert len(told) == examples
    for message in told:
        answered = perform(from_json(json.dumps(questions[message["id"]])))
        traces = from_json(json.dumps(message["traces"]))
        for trace, right in zip(traces, answered, strict=True):
            shown = next((tuple(step) for step in trace if _is_whole(step)), ())
            observed = [name for name in shown if name != "answer"]
            assert read_trace(trace, observed) == read_trace(right, observed)


def _is_whole(step: Any) -> bool:
    """Whether a step of a trace is more than its answer."""
    return isinstance(step, dict) and "answer" in step


def test_the_suite_says_hello_as_the_schema_has_it() -> None:
    assert suite_hello().endswith(b"}\n")
    assert _validate(json.loads(suite_hello())) == "suite_hello"


@pytest.mark.parametrize("behaviour", ASKED, ids=lambda behaviour: behaviour.name)
def test_cases_arrive_as_they_are(behaviour: Behaviour) -> None:
    client = next(one for one in CLIENT_VERSIONS if behaviour.name not in one.absent)

    @_FEW
    @given(st.lists(behaviour.cases(client), min_size=1, max_size=3))
    def check(cases: list[Case]) -> None:
        line = cases_line(7, behaviour.name, client.version, cases)
        assert line.count(b"\n") == 1
        assert line.isascii()
        _validate(json.loads(line))
        message = from_json(line.decode())
        assert (message["id"], message["behaviour"]) == (7, behaviour.name)
        assert (message["client"], len(message["cases"])) == (client.version, len(cases))
        for sent, case in zip(message["cases"], cases, strict=True):
            assert sent["config"] == case["config"]
            assert sent["metadata"] == json.loads(json.dumps(case["metadata"]))
            for step, operation in zip(sent["steps"], case["steps"], strict=True):
                # Two halves of a surrogate pair are one character after JSON.
                _expect_step(step, from_json(to_json(operation)))

    check()


def _expect_step(step: Any, operation: Any) -> None:
    rest = {name: value for name, value in operation.items() if name != "draw"}
    assert {name: value for name, value in step.items() if name != "draws"} == rest
    if "draw" not in operation:
        assert "draws" not in step
    elif operation["draw"] is None:
        assert step["draws"] == []
    else:
        sequence = Draw(*operation["draw"]).sequence()
        assert step["draws"] == [next(sequence) for _ in range(DRAWS_GIVEN)]


@pytest.mark.parametrize(
    ("members", "count"),
    [
        ({"keys": ["6b31", "", "ff"]}, 3),
        ({"count": 5}, 5),
        ({"closes": [0, 1]}, 2),
        ({"closes": [0, 1, 1], "bytes": [1, 2, 3], "batch_size": 9}, 3),
        (
            {
                "loads": [{"queues": [1, 2], "ids": [0, 1], "length": 2}],
                "order": [0, 0, 0],
                "choices": 4,
            },
            12,
        ),
    ],
)
def test_records_are_counted(members: dict[str, Any], count: int) -> None:
    question = {"partitions": [[0, 1], [1, None]], **members}
    line = records_line(8, "keyed", "3.8.0", 2**63, question)
    message = json.loads(line)
    assert _validate(message) == "records"
    assert message["seed"] == str(2**63)
    assert records_of(question) == records_of(message) == count


@pytest.mark.parametrize("observes", [(), ("draws",), ("state",), ("draws", "state")])
@pytest.mark.parametrize("behaviour", ASKED, ids=lambda behaviour: behaviour.name)
def test_traces_come_back_as_java_s_are_observed(
    behaviour: Behaviour, observes: tuple[str, ...]
) -> None:
    client = next(one for one in CLIENT_VERSIONS if behaviour.name not in one.absent)
    perform = PythonPort().performer(behaviour, client)

    @_FEW
    @given(behaviour.cases(client))
    def check(case: Case) -> None:
        trace = perform(case)
        steps = [_told(step, bare=not observes) for step in trace]
        line = to_json({"type": "traces", "id": 1, "traces": [steps]}).encode()
        [answered] = read_message(line, typed=behaviour.typed)["traces"]
        assert read_trace(answered, observes) == as_observed(trace, observes)

    check()


def _told(step: Any, *, bare: bool) -> Any:
    """A step as a testee writes it that observes everything, or nothing."""
    if bare:
        return _kind(step["answer"])
    state = {name: _kind(value) for name, value in step.get("state", {}).items()}
    return {**step, "answer": _kind(step["answer"]), **({"state": state} if state else {})}


def _kind(answer: Any) -> Any:
    if is_error(answer):
        return {"error": JAVA_ERRORS[answer["error"]], "message": "anything"}
    return answer


def test_a_crash_is_no_kind_of_error() -> None:
    crash: Trace = [{"answer": {"error": "python KeyError: 'argument'"}}]
    assert as_observed(crash, ()) == crash


def test_hello_is_read() -> None:
    support = {
        **{"mode": "statistical", "records": True, "claims": ["3.8.0"], "later": 1},
        **{"cannot": ["gaps in ids"], "operations": ["partition"], "observes": ["draws"]},
    }
    hello = hello_of({**_HELLO, "behaviours": {"sticky": support, "keyed": {"mode": "exact"}}})
    assert (hello.name, hello.version, hello.language) == ("mine", "1", "C")
    assert hello.behaviours == {
        "sticky": Support(
            "statistical",
            True,
            claims=("3.8.0",),
            cannot=("gaps in ids",),
            operations=("partition",),
            observes=("draws",),
        ),
        "keyed": Support("exact"),
    }
    assert [one.exact for one in hello.behaviours.values()] == [False, True]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"", "not JSON"),
        (b"hello", "not JSON"),
        (b"[1]", "not a message of the protocol"),
        (b"null", "not a message of the protocol"),
        (b'{"type": "cases", "id": 1}', "not a message of the protocol"),
        (b'{"type": ["traces"]}', "not a message of the protocol"),
        (b'{"type": "traces", "id": 1.0, "traces": []}', "1.0 is not a whole number"),
        (b'{"type": "traces", "id": NaN, "traces": []}', "NaN is not a whole number"),
        (b'{"type": "traces", "id": 0, "traces": []}', "['id']"),
        (b'{"type": "traces", "id": true, "traces": []}', "['id']"),
        (b'{"type": "traces", "id": 1, "traces": [[true]]}', "traces[0]"),
        (b'{"type": "traces", "id": 1, "traces": [["change"]]}', "traces[0]"),
        (b'{"type": "traces", "id": 1, "id": 1, "traces": []}', "two members with the same name"),
        (
            b'{"type": "traces", "id": 1, "traces": [[1, {"error": "null", "message": "%s"}]]}'
            % (b"x" * 2001),
            "traces[0][1]['message'] is longer than 2000 characters: \"xxx",
        ),
        (
            b'{"type": "traces", "id": 1, "traces": [{"could not try": "%s"}]}' % (b"x" * 2001),
            "traces[0]['could not try'] is longer than 2000 characters: \"xxx",
        ),
        (
            b'{"type": "traces", "id": 1, "traces": [[{"answer": {"error": "nul"}}]]}',
            "[0]['answer']['error'] has an unknown word, \"nul\". Did you mean null? Known: ",
        ),
        (
            b'{"type": "traces", "id": 1, "traces": [[{"answer": 1, "draws": -1}]]}',
            "traces[0][0]['draws'] is less than the minimum of 0: -1",
        ),
        (
            json.dumps({**_HELLO, "behaviours": {"sticki": {"mode": "exact"}}}).encode(),
            "['behaviours'] has an unknown word, \"sticki\". Did you mean sticky? Known: murmur2, ",
        ),
        (
            json.dumps({**_HELLO, "name": "x" * 10**6}).encode(),
            "['name'] is longer than 200 characters: \"xxx",
        ),
        (b'{"type": "partitions", "id": 1}', "against the schema"),
        (
            b'{"type": "partitions", "id": 1, "partitions": [], "could not try": "x"}',
            "against the schema",
        ),
        (b'{"type": "partitions", "id": 1, "could not try": ""}', "against the schema"),
        (b'{"type": "partitions", "id": 1, "could not try": "\\ud800"}', "surrogate"),
        (b'{"type": "hello", "protocol": true}', "against the schema"),
        (b'{"type": "\xff"}', "not UTF-8"),
        (b"[" * 10**6, "nested too deeply"),
        (b'{"type": "traces", "id": ' + b"9" * 4000 + b"}", "against the schema"),
    ],
)
def test_what_is_no_message_is_refused_with_what_is_wrong(line: bytes, words: str) -> None:
    with pytest.raises(errors.TesteeError) as refused:
        read_message(line)
    assert words in refused.value.what
    assert len(str(refused.value)) < 1000
    assert str(refused.value).replace("\n", "").isprintable()


@given(st.binary() | st.text().map(str.encode))
def test_any_line_is_a_message_or_refused(line: bytes) -> None:
    with pytest.raises(errors.TesteeError):
        read_message(line)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(
    st.dictionaries(
        st.sampled_from(["type", "id", "protocol", "traces", "behaviours", "partitions"]),
        st.sampled_from(["hello", "traces", "partitions", 1]) | _JSON,
    )
)
def test_any_object_is_a_message_or_refused(members: dict[str, Any]) -> None:
    refusal = ""
    try:
        _validate(read_message(json.dumps(members).encode()))
    except errors.TesteeError as refused:
        refusal = str(refused)
    assert refusal.replace("\n", "").isprintable()


def test_the_schema_names_the_behaviours_that_testees_can_be_asked() -> None:
    path = PROJECT / "conformance" / "schemas" / "protocol.schema.json"
    definitions = json.loads(path.read_text("utf-8"))["$defs"]
    asked = [behaviour.name for behaviour in ASKED]
    named = [one["enum"] for one in _objects(definitions) if "murmur2" in one.get("enum", ())]
    assert named == [asked] * 3


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in some JSON, at any depth."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from _objects(inner)
