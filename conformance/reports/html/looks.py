"""How a verdict looks: a sign and a word as well as a colour."""

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.model.results import Verdict


@dataclass(frozen=True)
class Look:
    """One verdict on the page."""

    css: str
    """The class, which has the colour."""
    sign: str
    word: str
    many: str
    """The same of several."""
    meaning: str


LOOKS: Mapping[Verdict, Look] = {
    Verdict.CONFORMS: Look(
        "ok", "✓", "conforms", "conform", "all that was tried is as with the real Java client"
    ),
    Verdict.DIVERGES: Look(
        "bad", "✗", "diverges", "diverge", "something differs from the real Java client"
    ),
    Verdict.KNOWN: Look(
        "known",
        "K",
        "known to diverge",
        "known to diverge",
        "it differs, as somebody has written down with the cause",
    ),
    Verdict.NOT_RUN: Look(
        "unrun",
        "?",
        "not run",
        "not run",
        "nothing is known: it should have been run, and could not be",
    ),
    Verdict.ABSENT: Look(
        "absent",
        "\N{EN DASH}",
        "absent",
        "absent",
        "this version of Java does not have it, or the library does not",
    ),
}
"""In the order in which the legend has them."""

SOME = Look(
    "some",
    "≈",
    "like some versions",
    "like some versions",
    "of a whole run: it claims no version, is like one, and differs from others",
)


def look_of(verdict: str) -> Look:
    """The look of a verdict as result files write it."""
    return LOOKS[Verdict(verdict)]
