"""Texts for terminals and reports: those of a testee are made inert; counts and shares in words."""

from collections.abc import Sequence
from decimal import Decimal


def counted(number: int, what: str) -> str:
    """Such as ``1 cell`` or ``1,200 cells``; ``what`` is one of them."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def tried(cases: int, records: int) -> str:
    """How much was compared, in words: cases, records sampled from each subject, or both."""
    parts = [counted(cases, "case")] if cases or not records else []
    return " and ".join([*parts, *([counted(records, "record")] if records else [])])


def percent(share: float) -> str:
    """A share as ``1.25%``; a small one keeps two digits, so that only 0 is ``0.00%``."""
    digits = f"{100 * share:.2f}"
    small = share and abs(share) < 0.001
    return f"{format(Decimal(f'{100 * share:.2g}'), 'f') if small else digits}%"


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
