"""Batches of cases: how large they are, and what becomes of an error."""

from itertools import chain

import pytest

from conformance.engine.batches import LARGEST, Batches
from conformance.engine.comparing import Abort, Asked


def _asked(number: int) -> Asked:
    return Asked({"config": {}, "metadata": [], "steps": []}, "", number)


@pytest.mark.parametrize(
    ("first", "sizes"), [(1, [1, 2, 4, 8, 16, 32, 64, 64, 9]), (LARGEST, [64, 64, 64, 8])]
)
def test_each_batch_has_twice_as_many_cases_up_to_the_largest(first: int, sizes: list[int]) -> None:
    handed_on: list[list[int]] = []
    batches = Batches(lambda batch: handed_on.append([one.number for one in batch]), first=first)
    for number in range(sum(sizes)):
        batches.take(_asked(number))
    batches.flush()
    assert [len(batch) for batch in handed_on] == sizes
    assert list(chain.from_iterable(handed_on)) == list(range(sum(sizes)))


def test_an_error_is_no_finding_of_the_generator() -> None:
    def fail(batch: object) -> None:
        raise ValueError("broken")

    batches = Batches(fail, first=2)
    batches.take(_asked(0))
    with pytest.raises(Abort) as raised:
        batches.take(_asked(1))
    assert isinstance(raised.value.cause, ValueError)
