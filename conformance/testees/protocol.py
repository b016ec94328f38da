"""The messages of the testee protocol: written, read, and checked against its schema."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import islice
from typing import Any, Final

import jsonschema_rs

from conformance.draws import Draw
from conformance.model.case import Case, Operation
from conformance.model.trace import Trace
from conformance.model.values import HEX, MAP, is_error, is_value, mapping, plain_bytes
from conformance.names import closest
from conformance.strategies.integers import INT32_MAX, INT32_MIN
from conformance.suite_version import suite_version
from conformance.testees.errors import TesteeError
from conformance.text import inert

PROTOCOL: Final = 1
DRAWS_GIVEN: Final = 16
"""Draws written out for each step."""
COULD_NOT_TRY: Final = "could not try"
_SHOWN = 200
_MASK = "it"
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_LISTS = ("claims", "cannot", "operations", "observes")

JAVA_ERRORS: Final[Mapping[str, str]] = {
    "java.lang.NullPointerException": "null",
    "java.lang.ArithmeticException": "arithmetic",
    "java.lang.IllegalArgumentException": "argument",
    "java.lang.NumberFormatException": "argument",
    "java.lang.IndexOutOfBoundsException": "index",
    "java.lang.ArrayIndexOutOfBoundsException": "index",
    "java.lang.AssertionError": "assertion",
    "java.lang.IllegalStateException": "state",
}
"""The kinds of error in the protocol, by Java's classes."""


@dataclass(frozen=True, slots=True)
class Support:
    """What a testee says of one behaviour."""

    mode: str
    records: bool = False
    topics: bool = False
    claims: tuple[str, ...] = ()
    cannot: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    observes: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether it takes the suite's draws."""
        return self.mode == "exact"


@dataclass(frozen=True, slots=True)
class Hello:
    """Who a testee is and what it supports."""

    name: str
    version: str
    language: str
    behaviours: Mapping[str, Support] = field(default_factory=dict)


def suite_hello() -> bytes:
    """The suite's first line."""
    return _line({"type": "hello", "protocol": PROTOCOL, "suite": suite_version()})


def cases_line(number: int, behaviour: str, client: str, cases: Iterable[Case]) -> bytes:
    """A question: cases to perform."""
    return _line(
        {
            "type": "cases",
            "id": number,
            "behaviour": behaviour,
            "client": client,
            "cases": [_with_draws(case) for case in cases],
        }
    )


def records_line(
    number: int, behaviour: str, client: str, seed: int, members: Mapping[str, Any]
) -> bytes:
    """A question: many records of one topic."""
    question = {"type": "records", "id": number, "behaviour": behaviour, "client": client}
    rest = {name: value for name, value in members.items() if name != "keys"}
    line = _line({**question, "seed": str(seed), **rest})
    if "keys" not in members:
        return line
    # Hexadecimal text needs no escaping, so it need not go through the encoder one by one.
    keys = '","'.join(members["keys"])
    quoted = f'["{keys}"]' if members["keys"] else "[]"
    return line[:-2] + f',"keys":{quoted}}}\n'.encode("ascii")


def records_of(members: Mapping[str, Any]) -> int:
    """How many records a question speaks of, and so how many partitions its answer has."""
    if "count" in members:
        return int(members["count"])
    if "order" in members:
        return len(members["order"]) * int(members["choices"])
    return len(members["keys"] if "keys" in members else members["closes"])


