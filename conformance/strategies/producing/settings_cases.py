"""Settings of a producer as its users write them; see ``configured_producer.py`` of behaviours."""

from functools import cache
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.model.case import Case, Operation
from conformance.strategies.integers import INT32_MAX
from conformance.strategies.packed import Choices, packed

_INT64_MAX: Final = 2**63 - 1
_LONGS: Final = (
    *("buffer.memory", "linger.ms", "max.block.ms", "retry.backoff.ms", "retry.backoff.max.ms"),
    "partitioner.availability.timeout.ms",
)
_INTS: Final = (
    *("batch.size", "max.request.size", "request.timeout.ms", "retries"),
    "max.in.flight.requests.per.connection",
)
_MOST: Final = {**dict.fromkeys(_LONGS, _INT64_MAX), **dict.fromkeys(_INTS, INT32_MAX)}
"""The largest number of each that is taken."""
_TELLING: Final = {
    "batch.size": (0, 1),
    "linger.ms": (INT32_MAX - 1, INT32_MAX, INT32_MAX + 1, 2**40, 90_001, 500_000),
    "max.in.flight.requests.per.connection": (1, 1, 5, 6),
    "request.timeout.ms": (120_000, 120_001, INT32_MAX),
    "retries": (0, 1),
}
"""Numbers on which other settings depend."""
_FLAGS: Final = (
    *("enable.idempotence", "partitioner.adaptive.partitioning.enable"),
    "partitioner.ignore.keys",
)
_WORDS: Final = {
    **dict.fromkeys(_FLAGS, ("true", "false", "true", "false", "TRUE", " False ")),
    "acks": ("all", "-1", "1", "0", "all", " all\n"),
    "compression.type": ("none", "gzip", "snappy", "lz4", "zstd", " gzip "),
}
_WRONG_WORDS: Final = {
    **dict.fromkeys(_FLAGS, ("yes", "1", "", "truer")),
    "acks": ("2", "ALL", "", "-2"),
    "compression.type": ("brotli", "GZIP", "", "uncompressed"),
}
DELIVERY: Final = "delivery.timeout.ms"
_LINGER, _REQUEST = "linger.ms", "request.timeout.ms"
_NAMES: Final = (*_MOST, *_WORDS)
_SPELLINGS: Final = (
    *("{}",) * 24,
    *(" {}", "{}\t", "+{}", "0{}", "\x01{}\x1f"),
    "\u0665{}",  # an Arabic five, which Java takes
)
_WRONG_SPELLINGS: Final = (
    *("-{}", "--{}", "{}.0", "{}L", "0x{}", "1_{}", "{}e1", "", "\u00a0{}", "{}" + "0" * 19),
    "\U0001d7d3{}",  # a five of two chars, which Java does not take
)
_SIZE: Final = 200


@cache
def settings_cases() -> SearchStrategy[Case]:
    """One to three producers, each with settings of its own."""
    steps = st.lists(packed(_SIZE, _step), min_size=1, max_size=3)
    return steps.map(lambda some: {"config": {}, "metadata": [], "steps": some})


def _step(of: Choices) -> Operation:
    # Some producers are told nearly everything, some nearly nothing.
    told_of_16 = of.one_of((1, 4, 9, 16))
    settings = {}
    for name in _NAMES:
        is_told, part = of.below(16) >= 16 - told_of_16, of.part(8)
        if is_told:
            settings[name] = _text(name, part)
    if of.below(16) >= 16 - told_of_16:
        settings[DELIVERY] = _delivery(of, settings)
    if of.below(4) == 3:
        name = of.one_of((*_NAMES, DELIVERY))
        settings[name] = _wrong(name, of)
    return {"op": "configure", "settings": settings, "partitioner": of.below(4) == 3}


def _text(name: str, of: Choices) -> str:
    if name in _WORDS:
        return of.one_of(_WORDS[name])
    return of.one_of(_SPELLINGS).format(_number(name, of))


def _number(name: str, of: Choices) -> int:
    most, kind = _MOST[name], of.below(8)
    if kind < 2 and name in _TELLING:
        return of.one_of(_TELLING[name])
    if kind == 2:
        return of.one_of((0, 1, most, most - 1))
    if kind == 3:
        return min(most, 1 + abs(of.near_power(32)))
    return 1 + of.below(8 if most == INT32_MAX and kind == 4 else 2**16, size=2)


def _wrong(name: str, of: Choices) -> str:
    """What a client refuses that has the setting."""
    if name in _WORDS:
        return of.one_of(_WRONG_WORDS[name])
    if of.below(3) == 0:
        return str(of.one_of((-1, _MOST.get(name, INT32_MAX) + 1)))
    return of.one_of(_WRONG_SPELLINGS).format(1 + of.below(100))


def _delivery(of: Choices, settings: dict[str, str]) -> str:
    """What ``linger.ms`` and ``request.timeout.ms`` ask for at least, or around it."""
    linger = settings.get(_LINGER, of.one_of(("0", "5")))  # the defaults, up to 3.9 and since
    told = [text.strip("\x01\x1f\t ") for text in (linger, settings.get(_REQUEST, "30000"))]
    least = min(INT32_MAX, sum(min(int(text), INT32_MAX) for text in told))
    most = of.one_of((least, least + 1, least - 1, 120_000, INT32_MAX, least))
    return of.one_of(_SPELLINGS).format(max(0, most))
