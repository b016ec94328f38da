"""Texts that others wrote, made inert: what cannot be seen is shown, what is long is cut."""

import re
import unicodedata
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

LONGEST = 2_000
"""Characters of a text that a page shows, unless it says otherwise."""
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Controls, formats (also those that turn the writing direction), lone surrogates, and so on."""
_MANY_MARKS = 2
"""More combining marks on one character climb over the lines above."""
_SPACES = re.compile(r"[^\S \n]")


def visible(text: str) -> str:
    """The text with every character that has no picture of its own as its number: ⟨U+202E⟩.

    Line feeds stay; combining marks that pile up do not. What comes again and again is counted.
    """
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    marks = 0
    for char, same in groupby(text):
        count = len(list(same))
        category = unicodedata.category(char)
        marks = marks + count if category in ("Mn", "Me") else 0
        hidden = category in _INVISIBLE or marks > _MANY_MARKS or _SPACES.match(char)
        if hidden and char != "\n":
            shown.append(f"⟨U+{ord(char):04X}{f', {count:,} times' if count > 1 else ''}⟩")
        else:
            shown.append(char * count)
    return "".join(shown)


def file_name(path: Path) -> str:
    """Of a result file: with its folder, for many are called results.json, and no more."""
    return cut("/".join(path.parts[-2:]), 120)


def cut(text: str, longest: int = LONGEST) -> str:
    """The beginning of a text that is too long, and how long it is."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text):,} characters)"


def cut_lines(text: str, *, longest: int = 1_200, lines: int = 80) -> str:
    """The same for each line of a text, and for their number."""
    found = text.split("\n")
    shown = [cut(line, longest) for line in found[:lines]]
    if len(found) > lines:
        shown.append(f"… ({len(found):,} lines)")
    return "\n".join(shown)


def inert(value: Any) -> Any:
    """What every expression of a template goes through, before it is escaped."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(cut(value, 30 * LONGEST))
    return value


def web_address(text: str) -> str | None:
    """A link that may be followed; None for ``javascript:`` and everything else."""
    plain = re.fullmatch(r"https?://[!-~]{1,500}", text)
    return None if plain is None else text
