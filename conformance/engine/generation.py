"""Hypothesis, set up so that a seed means the same cases everywhere."""

from typing import Any

from hypothesis.internal.conjecture import providers

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
