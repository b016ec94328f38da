"""What no subject may answer is a divergence, whatever a cast would make of it. No JVM."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.distributions.registry import DISTRIBUTIONS
from conformance.errors import SuiteError
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Distribution, Sampler
from conformance.model.outcome import Kind, Outcome
from conformance.model.results import Verdict
from conformance.sampling.blocks import BlockRunner, Task
from conformance.sampling.judging import judge_totals
from conformance.sampling.order import make_order
from conformance.statistics.verdicts import Subjected, judge_all
from conformance.subjects.python_port import PythonPort

LIES: dict[str, Any] = {
    "nothing": lambda answers: answers[:0],
    "one too few": lambda answers: answers[:-1],
    "one too many": lambda answers: np.concatenate([answers, answers[:1]]),
    "fractions": lambda answers: answers + 0.9,
    "whole numbers as fractions": lambda answers: answers.astype(np.float64),
    "beyond int32": lambda answers: answers.astype(np.int64) + 2**32,
    "text": lambda answers: answers.astype(str),
    "truth values": lambda answers: answers.astype(bool),
    "None": lambda answers: np.full_like(answers, None, object),
    "another shape": lambda answers: answers.reshape(1, *answers.shape),
    "partition -1": lambda answers: np.full_like(answers, -1),
    "partition 1000": lambda answers: np.full_like(answers, 1000),
}


class Liar(PythonPort):
    """The port, but for what it answers."""

    def __init__(self, lie: Any) -> None:
        super().__init__(name="a liar")
        self._lie = lie

    def sampler(self, distribution: Distribution, client: ClientVersion) -> Sampler:
        honest = super().sampler(distribution, client)
        return lambda block, inputs: self._lie(np.asarray(honest(block, inputs), np.int32))


@pytest.mark.parametrize("name", ["keyed/long", "round-robin", "sticky", "built-in", "adaptive"])
@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_a_divergence(name: str, lie: str) -> None:
    order, _ = make_order(distributions=[name], clients=["3.8.0"])
    order = replace(order, records={name: order.distributions[0].block_records})
    subjects = (PythonPort(), Liar(LIES[lie]))
    totals = BlockRunner(order, *subjects).run(Task(name, 0, 1))
    tests, _ = judge_totals(order, totals, subjects)
    found = [judged for judged in tests if judged.of.subject.startswith("a liar")]
    assert [(judged.outcome.test, judged.verdict) for judged in found] == [
        ("answers", Verdict.DIVERGES)
    ]
    assert found[0].outcome.detail.startswith("crashed in the block of record 0: Impossible")


def test_what_got_lost_on_the_way_is_noticed() -> None:
    order, _ = make_order(distributions=["round-robin"], clients=["3.8.0"], records=20_000)
    subjects = (PythonPort(), PythonPort())
    totals = BlockRunner(order, *subjects).run(Task("round-robin", 0, 2))
    with pytest.raises(SuiteError, match=r"16,384 of 20,000 records of round-robin arrived"):
        judge_totals(order, totals, subjects)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=lambda d: d.name)
def test_one_record_is_too_few_for_every_distribution(distribution: Distribution) -> None:
    name = distribution.name
    order, _ = make_order(distributions=[name], records=1)
    subjects = (PythonPort(), PythonPort())
    tests, _ = judge_totals(order, BlockRunner(order, *subjects).run(Task(name, 0, 1)), subjects)
    assert Verdict.NOT_RUN in {judged.verdict for judged in tests}
    assert Verdict.DIVERGES not in {judged.verdict for judged in tests}


def test_a_p_value_that_is_no_number_was_not_run() -> None:
    of = Subjected("sticky", "3.2.3", "a subject", "subject")
    wrong = Outcome("broken", Kind.STATISTICAL, 10, p=float("nan"), df=1)
    fine = Outcome("fine", Kind.STATISTICAL, 10, p=0.5, df=1)
    judged = judge_all([(of, wrong), (of, fine)])
    assert [one.verdict for one in judged] == [Verdict.NOT_RUN, Verdict.CONFORMS]
    assert judged[1].corrected_p == 0.5


def test_a_subject_beside_itself_has_a_name_of_its_own() -> None:
    order, _ = make_order(clients=["3.8.0"], distributions=["adaptive"], records=8192)
    subjects = (PythonPort(), PythonPort())
    totals = BlockRunner(order, *subjects).run(Task("adaptive", 0, 1))
    _, measures = judge_totals(order, totals, subjects)
    names = [of.subject for of in measures]
    assert names == ["the Python port of 3.8.0", "again the Python port of 3.8.0"]
    first, second = measures.values()
    assert (first.counts["choices"] != second.counts["choices"]).any()
