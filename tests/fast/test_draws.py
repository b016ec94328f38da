"""The mathematics of ThreadLocalRandom, without a JVM."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.draws import (
    EQUAL_DRAWS,
    GAMMA,
    MAX_DRAWS,
    Draw,
    DrawsExhaustedError,
    DrawSource,
    mix32,
)

firsts = st.integers(-(2**31), 2**31 - 1)
tails = st.integers(0, 2**32 - 1)


@given(firsts, tails)
def test_a_seed_is_found_for_any_first_draw(first: int, tail: int) -> None:
    assert mix32(Draw(first, tail).seed + GAMMA) == first


@given(firsts, st.lists(tails, min_size=2, max_size=2, unique=True))
def test_tails_give_different_seeds(first: int, two: list[int]) -> None:
    assert Draw(first, two[0]).seed != Draw(first, two[1]).seed


@given(firsts, tails)
def test_the_sequence_is_that_of_the_seed(first: int, tail: int) -> None:
    seed = Draw(first, tail).seed
    expected = [mix32(seed + step * GAMMA) for step in range(1, 6)]
    assert list(islice(Draw(first, tail).sequence(), 5)) == expected


def test_a_known_sequence() -> None:
    # mix32 of splitmix-style increments; 0 is the fixed point of the mix.
    assert mix32(0) == 0
    assert Draw(0, 0).seed == 2**64 - GAMMA


@pytest.mark.parametrize(("chosen", "drawn"), EQUAL_DRAWS.items(), ids=str)
def test_equal_draws_choose_the_same_again_and_again(
    chosen: tuple[int, int], drawn: tuple[int, int]
) -> None:
    count, index = chosen
    times = {2: 31, 3: 18, 4: 14, 5: 12}[count]
    draws = list(islice(Draw(*drawn).sequence(), 100))
    assert {(draw & 0x7FFFFFFF) % count for draw in draws[:times]} == {index}
    # In the end another one: no subject draws for ever.
    assert {(draw & 0x7FFFFFFF) % count for draw in draws} == set(range(count))


def test_a_source_counts_and_ends() -> None:
    source = DrawSource()
    source.begin([5, 0])
    assert source() == 5
    source()
    assert source.count == 2
    source.begin(None)
    with pytest.raises(DrawsExhaustedError, match="nothing to draw"):
        source()
    source.begin([0, 0])
    for _ in range(MAX_DRAWS):
        source()
    with pytest.raises(DrawsExhaustedError, match="more than"):
        source()
