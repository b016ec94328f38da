"""Testees whose numbers are none."""

# Each fault overrides the one method that it spoils, and seldom needs all that it is given.

from typing import Any

from tests.testees.broken.honest import Honest, fault


class OneNumber(Honest):
    """Has something else where a partition is 3."""

    def partition(self, key: Any, count: int) -> Any:
        partition = super().partition(key, count)
        return self.instead if partition == 3 else partition

    instead: Any = None


class OneText(OneNumber):
    """The same for what the JSON library of Python does not write."""

    instead = "@"

    def write(self, data: bytes) -> None:
        super().write(data.replace(b'"@"', self.number))

    number = b""


@fault("NaN")
class NotANumber(OneNumber):
    """Answers NaN."""

    instead = float("nan")


@fault("infinity")
class Infinite(OneNumber):
    """Answers infinity."""

    instead = float("-inf")


@fault("floats")
class Floats(OneNumber):
    """Answers 3.0, as languages do that have only floating point."""

    instead = 3.0


@fault("exponents")
class Exponents(OneText):
    """Answers 3e0."""

    number = b"3e0"


@fault("numbers as texts")
class NumbersAsTexts(OneNumber):
    """Answers "3"."""

    instead = "3"


@fault("booleans")
class Booleans(OneNumber):
    """Answers true."""

    instead = True


@fault("beyond int32")
class BeyondInt32(OneNumber):
    """Forgets that hashes are signed."""

    instead = 2**31


@fault("beyond int64")
class BeyondInt64(OneNumber):
    """Answers a number of 100 digits."""

    instead = 10**100


@fault("5000 digits")
class ManyDigits(OneText):
    """Answers a number that takes long to read, were it read."""

    number = b"1" * 5000


@fault("null for a number")
class NullForANumber(OneNumber):
    """Answers null."""

    instead = None