def read_message(line: bytes, *, typed: bool = False) -> dict[str, Any]:
    """One line of a testee; raises :class:`TesteeError` for what is no message of it.

    ``typed``: the answers are values of any type (see :mod:`conformance.model.values`).
    """
    try:
        message = json.loads(
            line.decode("utf-8"),
            parse_float=_no_float,
            parse_constant=_no_float,
            object_pairs_hook=_members,
        )
        if _SURROGATE.search(line):
            json.dumps(message, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as error:
        raise TesteeError(f"The testee wrote a line that is not UTF-8: {_shown(line)}.") from error
    except UnicodeEncodeError as error:
        raise TesteeError(
            f"The testee wrote a text with half of a surrogate pair: {_shown(line)}."
        ) from error
    except RecursionError as error:
        raise TesteeError(f"The testee wrote a line nested too deeply: {_shown(line)}.") from error
    except ValueError as error:
        what_kind = "no message" if isinstance(error, _RefusedError) else "not JSON"
        raise TesteeError(
            f"The testee wrote a line that is {what_kind} ({str(error)[:_SHOWN]}): "
            f"{_shown(line, getattr(error, 'pos', 0))}.",
            "Only messages belong on standard output, one JSON object per line, whole numbers "
            "only; logs and banners go to standard error.",
        ) from error
    kind = message.get("type") if isinstance(message, dict) else None
    told_as = "typed_traces" if typed and kind == "traces" else kind
    validator = _validators().get(told_as) if isinstance(told_as, str) else None
    if kind == "hello" and message.get("protocol") != PROTOCOL:
        raise TesteeError(
            f"The testee speaks version {repr(message.get('protocol'))[:_SHOWN]} of the protocol, "
            f"this suite version {PROTOCOL}."
        )
    if validator is None:
        raise TesteeError(
            f"The testee wrote a line that is not a message of the protocol: {_shown(line)}."
        )
    try:
        problem = next(validator.iter_errors(_without_plain_partitions(message)), None)
    except ValueError as error:  # numbers that no schema library takes
        raise TesteeError(f"The testee wrote {_shown(line)}: {error}.") from error
    if problem is not None:
        told = _wrong_step(message, typed) or _told(problem)
        raise TesteeError(
            f"The testee wrote a message of type {kind!r} that is against the schema: {told}"
        )
    if told_as == "typed_traces":
        return {**message, "traces": [_typed_trace(trace) for trace in message["traces"]]}
    return dict(message)


def _typed_trace(trace: Any) -> Any:
    """A trace of typed values as the engine has them, or why it could not be tried."""
    if isinstance(trace, dict):
        return trace
    read = []
    for step in trace:
        told = as_step(step)
        values = {"answer": told["answer"], **told.get("state", {})}
        plain = {name: _typed_value(value) for name, value in values.items()}
        for name, value in plain.items():
            if not is_value(value):
                raise TesteeError(
                    f"The testee answered {_shown_value(values[name])}; a long has 64 bits, and "
                    "a map each of its keys once."
                )
        answer = plain.pop("answer")
        read.append({**told, "answer": answer, **({"state": plain} if "state" in told else {})})
    return read


def _typed_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_typed_value(one) for one in value]
    if isinstance(value, dict):
        if HEX in value:
            return bytes.fromhex(value[HEX])
        if MAP in value:
            return mapping((_typed_value(key), _typed_value(held)) for key, held in value[MAP])
        return _without_message(value)
    return value


def _wrong_step(message: Mapping[str, Any], typed: bool) -> str:
    """Which step of which trace is no answer; "any of these" of a schema helps nobody."""
    traces = message.get("traces")
    for at, trace in enumerate(traces if isinstance(traces, list) else ()):
        if isinstance(trace, dict):
            problem = next(_validator_of("could_not_try").iter_errors(trace), None)
            if problem is not None:
                return _told(problem, f"traces[{at}]")
        elif not isinstance(trace, list):
            return f"traces[{at}] is {_shown_value(trace)}; a trace is a list, an answer per step."
        for step, entry in enumerate(trace if isinstance(trace, list) else ()):
            if not _step_validator(typed).is_valid(entry):
                return _wrong_entry(entry, f"traces[{at}][{step}]", typed)
    return ""


def _wrong_entry(entry: Any, where: str, typed: bool) -> str:
    """What is wrong with an entry of a trace, by the part of the schema that it is meant for."""
    if isinstance(entry, dict) and "answer" in entry:
        step = "typed_step" if typed else "step"
        problem = next(_validator_of(f"{step}/anyOf/1").iter_errors(entry))
        if list(problem.instance_path) != ["answer"]:
            return _told(problem, where)
        where, entry = f"{where}['answer']", entry["answer"]
    if isinstance(entry, dict) and "error" in entry:
        return _told(next(_validator_of("error").iter_errors(entry)), where)
    wanted = (
        "docs/protocol.md, Typed answers, has how each type is written"
        if typed
        else "a partition is a whole number of 32 bits, not text"
    )
    return f"{where} is {_shown_value(entry)}; {wanted}."


def _told(problem: Any, where: str = "") -> str:
    """What a schema finds wrong: the place, the reason, and only then the value: it may be long."""
    where += "".join(f"[{part!r}]" for part in problem.instance_path)
    where = inert(where[:_SHOWN]) or "the message"
    problem = problem.kind.error if problem.kind.name == "propertyNames" else problem
    if problem.kind.name == "required":
        return f"{where}: {inert(problem.message)}."
    shown = _shown_value(problem.instance)
    if problem.kind.name == "enum" and isinstance(problem.instance, str):
        known = [str(one) for one in problem.kind.options]
        return f"{where} has an unknown word, {shown}. {closest(shown[1:-1], known)}"
    if problem.kind.name.startswith(("anyOf", "oneOf")):
        return f"{where} is nothing that may stand there: {shown}."
    reason = inert(problem.message[:_SHOWN]).removeprefix(f"{_MASK} ")
    return f"{where} {reason}: {shown}."


def _shown_value(value: Any) -> str:
    text = json.dumps(value)
    return inert(text[:_SHOWN]) + ("..." if len(text) > _SHOWN else "")


