"""Two starts of a subject: if both send the same records the same way, its choices are not random.

All instances of a service then favour the same partitions, however even each of them is.
"""

from dataclasses import replace

import numpy as np

from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Answers, Distribution
from conformance.model.outcome import Outcome
from conformance.model.subject import Subject
from conformance.sampling.blocks import Order
from conformance.statistics.tests import exact_test

SECOND_START = "second start"
"""The test that two starts are not alike."""


def second_start(
    order: Order, distribution: Distribution, client: ClientVersion, subject: Subject
) -> Outcome | None:
    """Start a subject twice, ask the same with different seeds, and compare the answers.

    None for one without any randomness, which gives the same answers to the same questions while it
    runs; other tests report that. Leaves the subject ended.
    """
    block = order.block(distribution, 0)
    inputs = distribution.inputs(block)

    def ask(time: int) -> Answers:
        own = replace(block, seed=(*block.seed, 1, time))
        return subject.sampler(distribution, client)(own, inputs)

    subject.finish()
    first, again = ask(0), ask(1)
    subject.finish()
    second = ask(2)
    subject.finish()
    if np.array_equal(first, again):
        return None
    alike = np.array_equal(first, second)
    detail = f"after a second start {block.records:,} records went " + (
        "the same way as after the first: its randomness has the same seed each time"
        if alike
        else "another way than after the first"
    )
    return exact_test(SECOND_START, block.records, failures=int(alike), detail=detail)
