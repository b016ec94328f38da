"""What checking a case costs, against what generating it costs: ``python bench/lockstep.py``.

Generates the cases of one behaviour twice in one run: once to throw each away, once to run it
on the real Java client and on the port and compare the traces. The rounds alternate.
"""

import argparse
import statistics
import time
from collections.abc import Callable

from hypothesis.strategies import SearchStrategy

from conformance.clients.versions import client_named
from conformance.engine.generation import generate
from conformance.engine.plan import behaviour_named
from conformance.jars.store import JarStore
from conformance.model.case import Case
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort


def seconds_per_case(cases: SearchStrategy[Case], use: Callable[[Case], None], count: int) -> float:
    """Generate ``count`` cases, hand each to ``use``; the mean seconds of a case."""
    started = time.perf_counter()
    generate(cases, lambda case, _number: use(case), cases=count, seed=0, shrink=False)
    return (time.perf_counter() - started) / count


def main() -> None:
    """Print the medians of both, and their ratio with its range."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--behaviour", default="built-in")
    parser.add_argument("--client", default="3.8.0")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    behaviour, client = behaviour_named(arguments.behaviour), client_named(arguments.client)
    expect = JavaSubject(JarStore()).performer(behaviour, client)
    answer = PythonPort().performer(behaviour, client)
    cases = behaviour.cases(client)

    def discard(_case: Case) -> None:
        """Generate only."""

    def lockstep(case: Case) -> None:
        assert expect(case) == answer(case)

    seconds_per_case(cases, lockstep, arguments.cases)  # warm up both sides
    alone, checked = [], []
    for _ in range(arguments.rounds):
        alone.append(seconds_per_case(cases, discard, arguments.cases))
        checked.append(seconds_per_case(cases, lockstep, arguments.cases))
    ratios = [one / other for one, other in zip(checked, alone, strict=True)]
    print(f"{behaviour.name}, {client}: {arguments.cases} cases, {arguments.rounds} rounds")
    print(f"  generated and discarded: {statistics.median(alone) * 1e3:.2f} ms a case")
    print(f"  generated and checked:   {statistics.median(checked) * 1e3:.2f} ms a case")
    middle = statistics.median(ratios)
    print(f"  ratio {middle:.2f} (from {min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main()
