"""What is left of a counterexample, as plain as it can be: for people, and for nothing else.

Hypothesis shrinks what it drew: how many queues there are and how many of them count, say, apart
from each other. Here a case is made plainer as it stands: fewer topics and snapshots, shorter lists
and keys, zeros for the bytes of a key that do not matter.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from conformance.engine.minimise import minimise
from conformance.model.case import Case, Metadata, Operation, with_step

_BUDGET: Final = 1000
"""How many cases are tried at most."""
_ALIKE: Final = ("queues", "ids", "racks")
"""The lists of a step that have a member for each partition."""
_PIECES: Final = 16
"""Into how many pieces a key is taken at most, to be zeros piece by piece."""


def plainest(case: Case, step: int, diverges_at: Callable[[Case], int | None]) -> Case:
    """What :func:`minimise` leaves, as plain as it can be; the arguments are the same."""
    case = minimise(case, step, diverges_at)
    tried = 0
    for ways in (_fewer_snapshots, _fewer_topics, _shorter_lists, _shorter_keys, _zeros):
        plainer: Case | None = case
        while plainer is not None:
            case, plainer = plainer, None
            for one in ways(case):
                tried += 1
                parted = diverges_at(one) if tried <= _BUDGET else None
                if parted is not None:
                    plainer = {**one, "steps": one["steps"][: parted + 1]}
                    break
    return case


def _fewer_topics(case: Case) -> Iterator[Case]:
    """The case without each of a snapshot's topics."""
    for number, topics in enumerate(case["metadata"]):
        for at in range(len(topics or ())):
            assert topics is not None
            metadata: list[Metadata | None] = [*case["metadata"]]
            metadata[number] = topics[:at] + topics[at + 1 :]
            yield {**case, "metadata": metadata}


def _fewer_snapshots(case: Case) -> Iterator[Case]:
    """The case with the snapshots that its steps see, numbered anew; then without one of them."""
    used = sorted({step["metadata"] for step in case["steps"] if "metadata" in step})
    if len(used) < len(case["metadata"]):
        yield seeing(case, used, {number: at for at, number in enumerate(used)})
    for gone in used:
        for instead in used:
            if instead != gone:
                left = [number for number in used if number != gone]
                places = {number: at for at, number in enumerate(left)}
                yield seeing(case, left, {**places, gone: places[instead]})


def seeing(case: Case, kept: list[int], places: dict[int, int]) -> Case:
    """The case with the snapshots that are kept, and their new numbers in its steps."""
    steps = [
        {**step, "metadata": places[step["metadata"]]} if "metadata" in step else step
        for step in case["steps"]
    ]
    return {**case, "metadata": [case["metadata"][number] for number in kept], "steps": steps}


def _shorter_lists(case: Case) -> Iterator[Case]:
    """The case without ever shorter runs of a step's queues, headers, or keys of its column."""
    for at, step in enumerate(case["steps"]):
        for names in (_ALIKE, ("keys",), ("headers",)):
            lists = {name: step[name] for name in names if isinstance(step.get(name), list)}
            longest = max(map(len, lists.values()), default=0)
            for run in _halves(longest):
                for first in range(longest - run, -1, -run):
                    fewer = {name: one[:first] + one[first + run :] for name, one in lists.items()}
                    shorter = {**step, **fewer}
                    if shorter.get("keys") == [] and "rows" in step:
                        shorter["rows"] = 0
                    if "length" in step:  # less by those that it counted
                        shorter["length"] -= min(max(0, step["length"] - first), run)
                    yield with_step(case, at, shorter)


def _shorter_keys(case: Case) -> Iterator[Case]:
    """The case with ever smaller ends, or beginnings, of a step's longest keys or texts gone."""
    for at, step in enumerate(case["steps"]):
        longest = max(map(len, _texts(step)), default=0)
        for gone in _halves(longest):
            yield with_step(case, at, _changed(step, partial(_beginning, longest - gone)))
            if gone < longest:
                yield with_step(case, at, _changed(step, partial(_ending, longest - gone)))


def _zeros(case: Case) -> Iterator[Case]:
    """The case with zeros for a key, for its halves, and so on."""
    for at, step in enumerate(case["steps"]):
        longest = max((len(key) for key in _texts(step) if isinstance(key, bytes)), default=0)
        for run in _halves(longest):
            if run * _PIECES < longest:
                break
            for first in range(0, longest, run):
                zeros = _changed(step, partial(_zeroed, first, run))
                if zeros != step:
                    yield with_step(case, at, zeros)


def _beginning(length: int, text: Any) -> Any:
    return text[:length]


def _ending(length: int, text: Any) -> Any:
    return text[-length:]


def _zeroed(first: int, run: int, key: Any) -> Any:
    if not isinstance(key, bytes):
        return key
    return key[:first] + bytes(len(key[first : first + run])) + key[first + run :]


def _texts(step: Operation) -> list[bytes | str]:
    """A step's keys, headers and text; what is written as text, such as a long, is none."""
    kinds = (bytes, str) if step.get("type") == "string" else bytes
    values = (step.get("key"), step.get("value"), *step.get("keys", ()))
    texts = [value for value in values if isinstance(value, kinds)]
    return texts + [one for header in step.get("headers") or () for one in header if one]


def _changed(step: Operation, change: Callable[[Any], Any]) -> Operation:
    """The step with each of its keys, or its text, changed."""
    texts = _texts(step)
    changed = {name: change(step[name]) for name in ("key", "value") if step.get(name) in texts}
    if "keys" in step:
        changed["keys"] = [None if key is None else change(key) for key in step["keys"]]
    if step.get("headers"):
        changed["headers"] = [
            [None if one is None else change(one) for one in header] for header in step["headers"]
        ]
    return {**step, **changed}


def _halves(most: int) -> list[int]:
    """The number itself, its half, ... and 1."""
    return [most >> power for power in range(most.bit_length())]
