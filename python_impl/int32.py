"""Java's ``int``: 32 bits, two's complement, silent wrap, truncated remainder.

Every class of the clients computes in ``int``; Python integers do not wrap and their
``%`` follows the divisor's sign. Keeping the three differences in one place keeps the
ports readable beside their Java originals.
"""

import operator
from typing import Final

from .errors import JavaArithmeticError

INT32_MIN: Final = -(2**31)
INT32_MAX: Final = 2**31 - 1


def int32(value: int) -> int:
    """``value`` reduced to a signed 32-bit integer, as Java's ``int`` arithmetic does."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


def check_int32(name: str, value: int) -> int:
    """``value`` as an int that fits Java's; ``TypeError`` or ``ValueError`` naming it if not."""
    number = operator.index(value)
    if not INT32_MIN <= number <= INT32_MAX:
        raise ValueError(f"{name} is a Java int, from {INT32_MIN} to {INT32_MAX}, not {number}")
    return number


def to_positive(number: int) -> int:
    """``Utils.toPositive``: clear the sign bit. A mask, not ``abs``: -2**31 gives 0."""
    return number & 0x7FFFFFFF


def remainder(dividend: int, divisor: int) -> int:
    """Java's ``%``: the result has the sign of the dividend.

    Raises :class:`JavaArithmeticError` for a divisor of 0, as Java throws
    ``ArithmeticException: / by zero``.
    """
    if divisor == 0:
        raise JavaArithmeticError("/ by zero")
    result = abs(dividend) % abs(divisor)
    return -result if dividend < 0 else result
