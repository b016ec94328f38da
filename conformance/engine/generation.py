"""Hypothesis, set up so that a seed means the same cases everywhere."""

import hashlib
from collections.abc import Callable
from typing import Any, TypeVar

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity
from hypothesis.strategies import SearchStrategy

from conformance.engine.choices import BACKEND, choices_from
from conformance.engine.comparing import Asked
from conformance.engine.garbage import collected_rarely
from conformance.model.case import Case
from conformance.model.values import to_json

T = TypeVar("T")


class _Unprinted:
    """Holds a case: Hypothesis would write out the whole of it, with its keys of 1 MiB."""

    def __init__(self, case: Case) -> None:
        self.case = case

    def __repr__(self) -> str:
        return "a case"


def generate_cases(
    strategy: SearchStrategy[Case],
    narrowed: Callable[[Case], Case | None],
    use: Callable[[Asked], None],
    *,
    cases: int,
    seed: int,
    shrink: bool = False,
    first: int = 0,
    explores: Callable[[], bool] = lambda: True,
) -> None:
    """Hand so many cases on, as ``narrowed`` leaves them, each once, always the same for a seed.

    ``first`` is the number of the case to begin with, 0 for all. ``explores`` says whether cases
    are still tried for the first time: once one is shrunk, it may come again. Raises
    :class:`hypothesis.errors.Unsatisfiable` if nothing is left of any case.
    """
    seen: set[bytes] = set()

    def fitting(case: Case) -> _Unprinted | None:
        left = narrowed(case)
        return None if left is None else _Unprinted(left)

    def take(unprinted: _Unprinted, number: int) -> None:
        if number < first:
            return
        if not explores():
            use(Asked(unprinted.case, "", number))
            return
        text = to_json(unprinted.case)
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        if digest in seen:
            hypothesis.reject()
        seen.add(digest)
        use(Asked(unprinted.case, text, number))

    fits: SearchStrategy[Any] = strategy.map(fitting).filter(lambda case: case is not None)
    # The simplest value comes first in any case, and is passed over if it is not wanted.
    tried = cases + (first > 0)
    generate(fits, take, cases=tried, seed=seed, shrink=shrink, first=max(1, first))


def generate(
    strategy: SearchStrategy[T],
    use: Callable[[T, int], None],
    *,
    cases: int,
    seed: int,
    shrink: bool,
    first: int = 1,
) -> None:
    """Hand so many generated values on, with their numbers, always the same for a seed.

    The simplest value comes first, with a number below ``first``; after it those from that number
    on. What ``use`` rejects (``hypothesis.reject``) does not count. With ``shrink``, an exception
    that ``use`` raises is taken for a finding: it is called again with ever smaller values, and the
    smallest one's exception leaves this function. Raises
    :class:`hypothesis.errors.Unsatisfiable` if the strategy's filters leave nothing.
    """
    chosen = choices_from(seed, first)

    @hypothesis.seed(seed)
    @hypothesis.settings(
        backend=BACKEND,
        max_examples=cases,
        phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @hypothesis.given(strategy)
    def take(value: Any) -> None:
        use(value, chosen.number)

    with collected_rarely():
        take()
