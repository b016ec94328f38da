"""A divergence in words: what was asked, what Java answered, what the subject answered."""

import struct
from collections.abc import Iterator, Sequence
from typing import Any

from conformance.draws import Draw
from conformance.model.case import Case, Metadata, Operation
from conformance.model.results import Divergence
from conformance.model.trace import Trace
from conformance.model.values import DOUBLE, INT64, MAP, is_error, is_value, shown_number
from conformance.reports.differing_bytes import differing_bytes
from conformance.text import counted

_SHOWN_BYTES = 40
_SHOWN_PARTITIONS = 24
_STEPS_BEFORE = 12
_CASES_BEFORE = 3


def describe_divergence(divergence: Divergence, replay_command: str) -> str:
    """The whole divergence as plain text, ready to be pasted into a bug report."""
    cell, step = divergence.cell, divergence.step
    lines = [
        f"{cell.behaviour}, client {cell.client}: {divergence.answered_by} differs from "
        f"{divergence.expected_of} at step {step} of {len(divergence.case['steps'])}",
        f"  Java: {divergence.java_method}",
        f"  after {counted(divergence.cases_before, 'case')} that agreed; seed {divergence.seed}",
        *_before(divergence.before or ()),
        *_given(divergence.case),
        "Steps:",
        *_steps(divergence),
    ]
    if divergence.remarks:
        lines += ["Remarks:", *(f"  {remark}" for remark in divergence.remarks)]
    lines += [f"Replay: {replay_command}"]
    return "\n".join(lines)


def in_one_line(divergence: Divergence) -> str:
    """The step at which the two part, and what both answer, for tables."""
    case, at = divergence.case, min(divergence.step, len(divergence.case["steps"]) - 1)
    operation = case["steps"][at]
    shown = {name: value for name, value in operation.items() if name != "metadata"}
    given = [f"{name}={_value(value)}" for name, value in case["config"].items() if value != {}]
    if "metadata" in operation:
        given.append(f"metadata: {_metadata(case['metadata'][operation['metadata']])}")
    told = [
        f"{f'after {at} other: ' if at else ''}{_operation(shown)}",
        *([f"with {'; '.join(given)}"] if given else []),
    ]
    return (
        f"{', '.join(told)}: {divergence.expected_of} {_outcome(case, divergence.expected, at)}; "
        f"{divergence.answered_by} {_outcome(case, divergence.answered, at)}"
    )


def _before(cases: Sequence[Case]) -> Iterator[str]:
    """What has to be asked of the same subject before the case."""
    hidden = max(0, len(cases) - _CASES_BEFORE)
    if hidden:
        yield f"Asked before it: {len(cases)} cases; the file has all of them, these are the last:"
    for number, case in enumerate(cases[hidden:], hidden + 1):
        yield f"Asked before it ({number} of {len(cases)}):"
        yield from (f"  {line}" for line in _given(case))
        steps = case["steps"]
        yield from (f"    {_operation(operation)}" for operation in steps[:_STEPS_BEFORE])
        if len(steps) > _STEPS_BEFORE:
            yield f"    ... {len(steps) - _STEPS_BEFORE} more steps"


def _given(case: Case) -> Iterator[str]:
    if case["config"]:
        settings = ", ".join(f"{name}={_value(value)}" for name, value in case["config"].items())
        yield f"Given: {settings}"
    used = {operation.get("metadata") for operation in case["steps"]}
    for index, snapshot in enumerate(case["metadata"]):
        if index in used:
            yield f"Metadata {index}: {_metadata(snapshot)}"


def _metadata(snapshot: Metadata | None) -> str:
    if snapshot is None:
        return "null"
    if not snapshot:
        return "no topics"
    topics = []
    for topic, partitions in snapshot:
        shown = ", ".join(
            f"{number} (no leader)" if leader is None else f"{number} (leader {leader})"
            for number, leader in partitions[:_SHOWN_PARTITIONS]
        )
        more = len(partitions) - _SHOWN_PARTITIONS
        topics.append(
            f"topic {topic!r}, partitions {shown}" + (f" and {more} more" if more > 0 else "")
        )
    return "; ".join(topics)


