"""Values of records: as large as asked for, and as easy to compress as asked for."""

from typing import Final

import numpy as np

_NOISE: Final = 1 << 20
_KEPT: Final = 4096
"""How many sizes of values are kept, so that they are made once."""


class Payload:
    """Values of which a share is random bytes and the rest is one byte over and over.

    ``random_share`` is from 0 to 1. It only matters if records are compressed: a codec keeps the
    random bytes, about, and makes little of the rest.
    """

    def __init__(self, random_share: float, *, compressed: bool, random: np.random.Generator):
        self._random_share = random_share if compressed else 0.0
        self._noise = random.bytes(_NOISE) if self._random_share else b""
        self._at = 0
        self._plain: dict[int, bytes] = {}

    def of_size(self, size: int) -> bytes:
        """A value of that many bytes."""
        noisy = round(size * self._random_share)
        if noisy:
            return self._next_noise(noisy) + b"x" * (size - noisy)
        value = self._plain.get(size)
        if value is None:
            value = b"x" * size
            if len(self._plain) < _KEPT and size <= _NOISE:
                self._plain[size] = value
        return value

    def _next_noise(self, size: int) -> bytes:
        if size > _NOISE:
            return (self._noise * (size // _NOISE + 1))[:size]
        start = self._at % (_NOISE - size + 1)
        # An odd step more, so that the next round finds other bytes at its places.
        self._at += size + 7919
        return self._noise[start : start + size]
