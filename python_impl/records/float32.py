"""Java's ``float``: every result is rounded to 32 bits."""

import math
import struct

from ..int32 import INT32_MAX, INT32_MIN


def float32(value: float) -> float:
    """The nearest ``float``; beyond the largest one it is infinite."""
    (rounded,) = struct.unpack("f", struct.pack("f", value))
    return float(rounded)


def int_of(value: float) -> int:
    """``(int) value``: cut towards 0, at the ends of int32; NaN is 0."""
    if math.isnan(value):
        return 0
    return int(max(INT32_MIN, min(INT32_MAX, value)))
