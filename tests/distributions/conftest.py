"""What the tests of distributions share: sampling without Spark, in this process."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from conformance.distributions.registry import DISTRIBUTIONS
from conformance.jars.store import JarStore
from conformance.model.distribution import Distribution
from conformance.model.results import Verdict
from conformance.model.subject import Subject
from conformance.sampling.blocks import BlockRunner, Order, Task
from conformance.sampling.judging import judge_totals
from conformance.sampling.order import make_order
from conformance.statistics.verdicts import Judged
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort

Judge = Callable[..., list[Judged]]


def distribution_named(name: str) -> Distribution:
    """A registered distribution."""
    return next(known for known in DISTRIBUTIONS if known.name == name)


def order_of(name: str, client: str, *, blocks: int, seed: int = 0) -> Order:
    """So many blocks of one distribution, on one version."""
    order, _ = make_order(distributions=[name], clients=[client], seed=seed)
    return replace(order, records={name: blocks * distribution_named(name).block_records})


@pytest.fixture(scope="session")
def java() -> JavaSubject:
    """The real clients, loaded once."""
    return JavaSubject(JarStore())


@pytest.fixture(scope="session")
def judge(java: JavaSubject) -> Judge:
    """Sample a distribution on Java and on a subject, and answer all tests."""

    def run(
        name: str, client: str, *, blocks: int, against: Subject | None = None, seed: int = 0
    ) -> list[Judged]:
        order = order_of(name, client, blocks=blocks, seed=seed)
        subjects = (java, against or PythonPort())
        totals = BlockRunner(order, *subjects).run(Task(name, 0, blocks))
        return list(judge_totals(order, totals, subjects)[0])

    return run


def failing(tests: list[Judged]) -> dict[str, str]:
    """Of each test that does not conform, its verdict and what was said."""
    return {
        judged.outcome.test: f"{judged.verdict}: {judged.outcome.detail}"
        for judged in tests
        if judged.verdict is not Verdict.CONFORMS
    }
