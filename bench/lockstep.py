"""What checking a case costs, against generating it, and against Java's side alone.

    python bench/lockstep.py --behaviour accumulator

Generates the cases of one behaviour as a run does, twice: once to throw each away, once to have
the real Java client and the port perform it, in batches, and to compare the traces. Besides, they
are generated without being told apart from earlier ones. Then the same cases, already made, go to
Java alone, and to both. The rounds alternate.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence

from hypothesis.strategies import SearchStrategy

from conformance.clients.versions import client_named
from conformance.engine.batches import Batches
from conformance.engine.comparing import Asked
from conformance.engine.garbage import collected_rarely
from conformance.engine.generation import generate, generate_cases
from conformance.engine.plan import behaviour_named
from conformance.jars.store import JarStore
from conformance.model.case import Case
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort


def seconds_unseen(cases: SearchStrategy[Case], count: int) -> float:
    """Generate ``count`` cases without a look at any; the mean seconds of a case."""
    started = time.perf_counter()
    generate(cases, lambda _case, _number: None, cases=count, seed=0, shrink=False)
    return (time.perf_counter() - started) / count


def seconds_per_case(
    cases: SearchStrategy[Case], use: Callable[[Sequence[Asked]], None], count: int
) -> float:
    """Generate ``count`` cases, hand each batch to ``use``; the mean seconds of a case."""
    started = time.perf_counter()
    batches = Batches(use)
    generate_cases(cases, lambda case: case, batches.take, cases=count, seed=0)
    batches.flush()
    return (time.perf_counter() - started) / count


def seconds_per_step(cases: Sequence[Case], use: Callable[[Case], object]) -> float:
    """Hand each case to ``use``; the mean seconds of a step.

    Python collects garbage as rarely as while cases are generated: JPype has Java do so each time.
    """
    started = time.perf_counter()
    with collected_rarely():
        for case in cases:
            use(case)
    return (time.perf_counter() - started) / sum(len(case["steps"]) for case in cases)


def told(ratios: Sequence[float]) -> str:
    """Their median and their range."""
    return f"{statistics.median(ratios):.2f} (from {min(ratios):.2f} to {max(ratios):.2f})"


def main() -> None:
    """Print the medians, and the ratios with their ranges."""
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

    def discard(_batch: Sequence[Asked]) -> None:
        """Generate only."""

    def lockstep(case: Case) -> None:
        assert expect(case) == answer(case)

    def check(batch: Sequence[Asked]) -> None:
        answered = [answer(one.case) for one in batch]
        assert [expect(one.case) for one in batch] == answered

    kept: list[Case] = []
    seconds_per_case(cases, lambda batch: kept.extend(one.case for one in batch), arguments.cases)
    seconds_per_step(kept, lockstep)  # warm up both sides
    unseen, alone, checked, java, both = [], [], [], [], []
    for _ in range(arguments.rounds):
        unseen.append(seconds_unseen(cases, arguments.cases))
        alone.append(seconds_per_case(cases, discard, arguments.cases))
        checked.append(seconds_per_case(cases, check, arguments.cases))
        java.append(seconds_per_step(kept, expect))
        both.append(seconds_per_step(kept, lockstep))
    print(f"{behaviour.name}, {client}: {arguments.cases} cases, {arguments.rounds} rounds")
    print(f"  generated and discarded: {statistics.median(alone) * 1e3:.2f} ms a case")
    print(f"  generated and checked:   {statistics.median(checked) * 1e3:.2f} ms a case")
    print(f"  ratio {told([one / other for one, other in zip(checked, alone, strict=True)])}")
    print(f"  not told apart:          {statistics.median(unseen) * 1e3:.2f} ms a case")
    rounds = zip(checked, alone, unseen, strict=True)
    print(f"  ratio {told([1 + (one - other) / least for one, other, least in rounds])}")
    print(f"  Java's side alone:       {statistics.median(java) * 1e6:.1f} us a step")
    print(f"  both sides, compared:    {statistics.median(both) * 1e6:.1f} us a step")
    print(f"  ratio {told([one / other for one, other in zip(both, java, strict=True)])}")


if __name__ == "__main__":
    main()