def hello_of(message: Mapping[str, Any]) -> Hello:
    """A testee's hello; raises :class:`TesteeError` if the message is another one."""
    if message["type"] != "hello":
        raise TesteeError(f"The testee's first message is {message['type']!r}, not its hello.")
    behaviours = {
        name: Support(
            mode=support["mode"],
            records=bool(support.get("records")),
            topics=bool(support.get("topics")),
            **{key: tuple(map(inert, support.get(key, ()))) for key in _LISTS},
        )
        for name, support in message["behaviours"].items()
    }
    name, version, language = (inert(message[at]) for at in ("name", "version", "language"))
    return Hello(name, version, language, behaviours)


def read_trace(steps: Sequence[Any], observes: Sequence[str]) -> Trace:
    """A trace as the engine compares it, without what the testee does not observe."""
    trace: Trace = []
    for entry in steps:
        step = as_step(entry)
        trace.append(_observed({**step, "answer": _without_message(step["answer"])}, observes))
    return trace


def as_step(entry: Any) -> dict[str, Any]:
    """An entry of a testee's trace, which may be an answer alone, as a step."""
    return entry if isinstance(entry, dict) and "answer" in entry else {"answer": entry}


def as_observed(trace: Trace, observes: Sequence[str]) -> Trace:
    """A real client's trace as a testee can give it: error kinds, and only what it observes."""
    return [
        _observed({**step, "answer": _as_kind(step["answer"]), **_state_kinds(step)}, observes)
        for step in trace
    ]


def _state_kinds(step: Any) -> dict[str, Any]:
    if "state" not in step:
        return {}
    return {"state": {name: _as_kind(value) for name, value in step["state"].items()}}


def _as_kind(answer: Any) -> Any:
    if not is_error(answer):
        return answer
    # A subject that is no real client may have crashed; that equals nothing.
    return {"error": JAVA_ERRORS.get(answer["error"], answer["error"])}


def _without_message(answer: Any) -> Any:
    return {"error": answer["error"]} if is_error(answer) else answer


def _observed(step: Any, observes: Sequence[str]) -> Any:
    return {name: step[name] for name in ("answer", *observes) if name in step}


def _with_draws(case: Case) -> Case:
    """The case with its draws written out, for those that do not compute Java's sequence."""
    return {**case, "steps": [step_with_draws(operation) for operation in case["steps"]]}


def step_with_draws(operation: Operation, count: int = DRAWS_GIVEN) -> Operation:
    """A step with the first ``count`` values that it may draw, instead of what they follow from."""
    if "draw" not in operation:
        return operation
    draw = operation["draw"]
    draws = [] if draw is None else list(islice(Draw(*draw).sequence(), count))
    rest = {name: value for name, value in operation.items() if name != "draw"}
    return {**rest, "draws": draws}


def _line(message: Mapping[str, Any]) -> bytes:
    text = json.dumps(message, default=plain_bytes, separators=(",", ":"), ensure_ascii=True)
    return text.encode("ascii") + b"\n"


def _without_plain_partitions(message: Any) -> Any:
    """The message without a long list that is as it should be, which is checked faster here."""
    answers = message.get("partitions")
    if not isinstance(answers, list) or set(map(type, answers)) != {int}:
        return message
    if min(answers) < INT32_MIN or max(answers) > INT32_MAX:
        return message
    return {**message, "partitions": []}


class _RefusedError(ValueError):
    """What is JSON, and not taken for a message."""


def _no_float(text: str) -> Any:
    raise _RefusedError(f"{text[:40]} is not a whole number")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two members of one name nobody could tell which one is meant."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _RefusedError("an object has two members with the same name")
    return members


def _shown(line: bytes, at: int = 0) -> str:
    """As much of a line as there is room for, around that character."""
    text = line.decode("utf-8", "backslashreplace")
    first = 0 if at < _SHOWN else at - _SHOWN // 2
    shown = ascii(text[first : first + _SHOWN])
    return ("..." if first else "") + shown + ("..." if len(text) > first + _SHOWN else "")


@cache
def _step_validator(typed: bool) -> Any:
    return _validator_of("typed_step" if typed else "step")


@cache
def _definitions() -> Any:
    text = (resources.files("conformance") / "schemas" / "protocol.schema.json").read_text("utf-8")
    return json.loads(text)["$defs"]


@cache
def _validators() -> dict[str, Any]:
    # A validator for each type of message says what is wrong better than their "one of".
    return {kind: _validator_of(kind) for kind in ("hello", "traces", "typed_traces", "partitions")}


def _validator_of(kind: str) -> Any:
    whole = {"$ref": f"#/$defs/{kind}", "$defs": _definitions()}
    # The mask stands in messages for the value.
    return jsonschema_rs.Draft202012Validator(whole, mask=_MASK)
