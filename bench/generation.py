"""Distinct cases per second, chosen one by one or by Hypothesis' own generator.

``python bench/generation.py``: the same strategies with both, in turn, in one run. A case that came
before counts for neither; ours leaves it out, the other makes it once more.
"""

import argparse
import statistics
import time

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity

from conformance.clients.versions import client_named
from conformance.engine.generation import generate
from conformance.engine.plan import behaviour_named
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.values import to_json

BEHAVIOURS = ("murmur2", "keyed", "keyed-columns", "sticky", "built-in", "adaptive")
CLIENT = "3.8.0"


def ours(behaviour: Behaviour, client: ClientVersion, count: int) -> float:
    """Distinct cases per second of processor time, each chosen by itself."""
    seen: set[str] = set()
    started = time.process_time()
    strategy = behaviour.cases(client)
    generate(strategy, lambda case, _at: seen.add(to_json(case)), cases=count, seed=0, shrink=False)
    return len(seen) / (time.process_time() - started)


def hypothesis_alone(behaviour: Behaviour, client: ClientVersion, count: int) -> float:
    """The same with the backend that Hypothesis has without us."""
    seen: set[str] = set()

    @hypothesis.seed(0)
    @hypothesis.settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @hypothesis.given(behaviour.cases(client))
    def take(case: Case) -> None:
        seen.add(to_json(case))

    started = time.process_time()
    take()
    return len(seen) / (time.process_time() - started)


def main() -> None:
    """Print a line for each behaviour: both medians, and their ratio with its range."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1200)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    client = client_named(CLIENT)
    for name in BEHAVIOURS:
        behaviour = behaviour_named(name)
        ours(behaviour, client, 50)  # warm up
        rounds = [
            (
                ours(behaviour, client, arguments.cases),
                hypothesis_alone(behaviour, client, arguments.cases),
            )
            for _ in range(arguments.rounds)
        ]
        ratios = [mine / other for mine, other in rounds]
        mine, other = (statistics.median(side) for side in zip(*rounds, strict=True))
        print(
            f"{name}: {mine:.0f} distinct cases a second, Hypothesis' own {other:.0f}: "
            f"{statistics.median(ratios):.1f} (from {min(ratios):.1f} to {max(ratios):.1f})"
        )


if __name__ == "__main__":
    main()
