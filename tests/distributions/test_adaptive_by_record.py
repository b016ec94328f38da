"""Adaptive choices of testees: a natural adapter conforms, whatever draws badly does not."""

from collections.abc import Callable, Mapping
from math import modf
from typing import Any

import numpy as np
import pytest

import python_impl
from conformance.clients.versions import client_named
from conformance.engine.cell import Effort
from conformance.engine.plan import behaviour_named
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Distribution, Sampler
from conformance.model.port import release_of
from conformance.model.results import CellResult, Verdict
from conformance.sampling.cells import sample_cell
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort

Draws = Callable[[int], Callable[[], int]]
"""Of a seed, a source of int32 numbers."""


class Natural(PythonPort):
    """An adapter as one writes it: tell of the load, ask for the partition, tell of the bytes."""

    def __init__(self, draws: Draws) -> None:
        super().__init__(name="a natural adapter")
        self._draws = draws

    def sampler(self, distribution: Distribution, client: ClientVersion) -> Sampler:
        def ask(_: str, __: str, seed: int, question: Mapping[str, Any]) -> list[int]:
            release: Any = release_of(python_impl, client)
            infos = [python_impl.PartitionInfo("t", *one) for one in question["partitions"]]
            cluster = python_impl.Cluster(infos)
            built_in = release.BuiltInPartitioner("t", 1, random=self._draws(seed))
            answers = []
            for number in question["order"]:
                load = question["loads"][number]
                built_in.update_partition_load_stats(
                    list(load["queues"]), load["ids"], load["length"]
                )
                for _ in range(question["choices"]):
                    info = built_in.peek(cluster)
                    answers.append(info.partition())
                    built_in.update_partition_info(info, 2, cluster, True)
            return answers

        return distribution.testee(client, ask)


def good(seed: int) -> Callable[[], int]:
    generator = np.random.default_rng(seed)
    return lambda: int(generator.integers(-(2**31), 2**31))


def bad_low_bits(seed: int) -> Callable[[], int]:
    state = seed

    def draw() -> int:
        nonlocal state
        state = (state * 1103515245 + 12345) % 2**31
        return state

    return draw


def too_even(seed: int) -> Callable[[], int]:
    """A sequence that fills every interval as evenly as can be (the golden ratio's)."""
    place = seed / 2**64

    def draw() -> int:
        nonlocal place
        place = modf(place + 0.6180339887498949)[0]
        # All remainders by all ranges of cumulative tables that there are.
        return int(place * 720_720)

    return draw


def below_100(seed: int) -> Callable[[], int]:
    generator = np.random.default_rng(seed)
    return lambda: int(generator.integers(100))


def judged(java: JavaSubject, draws: Draws) -> CellResult:
    return sample_cell(
        behaviour_named("adaptive"),
        client_named("3.8.0"),
        java,
        Natural(draws),
        Effort(0, 0, share=0.5),
    )


def test_a_natural_adapter_conforms(java: JavaSubject) -> None:
    result = judged(java, good)
    assert result.verdict is Verdict.CONFORMS, (result.reason, result.differences)
    assert result.smallest_bias is not None
    assert result.could_find == (f"conforms; would have found a bias of {result.smallest_bias:.2%}")


@pytest.mark.parametrize(
    ("draws", "difference"),
    [
        (bad_low_bits, "adaptive: no memory"),
        (too_even, "adaptive: no memory"),
        (below_100, "adaptive: weights"),
    ],
)
def test_what_draws_badly_is_found(java: JavaSubject, draws: Draws, difference: str) -> None:
    result = judged(java, draws)
    assert result.verdict is Verdict.DIVERGES, result.reason
    assert difference in result.differences