def _steps(divergence: Divergence) -> Iterator[str]:
    first = max(0, divergence.step - _STEPS_BEFORE)
    if first:
        yield f"  ... {first} steps with the same answers"
    case = divergence.case
    operations = case["steps"]
    for index in range(first, min(divergence.step + 1, len(operations))):
        operation = operations[index]
        expected = _outcome(case, divergence.expected, index)
        drawn = _drawn(operation, divergence.expected, index)
        yield f"  {index:3d}. {_operation(operation)}{drawn}"
        if index < divergence.step:
            yield f"       both: {expected}"
        else:
            yield f"       {divergence.expected_of}: {expected}"
            yield f"       {divergence.answered_by}: {_outcome(case, divergence.answered, index)}"
            if index < min(len(divergence.expected), len(divergence.answered)):
                both = divergence.expected[index], divergence.answered[index]
                yield from (
                    f"         differ in {told}" for told in differing_bytes(*both, _SHOWN_BYTES)
                )


def _operation(operation: Operation) -> str:
    hidden = ("op", "draw")
    details = ", ".join(
        f"{name} {_value(value)}" for name, value in operation.items() if name not in hidden
    )
    return f"{operation['op']}: {details}"


def _drawn(operation: Operation, trace: Trace, index: int) -> str:
    """The values that this step drew, or the one that it was offered."""
    if "draw" not in operation:
        return ""
    count = trace[index].get("draws", 0) if index < len(trace) else 0
    sequence = Draw(*operation["draw"]).sequence()
    values = [str(next(sequence)) for _ in range(min(max(count, 1), 8))]
    return f", {'draws' if count else 'could draw'} {', '.join(values)}"


def _outcome(case: Case, trace: Trace, index: int) -> str:
    if index >= len(trace):
        return "no answer"
    step = trace[index]
    answer = step["answer"]
    text = f"throws {answer['error']}" if is_error(answer) else f"answers {_value(answer)}"
    if case["steps"][index]["op"] == "serialize" and isinstance(answer, list):
        text = f"answers {_serialized(answer)}"
    if "draws" in step:
        text += f", {step['draws']} {'draw' if step['draws'] == 1 else 'draws'}"
    state = ", ".join(
        f"{_name(name)} {_value(value)}" for name, value in step.get("state", {}).items()
    )
    return f"{text}; state: {state}" if state else text


def _serialized(answer: list[Any]) -> str:
    """A serialized key's bytes, behind which the answer has the partition."""
    try:
        *data, partition = answer
        return f"the bytes {_value(bytes(data))} and partition {_value(partition)}"
    except (TypeError, ValueError):  # whatever a testee takes for bytes
        return _value(answer)


def _name(name: str) -> str:
    """A name as it is, unless a terminal could do something else with it than show it."""
    return name if name.isprintable() else repr(name)


def _value(value: Any) -> str:
    if isinstance(value, bytes):
        return _bytes(value)
    if isinstance(value, dict):
        return _typed(value) if is_value(value) else _named(value)
    if isinstance(value, list):
        shown = ", ".join(_value(item) for item in value[:_SHOWN_BYTES])
        return f"[{shown}{', ...' if len(value) > _SHOWN_BYTES else ''}]"
    if value is None:
        return "null"
    return shown_number(value) if type(value) is int else repr(value)


def _bytes(value: bytes) -> str:
    text = value[:_SHOWN_BYTES].decode("utf-8", "replace")
    readable = f" {text!r}" if text.isprintable() and text else ""
    cut = f"... ({len(value)} bytes)" if len(value) > _SHOWN_BYTES else ""
    return f"hex '{value[:_SHOWN_BYTES].hex(' ')}'{cut}{readable}"


def _named(values: dict[str, Any]) -> str:
    if values.keys() == {"step"}:
        return f"the answer of step {values['step']}"
    return "{" + ", ".join(f"{_name(name)}: {_value(v)}" for name, v in values.items()) + "}"


def _typed(value: dict[str, Any]) -> str:
    """A value that says of which type it is."""
    ((name, held),) = value.items()
    if name == MAP:
        pairs = ", ".join(f"{_value(key)} to {_value(to)}" for key, to in held)
        return f"a map of {pairs}" if held else "an empty map"
    if name == DOUBLE:
        (number,) = struct.unpack(">d", bytes.fromhex(held))
        return f"{number!r} (double, bits {held})"
    return f"{held} (long)" if name == INT64 else f"error {held!r}"
