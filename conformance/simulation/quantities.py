"""What people write of times, rates and sizes, as numbers; and numbers as people read them."""

import math
import re
from collections.abc import Sequence
from typing import Final

from conformance.errors import UsageError

Micros = int
"""Simulated time and durations are whole microseconds; the producer's own clock has ms."""
NEVER: Final[Micros] = 2**63 - 1
MILLISECOND: Final = 1000
SECOND: Final = 1_000_000
LONGEST: Final = 366 * 86_400 * SECOND
"""The longest time that can be asked for: a year."""
_TIMES: Final = {
    "us": 1,
    "ms": MILLISECOND,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3600 * SECOND,
    "d": 86_400 * SECOND,
}
_SIZES: Final = {"": 1, "k": 1 << 10, "KiB": 1 << 10, "M": 1 << 20, "MiB": 1 << 20}
_LARGEST_SIZE: Final = 1 << 30
_NUMBER: Final = r"(\d[\d_]*(?:\.\d+)?)"


def duration_of(option: str, text: str, *, least: Micros = 0) -> Micros:
    """``5ms``, ``2.5s``, ``1m`` in microseconds; 0 needs no unit.

    Raises :class:`UsageError` for anything else, and for less than ``least``.
    """
    match = re.fullmatch(rf"{_NUMBER}\s*(us|ms|s|m|h|d)", text.strip())
    duration = None if match is None else round(_number(match[1]) * _TIMES[match[2]])
    if text.strip() == "0":
        duration = 0
    if duration is None or not least <= duration <= LONGEST:
        smallest = f"at least {time_text(least)}" if least else "not negative"
        raise UsageError(
            f"{option}: {text!r} is no such time.",
            f"Write a number with a unit (us, ms, s, m, h, d), such as 5ms; {smallest}, "
            "at most 366d.",
        )
    return duration


def rate_of(option: str, text: str) -> float:
    """``1000/s``, ``60/m`` in events per microsecond; raises :class:`UsageError`."""
    match = re.fullmatch(rf"{_NUMBER}\s*([kM]?)/(ms|s|m|h)", text.strip())
    if match is not None:
        each = _number(match[1]) * {"": 1, "k": 1e3, "M": 1e6}[match[2]]
        if each > 0 and each / _TIMES[match[3]] <= 1000:
            return each / _TIMES[match[3]]
    raise UsageError(
        f"{option}: {text!r} is no rate.",
        "Write how many come in which time, such as 1000/s, 2k/s or 30/m: more than 0, and at "
        "most 1000M/s.",
    )


def size_of(option: str, text: str) -> int:
    """``100`` or ``64k`` in bytes; raises :class:`UsageError`."""
    match = re.fullmatch(r"(\d[\d_]*)(|k|KiB|M|MiB)", text.strip())
    if match is not None:
        size = int(match[1].replace("_", "")) * _SIZES[match[2]]
        if size <= _LARGEST_SIZE:
            return size
    raise UsageError(
        f"{option}: {text!r} is no size.",
        f"Write bytes, such as 100 or 64k: 0 to {_LARGEST_SIZE:,}.",
    )


def time_text(micros: float) -> str:
    """A time as people read it: ``0.5 ms``, ``12.3 s``."""
    if math.isnan(micros):
        return "-"
    if micros >= 10_800 * SECOND:
        return f"{_rounded(micros / (3600 * SECOND))} h"
    if micros >= 120 * SECOND:
        return f"{_rounded(micros / (60 * SECOND))} min"
    if micros >= 10 * SECOND:
        return f"{_rounded(micros / SECOND)} s"
    return f"{_rounded(micros / MILLISECOND)} ms"


def number_text(number: float) -> str:
    """A number with three digits or all that stand before the point: ``0.0123``, ``12,345``."""
    return "-" if math.isnan(number) else _rounded(number)


def exact_text(micros: Micros, unit: Micros) -> str:
    """A time in a unit (:data:`MILLISECOND` or :data:`SECOND`), with all its digits: ``2.5``."""
    whole, rest = divmod(micros, unit)
    return f"{whole}.{rest:0{len(str(unit)) - 1}}".rstrip("0").rstrip(".")


def numbers_text(numbers: Sequence[int]) -> str:
    """Whole numbers in ascending order, those that follow one another together: ``0 to 2, 5``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join(" to ".join(map(str, run)) for run in runs)


def bytes_text(size: float) -> str:
    """``512 B``, ``12.5 KiB``, ``3 MiB``."""
    for unit, of in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= of:
            return f"{_rounded(size / of)} {unit}"
    return f"{_rounded(size)} B"


def _rounded(number: float) -> str:
    if number == 0 or abs(number) >= 100:
        return f"{number:,.0f}"
    digits = max(0, 2 - math.floor(math.log10(abs(number))))
    text = f"{number:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _number(text: str) -> float:
    return float(text.replace("_", ""))
