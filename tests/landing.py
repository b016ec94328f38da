"""Which tests run at each landing; those marked ``full`` run nightly (``tox -e full``)."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import pytest

nightly = pytest.mark.full
"""Of a test, or of a whole file, that is too long for each landing."""


def first_of_each(values: Iterable[Any], *kinds: Callable[[Any], Hashable]) -> list[Any]:
    """Parameters of a test: the first value of each kind runs at each landing, the others nightly.

    With several ways to tell kinds, each kind of each of them has its first value. A rule instead
    of a list of names, so that a kind that is new has its sample at each landing by itself.
    """
    seen: set[tuple[int, Hashable]] = set()
    parameters = []
    for value in values:
        found = {(number, kind(value)) for number, kind in enumerate(kinds)}
        parameters.append(later(value) if found <= seen else value)
        seen |= found
    return parameters


def later(value: Any) -> Any:
    """A value of a test's parameter, or a tuple of several parameters' values, for the night."""
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=nightly)


def is_nightly(parameter: Any) -> bool:
    """Whether a parameter of a test is only tried nightly."""
    return any(mark.name == nightly.name for mark in getattr(parameter, "marks", ()))
