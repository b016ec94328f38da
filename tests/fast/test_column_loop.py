"""Which loop hashes a column: Numba's where it works, else NumPy's, and who is told."""

import importlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from python_impl import column_loop, murmur2_numpy
from python_impl.columns import murmur2_column, partitions_for_keys
from tests.fast.key_samples import expected, mixed_keys

KERNEL = "python_impl.murmur2_kernel"
KEYS = mixed_keys(100, 40, 3)
INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)


@pytest.fixture
def afresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """As in a process that has hashed no column yet."""
    column_loop._best.cache_clear()
    monkeypatch.delitem(sys.modules, KERNEL, raising=False)
    monkeypatch.delattr(sys.modules["python_impl"], "murmur2_kernel", raising=False)
    yield monkeypatch
    column_loop._best.cache_clear()


def check_hashes() -> None:
    assert murmur2_column(KEYS).to_pylist() == expected(KEYS)  # type: ignore[arg-type]
    assert partitions_for_keys(KEYS, 7) == partitions_for_keys(KEYS, 7, compiled=False)


@pytest.mark.parametrize("kind", [INT32, INT64])
def test_numbas_loop_where_it_works(kind: "np.dtype[Any]") -> None:
    kernel = importlib.import_module(KERNEL)
    assert column_loop.loop_for(kind, None) is column_loop.loop_for(kind, True) is kernel.hash_keys
    assert column_loop.loop_for(kind, False) is murmur2_numpy.hash_keys


@pytest.mark.parametrize("missing", ["numba", "llvmlite"])
def test_without_numba_numpys_loop_and_not_a_word(afresh: pytest.MonkeyPatch, missing: str) -> None:
    afresh.setitem(sys.modules, missing, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_hashes()
    assert column_loop.loop_for(INT64, None) is murmur2_numpy.hash_keys
    with pytest.raises(ImportError):
        murmur2_column(KEYS, compiled=True)


def test_a_numba_whose_private_part_is_gone_is_told_of_once(afresh: pytest.MonkeyPatch) -> None:
    afresh.setitem(sys.modules, "numba.np.arrayobj", None)
    with pytest.warns(RuntimeWarning, match=r"cannot be used here.*numba\.np\.arrayobj"):
        check_hashes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_hashes()


def _raises(*_: Any) -> bool:
    raise AttributeError("no such part")


def _hashes_wrongly(
    data: npt.NDArray[np.uint8], offsets: npt.NDArray[Any], hashes: npt.NDArray[np.uint32]
) -> bool:
    murmur2_numpy.hash_keys(data, offsets, hashes)
    hashes[-1] ^= np.uint32(1)
    return True


def _refuses(*_: Any) -> bool:
    return False


@pytest.mark.parametrize(
    ("loop", "said"),
    [
        (_raises, "AttributeError: no such part"),
        (_hashes_wrongly, "it hashes wrongly"),
        (_refuses, "it hashes wrongly"),
    ],
)
def test_a_compiled_loop_that_does_something_else_is_not_used(
    afresh: pytest.MonkeyPatch, loop: Any, said: str
) -> None:
    afresh.setattr(importlib.import_module(KERNEL), "hash_keys", loop)
    with pytest.warns(RuntimeWarning, match=said):
        check_hashes()
    assert column_loop.loop_for(INT64, True) is loop  # who asks for it gets it as it is
