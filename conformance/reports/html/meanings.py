"""What a difference means for whoever uses a library, by behaviour and kind of difference."""

from collections.abc import Mapping
from typing import Any

from conformance.behaviours.partitioning.meanings import KEYS_MOVE
from conformance.behaviours.registry import BEHAVIOURS
from conformance.model.behaviour import Behaviour
from conformance.model.difference import AnswerSort, Part
from conformance.model.results import Verdict
from conformance.reports.html.text import cut

_HOT = "Some partitions get more than their share: they fill up and lag while others are idle."

_BEHAVIOURS: Mapping[str, Behaviour] = {behaviour.name: behaviour for behaviour in BEHAVIOURS}
_ABOUT_KEYS = {behaviour.name for behaviour in BEHAVIOURS if behaviour.about_keys}
_TESTS: Mapping[str, str] = {
    "available": "Records go to partitions without a leader: they wait, or time out, where Java "
    "would have chosen another.",
    "stays": "Records without key change their partition where Java stays: smaller batches, more "
    "requests, less compression.",
    "moves on": "After a batch it may stay where Java always moves on: load evens out later.",
    "in turn": "Records do not take turns as in Java: shares are less even over short times.",
    "transitions": "The next partition is not chosen as in Java: some are preferred after others.",
    "no memory": "The next partition depends on more than the present one: a pattern that Java "
    "does not have.",
    "first": "Producers prefer some partitions to start with: many small producers load these "
    "more.",
    "choices": _HOT,
    "partitions": _HOT,
    "distinct keys": "Keys are spread less evenly than by a good hash. " + _HOT,
    "record by record": KEYS_MOVE,
    "weights": "Partitions are not chosen by the room in their queues as in Java: slow brokers "
    "may not be relieved.",
    "answers": "It crashed, or answered something that is not a partition: nothing else is known.",
}
"""Tests of distributions, by their names."""


def meanings(cell: Mapping[str, Any]) -> list[str]:
    """Of all that differs in a cell: each meaning once, what breaks data first.

    What was seen only in some contexts, such as ids with gaps, says so.
    """
    failed = [test for test in cell["tests"] if test["verdict"] == Verdict.DIVERGES]
    found: dict[str, set[str]] = {}
    for test in failed:
        found.setdefault(_of_test(cell["behaviour"], test["test"]), set()).add("")
    for kind in cell["kinds"].values():
        context = cut(", ".join(kind["contexts"]), 200)
        found.setdefault(_of_case(cell["behaviour"], kind), set()).add(context)
    told = [
        meaning if "" in contexts else f"{meaning} Seen only with: {'; '.join(sorted(contexts))}."
        for meaning, contexts in found.items()
    ]
    return sorted(told, key=lambda meaning: (KEYS_MOVE not in meaning, meaning))


def _of_case(behaviour: str, kind: Mapping[str, Any]) -> str:
    part, expected, answered = kind["part"], kind["expected"], kind["answered"]
    if part in (Part.NOTHING, Part.MORE) or (answered and answered["sort"] == AnswerSort.DEATH):
        return "It crashed instead of answering: a crash in production, or a bug in its adapter."
    if part in (Part.STATE, Part.DRAWS):
        return (
            "The answers agree up to here, but it remembers or draws something else: later "
            "choices will differ from Java's."
        )
    failed = [one["sort"] == AnswerSort.ERROR for one in (expected, answered)]
    if all(failed):
        return "Both refuse, with different kinds of error: this matters to code that handles them."
    if failed[1]:
        return (
            "Where the Java client answers, this library fails: such records cannot be sent with "
            "it, or not in the same way."
        )
    if failed[0]:
        return (
            "Where the Java client refuses, this library goes on: a mistake goes unnoticed, and "
            "the record goes somewhere."
        )
    return _meaning(behaviour)


def _meaning(behaviour: str) -> str:
    """Of another answer; a report of another version may have a behaviour that this one has not."""
    if behaviour in _BEHAVIOURS:
        return _BEHAVIOURS[behaviour].meaning
    return "Its answer differs from the Java client's."


def _of_test(behaviour: str, test: str) -> str:
    if test == "record by record" and behaviour not in _ABOUT_KEYS:
        return _meaning(behaviour)
    if test.startswith("queues "):
        return _TESTS["weights"]
    return _TESTS.get(test, "The choices are not distributed like the Java client's.")
