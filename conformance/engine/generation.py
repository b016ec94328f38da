"""Hypothesis, set up so that a seed means the same cases everywhere."""

from collections.abc import Callable
from typing import Any, TypeVar

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity
from hypothesis.internal.conjecture import providers
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
_NO_CONSTANTS: Any = getattr(providers, "Constants", dict)()


def ignore_local_constants() -> None:
    """Make generation independent of which modules happen to be imported.

    Hypothesis mixes constants that it finds in the source of local modules into its random
    values. Which modules count as local differs between a clone and an installed package, and
    grows while a process runs, so the same seed would give other cases. There is no public
    switch; a Hypothesis without this feature needs none.
    """
    provider: Any = providers.HypothesisProvider
    if hasattr(provider, "_local_constants"):
        provider._local_constants = _NO_CONSTANTS
        # Other tests in this process may have filled it with constants of theirs.
        providers.CONSTANTS_CACHE.cache.clear()


def generate(
    strategy: SearchStrategy[T], use: Callable[[T], None], *, cases: int, seed: int, shrink: bool
) -> None:
    """Hand so many generated values on, always the same for a seed.

    With ``shrink``, an exception that ``use`` raises is taken for a finding: it is called again
    with ever smaller values, and the smallest one's exception leaves this function. Raises
    :class:`hypothesis.errors.Unsatisfiable` if the strategy's filters leave nothing.
    """
    ignore_local_constants()

    @hypothesis.seed(seed)
    @hypothesis.settings(
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
        use(value)

    take()
