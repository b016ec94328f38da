"""The loop of :mod:`.columns` in NumPy: murmur2 of many keys, where Numba cannot compile one.

Keys are sorted by their number of words, a block of them at a time. The first words of all keys
are hashed in one step, then the second words of those that have two, and so on. A step costs the
same for one key as for dozens, so when few keys have words left, each goes on by itself.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .murmur2 import SEED, M, R

_ROWS: Final = 8192
"""Keys in a block: about 600 KB of temporaries, whatever the length of the column."""

_FEW: Final = 64
"""With fewer keys a step takes longer than each key's by itself."""

_WORDS: Final = 4096
"""Words of one key that are turned into Python's numbers at a time: 200 KB."""

_Words = npt.NDArray[np.uint32]


def hash_keys(
    data: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.signedinteger[Any]],
    hashes: npt.NDArray[np.uint32],
) -> bool:
    """As :func:`.murmur2_kernel.hash_keys`, and in the same circumstances False."""
    if not 0 <= offsets[0] <= len(data):
        return False
    for first in range(0, len(hashes), _ROWS):
        bounds = offsets[first : first + _ROWS + 1]
        if bounds[-1] > len(data) or (bounds[1:] < bounds[:-1]).any():
            return False
        _hash_block(data, bounds.astype(np.intp), hashes[first : first + _ROWS])
    return True


def _hash_block(
    data: npt.NDArray[np.uint8], bounds: npt.NDArray[np.intp], hashes: npt.NDArray[np.uint32]
) -> None:
    """The hashes of the keys ``data[bounds[i]:bounds[i + 1]]``; ``bounds`` is valid."""
    lengths = np.diff(bounds)
    order = np.argsort(lengths)
    starts, lengths = bounds[order], lengths[order]
    words, rest = lengths >> 2, lengths & 3
    h = lengths.astype(np.uint32) ^ np.uint32(SEED)
    # The word that begins at each byte: an array over the same memory, which overlaps itself.
    word_at = np.ndarray(max(len(data) - 3, 0), "<u4", data, strides=(1,))
    together = int(words[-_FEW]) if len(words) >= _FEW else 0
    for word in range(together):
        longer = int(np.searchsorted(words, word, side="right"))
        k = _mixed(word_at[starts[longer:] + 4 * word])
        h[longer:] = h[longer:] * np.uint32(M) ^ k
    for key in range(int(np.searchsorted(words, together, side="right")), len(words)):
        h[key] = _go_on(int(h[key]), word_at[starts[key] :: 4][together : words[key]])

    for byte in range(3):
        has = rest > byte
        last = data[starts[has] + 4 * words[has] + byte].astype(np.uint32)
        h[has] ^= last << np.uint32(8 * byte)
    h[rest > 0] *= np.uint32(M)
    h = (h ^ h >> np.uint32(13)) * np.uint32(M)
    hashes[order] = h ^ h >> np.uint32(15)


def _mixed(k: _Words) -> _Words:
    """What becomes of words before they change the hash."""
    k = k * np.uint32(M)
    return (k ^ k >> np.uint32(R)) * np.uint32(M)


def _go_on(h: int, words: _Words) -> int:
    """The hash of one key after further words of it."""
    for first in range(0, len(words), _WORDS):
        for k in _mixed(words[first : first + _WORDS]).tolist():
            h = (h * M ^ k) & 0xFFFFFFFF
    return h
