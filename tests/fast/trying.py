"""Tries a few mutations and prints what became of them: a program, because it forks.

Run by test_score.py in a process of its own, in which no JVM was ever started.
"""

import json

from conformance.clients.versions import client_named
from conformance.engine.plan import behaviour_named
from conformance.model.case import Case
from conformance.model.results import Cell
from conformance.mutants.mutant import compile_kernel
from conformance.mutants.mutation import Mutation, mutations_of
from conformance.score.answers import Answers
from conformance.score.trial import try_mutations
from conformance.subjects.python_port import PythonPort

CACHE = "producer/sticky_partition_cache.py"
LOAD = "producer/load_stats.py"
WANTED = {
    "equivalent": (CACHE, "return available[0].partition", "NumberReplacer", 1),
    "off the list": (CACHE, "return available[0].partition", "NumberReplacer", 0),
    "endless draws": (CACHE, "while new is None or new == old:", "AddNot", 0),
    "endless loop": (LOAD, "low = middle + 1", "NumberReplacer", 1),
    "not looked at": (
        "randomness.py",
        "return _random.getrandbits(32) - 2**31",
        "NumberReplacer",
        0,
    ),
}


def sticky() -> Case:
    """One topic with one available partition, then with two."""
    metadata = [[("t", [[7, 0], [8, None]])], [("t", [[7, 0], [8, 1]])]]
    steps = [{"op": "partition", "topic": "t", "metadata": at, "draw": [at, 0]} for at in (0, 1)]
    moved = {"op": "new batch", "topic": "t", "previous": {"step": 0}}
    steps += [{**moved, "metadata": 1, "draw": [draw, 0]} for draw in (0, 1)]
    return {"config": {}, "metadata": metadata, "steps": steps}


def loaded() -> Case:
    """A choice from a table of three."""
    steps = [
        {"op": "create", "topic": "t", "batch_size": 1},
        {"op": "load", "topic": "t", "queues": [0, 1, 2], "ids": [0, 1, 2], "length": 3},
        {"op": "peek", "topic": "t", "metadata": 0, "draw": [4, 0]},
    ]
    return {"config": {"assertions": False, "source": "mock"}, "metadata": [None], "steps": steps}


def answers(behaviour: str, case: Case) -> Answers:
    """What the port itself answers, taken for right."""
    cell = Cell(behaviour, "3.8.0")
    perform = PythonPort().performer(behaviour_named(cell.behaviour), client_named(cell.client))
    return Answers(cell, [(case, perform(case))])


def wanted(file: str, text: str, operator: str, which: int) -> Mutation:
    """A mutation by its line and operator; ``which`` counts those of the line."""
    some = [one for one in mutations_of(file) if one.text == text and one.operator == operator]
    return some[which]


if __name__ == "__main__":
    compile_kernel()
    named = {name: wanted(*description) for name, description in WANTED.items()}
    right = [answers("sticky-cache", sticky()), answers("load-stats", loaded())]
    tried = {one.mutation: one for one in try_mutations(named.values(), lambda _: right, jobs=2)}
    outcomes = {name: str(tried[mutation].outcome) for name, mutation in named.items()}
    print(json.dumps(outcomes))
