"""Texts of a testee, which go to terminals and into reports: made inert where they enter."""

from collections.abc import Sequence


def inert(text: str) -> str:
    """The text with all that is not printable written out: ESC, NUL, marks that turn direction.

    Lone surrogates, too. Line ends and tabs go the same way, so that it stays one line.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _written_out(char) for char in text)


def _written_out(char: str) -> str:
    return ascii(char)[1:-1]


def listed(words: Sequence[str], most: int = 10) -> str:
    """The first words, and how many more there are: a testee may have a million."""
    more = f" and {len(words) - most:,} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more
