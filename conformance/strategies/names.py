"""Names of topics that are alike: whoever keeps something by topic must tell them apart."""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Final, TypeVar

from conformance.strategies.packed import Choices

T = TypeVar("T")

_FEW: Final = 3
MOST_TOPICS: Final = 40
"""The topics of a case, at most."""
TOPICS: Final = ("t", "orders", "päivä", *(f"topic {number}" for number in range(3, MOST_TOPICS)))
"""The plain names, in the order in which cases use them."""
NAMES_BYTES: Final = 2
"""What :func:`topic_names` reads."""
_LONGEST: Final = 249
"""Characters of a name that brokers take, at most."""
_ANAGRAMS: Final = tuple("".join(letters) for letters in permutations("abcde"))


def _by_bits(number: int, pairs: str) -> str:
    """One of each two characters, by the bits of a number."""
    return "".join(pairs[2 * at + (number >> at & 1)] for at in range(len(pairs) // 2))


FAMILIES: Final[dict[str, Callable[[int], str]]] = {
    "plain": lambda number: TOPICS[number],
    "longer and longer": lambda number: "orders" + "-dlq" * number,
    "case": lambda number: _by_bits(number, "oOrRdDeErRsS"),
    # Metrics take . for _, so brokers warn of such names.
    "punctuation": lambda number: _by_bits(number, "._._-._-.-_-"),
    "last digit": lambda number: f"orders{number}",
    "leading zeros": lambda number: "0" * number + "7",
    "in the middle": lambda number: f"a{number:02}z",
    "same letters": lambda number: _ANAGRAMS[number],
    # "Aa" and "BB" have the same String.hashCode in Java.
    "same hash": lambda number: "".join("BB" if number >> at & 1 else "Aa" for at in range(6)),
    "long, last": lambda number: f"{number:0>{_LONGEST}}",
    "long, first": lambda number: f"{number:x<{_LONGEST}}",
    "internal": lambda number: "_" * number + "offsets",
    "blanks": lambda number: " " * number,
    # The same after Unicode's normalisation.
    "accents": lambda number: "".join("e\u0301" if number >> at & 1 else "é" for at in range(6)),
    "no text": lambda number: ("null", "None", "", "0", "nan", *TOPICS)[number],
}
"""By what is alike: the name of each number below :data:`MOST_TOPICS`, all different."""
_WEIGHED: Final = ("plain", "plain", *FAMILIES)


def topic_names(of: Choices, count: int) -> tuple[str, ...]:
    """So many names of one family, ascending or descending, from two bytes."""
    named = FAMILIES[of.one_of(_WEIGHED)]
    how = of.below(256)
    first = 0 if how & 2 else how // 4 % (MOST_TOPICS - count + 1)
    names = tuple(named(number) for number in range(first, first + count))
    return names[::-1] if how % 2 else names


def topic_at(topics: Sequence[T], where: int, step: int) -> T:
    """The topic of a step: one of a few as chosen; of many, each step takes another.

    So a block of steps that is repeated comes to all of them, again and again.
    """
    return topics[(where + (step if len(topics) > _FEW else 0)) % len(topics)]
