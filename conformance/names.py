"""Names that users give: which of them there are."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from conformance.errors import UsageError

T = TypeVar("T")


def unknown(what: str, name: str, known: Iterable[str]) -> UsageError:
    """What to raise for a name that is none of the known ones: tells them, and the closest."""
    return UsageError(f"There is no {what} {name!r}.", closest(name, list(known)))


def closest(name: str, known: Sequence[str]) -> str:
    """The known name that was probably meant, if there is one, and all of them, as sentences."""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"Did you mean {close[0]}? " if close else ""
    return f"{hint}Known: {', '.join(known)}."


def named(what: str, name: str, known: Mapping[str, T]) -> T:
    """What is known by a name; raises :class:`UsageError` for a name that is not."""
    if name not in known:
        raise unknown(what, name, known)
    return known[name]


def unique(names: Iterable[str]) -> list[str]:
    """Each name once, in their order."""
    return list(dict.fromkeys(names))
