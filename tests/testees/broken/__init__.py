"""Testees that are broken on purpose, one class for each fault; catalogue.py has the verdicts.

Each spoils one thing of :class:`~tests.testees.broken.honest.Honest`; its docstring says what it
does. Nothing but the standard library, so that they start at once.
"""

from tests.testees.broken import (
    accepted,
    answers,
    children,
    ending,
    lines,
    numbers,
    records,
    starting,
    texts,
)
from tests.testees.broken.honest import FAULTS, HOSTILE

__all__ = ["FAULTS", "HOSTILE"]
_MODULES = (starting, ending, children, lines, numbers, answers, records, accepted, texts)
"""Imported because that gives their faults their names."""
