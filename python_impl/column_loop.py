"""Which loop hashes a column: the compiled one if Numba can build it, else NumPy's.

Numba is an accelerator, not a requirement, and :mod:`.murmur2_kernel` stands on parts of it that
are not its public interface. So the compiled loop is tried before it is trusted: on its first use
it hashes a small column, and has to agree with NumPy's.
"""

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from . import murmur2_numpy

Loop: TypeAlias = Callable[[npt.NDArray[np.uint8], npt.NDArray[Any], npt.NDArray[np.uint32]], bool]
"""Data, offsets and hashes, as for :func:`.murmur2_kernel.hash_keys`."""

_LENGTHS: Final = (*[9] * 16, *[3, 4, 17] * 16, 1030)
"""Of the keys it is tried on, in bytes: neighbours alike, bins that fill, a long key, a rest."""


def loop_for(offsets: "np.dtype[Any]", compiled: bool | None) -> Loop:
    """The loop for columns with offsets of this type, int32 or int64.

    ``compiled``: True for Numba's, False for NumPy's, None for the faster one that works here.
    Raises ``ImportError`` (and whatever else importing Numba raises) if Numba's is asked for and
    cannot be had.
    """
    if compiled is None:
        return _best(np.dtype(offsets))
    return _compiled() if compiled else murmur2_numpy.hash_keys


def _compiled() -> Loop:
    from .murmur2_kernel import hash_keys  # noqa: PLC0415 -- Numba takes long to import

    return hash_keys


@cache
def _best(offsets: "np.dtype[Any]") -> Loop:
    """The compiled loop, if it does on a small column what NumPy's does."""
    slow = murmur2_numpy.hash_keys
    try:
        fast = _compiled()
        wrong = "" if _agree(fast, slow, offsets) else "it hashes wrongly"
    except ModuleNotFoundError as error:
        if error.name in ("numba", "llvmlite"):  # not installed: so it was wanted
            return slow
        wrong = f"{type(error).__name__}: {error}"
    except Exception as error:  # whatever a Numba that has changed may raise
        wrong = f"{type(error).__name__}: {error}"
    if not wrong:
        return fast
    warnings.warn(
        f"Numba's loop for columns of keys cannot be used here, so NumPy's is, which is slower:"
        f" {wrong}. Another version of Numba may help",
        RuntimeWarning,
        stacklevel=2,
    )
    return slow


def _agree(one: Loop, other: Loop, kind: "np.dtype[Any]") -> bool:
    offsets = np.cumsum([0, *_LENGTHS]).astype(kind)
    data = (np.arange(offsets[-1]) * 167 % 251).astype(np.uint8)
    for array in (data, offsets):
        array.flags.writeable = False  # as columns hand them over: Numba compiles for that
    ours, theirs = (np.empty(len(_LENGTHS), np.uint32) for _ in range(2))
    both = one(data, offsets, ours) and other(data, offsets, theirs)
    return both and np.array_equal(ours, theirs)
