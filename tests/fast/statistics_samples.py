"""Small runs of distributions without a JVM or Spark, for tests of what is reported of them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from conformance.clients.versions import CLIENT_VERSIONS
from conformance.distributions.double_call import DoubleCall
from conformance.distributions.registry import DISTRIBUTIONS
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Answers, Block, Distribution, Measures, Sampler
from conformance.sampling.blocks import BlockRunner, Key, Order, Task
from conformance.sampling.judging import StatisticsResult, judge_totals
from conformance.subjects.python_port import PythonPort

NAMES = (
    *("keyed/uuid", "keyed/zipf", "round-robin", "round-robin/producer"),
    *("sticky", "built-in", "built-in/at-once", "adaptive"),
)
RECORDS = 840_000
"""Enough for every statistical test of all but the worked examples of adaptive."""
FEWER = {"round-robin/producer": DoubleCall.least, "built-in/at-once": 100_000}
"""Enough for those whose records go through a whole producer, which takes its time."""
QUICK = tuple(name for name in NAMES if name not in FEWER)


class StandIn(PythonPort):
    """The port with other randomness and Java's name: what the reports say does not need Java."""

    kind = "Java"

    def describe(self, client: ClientVersion | None) -> str:
        return f"Java {client}"

    def sampler(self, distribution: Distribution, client: ClientVersion) -> Sampler:
        sample = super().sampler(distribution, client)
        return lambda block, inputs: sample(replace(block, seed=(*block.seed, 1)), inputs)


class Biased(PythonPort):
    """A port that prefers partition 1; with ``crashes`` it does not get that far."""

    def __init__(self, *, crashes: str = "") -> None:
        super().__init__()
        self._crashes = crashes

    def sampler(self, distribution: Distribution, client: ClientVersion) -> Sampler:
        sample = super().sampler(distribution, client)

        def biased(block: Block, inputs: Any) -> Answers:
            if distribution.name == self._crashes:
                raise RuntimeError("a [bold] bug")
            answers = sample(block, inputs).copy()
            answers[::50, ...] = 1
            return answers

        return biased


def sampled(
    against: PythonPort,
    *names: str,
    records: int = RECORDS,
    versions: Sequence[ClientVersion] = CLIENT_VERSIONS[1:3],
) -> StatisticsResult:
    """A run of some distributions on two clients, if not told others, in this process."""
    chosen = tuple(distribution for distribution in DISTRIBUTIONS if distribution.name in names)
    return sampled_of(against, chosen, records=records, versions=versions)


def sampled_of(
    against: PythonPort,
    chosen: Sequence[Distribution],
    *,
    records: int,
    versions: Sequence[ClientVersion] = CLIENT_VERSIONS[1:3],
) -> StatisticsResult:
    """The same of distributions that need not be among the suite's own."""
    names = [distribution.name for distribution in chosen]
    clients = {
        distribution.name: tuple(c for c in versions if distribution.lacking(c) is None)
        for distribution in chosen
    }
    absent = {
        (distribution.name, client.version): reason
        for distribution in chosen
        for client in versions
        if (reason := distribution.lacking(client)) is not None
    }
    counts = {name: min(records, FEWER.get(name, records)) for name in names}
    order = Order(tuple(chosen), counts, clients, 7)
    subjects = (StandIn(), against)
    runner = BlockRunner(order, *subjects)
    totals: dict[Key, Measures] = {}
    for distribution in chosen:
        totals |= runner.run(Task(distribution.name, 0, order.blocks_of(distribution)))
    tests, measures = judge_totals(order, totals, subjects)
    return StatisticsResult(tests, measures, absent, 7, 2.0, "local[1]")


@cache
def conforming() -> StatisticsResult:
    """A run in which everything conforms."""
    return sampled(PythonPort(), *NAMES)


@cache
def diverging() -> StatisticsResult:
    """A run with tests that conform, that diverge and that were not run, and with a crash."""
    return sampled(Biased(crashes="adaptive"), *QUICK, records=150_000)
