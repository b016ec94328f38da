"""Cases of compression ratios; see ``compression_ratio.py`` for their words."""

import struct
from functools import cache
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.model.case import Case, Operation
from conformance.strategies.packed import Choices, packed

CODECS: Final = ("gzip", "none", "snappy", "lz4", "zstd")
_NEAR: Final = (1.0, 0.995, 0.99, 1.05, 0.5, 0.0, 0.05, 0.005, 0.002, 0.1, 1.0000001, 0.9999999)
"""Near a step up or down from where estimates begin, or from each other."""


@cache
def ratio_cases() -> SearchStrategy[Case]:
    """One to thirty observations and questions of three topics with like names, and five codecs."""
    steps = st.lists(packed(9, _step), min_size=1, max_size=30)
    return steps.map(lambda some: {"config": {}, "metadata": [], "steps": some})


def ratio_of(of: Choices) -> str:
    """The bits of a ratio, a float32 in the form of a double, from 4 bytes."""
    kind, at = of.below(8), of.below(2**16, size=2)
    if kind < 4:
        ratio = _NEAR[at % len(_NEAR)] * (1 if kind else 0.995)
    elif kind < 7:
        ratio = at / 2 ** (8, 14, 16)[kind - 4]
    else:
        ratio = (-1.0, -0.001, 1e30, float("nan"), 1e-30, 3.4e38)[at % 6]
    (single,) = struct.unpack("f", struct.pack("f", ratio))
    return struct.pack(">d", single).hex()


def _step(of: Choices) -> Operation:
    kind, topic = of.below(12), of.one_of(("t", "T", "t-1"))
    codec = of.one_of(CODECS)
    if of.below(3):  # most of a case is about one estimate, which gets far
        topic, codec = "t", "lz4"
    if kind < 8:
        return {"op": "update", "topic": topic, "codec": codec, "ratio": ratio_of(of)}
    if kind == 8:
        return {"op": "estimate", "topic": topic, "codec": codec}
    if kind < 11:
        return {"op": "set", "topic": topic, "codec": codec, "ratio": ratio_of(of)}
    return {"op": "reset", "topic": topic}
