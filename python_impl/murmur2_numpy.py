"""The loop of :mod:`.columns` in NumPy: murmur2 of many keys, where Numba cannot compile one.

Keys are sorted by their number of words, a block of them at a time. The first words of all keys
are hashed in one step, then the second words of those that have two, and so on. A step costs the
same for one key as for dozens, so the few longest keys of a block are hashed one after another.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .murmur2 import SEED, M, R, murmur2

_ROWS: Final = 8192
"""Keys in a block: about 500 KB of temporaries, whatever the length of the column."""

_FEW: Final = 48
"""So many keys, or fewer, take less time one after another than in steps."""


def hash_keys(
    data: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.signedinteger[Any]],
    hashes: npt.NDArray[np.uint32],
) -> bool:
    """As :func:`.murmur2_kernel.hash_keys`, and in the same circumstances False."""
    for first in range(0, len(hashes), _ROWS):
        bounds = offsets[first : first + _ROWS + 1]
        if bounds[0] < 0 or bounds[-1] > len(data) or (bounds[1:] < bounds[:-1]).any():
            return False
        _hash_block(data, bounds.astype(np.intp), hashes[first : first + _ROWS])
    return len(hashes) > 0 or bool(0 <= offsets[0] <= len(data))


def _hash_block(
    data: npt.NDArray[np.uint8], bounds: npt.NDArray[np.intp], hashes: npt.NDArray[np.uint32]
) -> None:
    """The hashes of the keys ``data[bounds[i]:bounds[i + 1]]``; ``bounds`` is valid."""
    words = np.diff(bounds) >> 2
    by_words = np.argsort(words, kind="stable")
    alone = max(0, len(words) - _FEW)  # the rank of the first of the longest keys
    if alone:
        # Those as long as the longest of the others may as well go with them.
        alone = int(np.searchsorted(words[by_words], words[by_words[alone - 1]], side="right"))
    together = by_words[:alone]
    hashes[together] = _in_steps(data, bounds[together], bounds[together + 1])
    for row in by_words[alone:]:
        hashes[row] = murmur2(data[bounds[row] : bounds[row + 1]].data) & 0xFFFFFFFF


def _in_steps(
    data: npt.NDArray[np.uint8], starts: npt.NDArray[np.intp], stops: npt.NDArray[np.intp]
) -> npt.NDArray[np.uint32]:
    """The hashes of the keys ``data[start:stop]``, which come in the order of their words."""
    m = np.uint32(M)
    lengths = stops - starts
    words = lengths >> 2
    h = lengths.astype(np.uint32) ^ np.uint32(SEED)
    # The word that begins at each byte: an array over the same memory, which overlaps itself.
    word_at = np.ndarray(max(len(data) - 3, 0), "<u4", data, strides=(1,))
    for word in range(words[-1] if len(words) else 0):
        longer = int(np.searchsorted(words, word, side="right"))
        k = word_at[starts[longer:] + 4 * word] * m
        k = (k ^ k >> np.uint32(R)) * m
        h[longer:] = h[longer:] * m ^ k
    rest = lengths & 3
    for byte in range(3):
        has = rest > byte
        last = data[stops[has] - rest[has] + byte].astype(np.uint32)
        h[has] ^= last << np.uint32(8 * byte)
    h[rest > 0] *= m
    h = (h ^ h >> np.uint32(13)) * m
    return h ^ h >> np.uint32(15)
