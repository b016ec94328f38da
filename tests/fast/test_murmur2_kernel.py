"""The loops over columns: bins, buffers at any alignment, wrong offsets; the cache of one."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copy

import numpy as np
import pytest

import python_impl
from python_impl.columns import murmur2_buffer, murmur2_column
from python_impl.murmur2 import murmur2
from tests.fast.key_samples import expected, mixed_keys

COLUMNS = (
    *("column_loop.py", "columns.py", "errors.py", "int32.py"),
    *("murmur2.py", "murmur2_kernel.py", "murmur2_numpy.py"),
)
"""The files of the port that columns need."""

loops = pytest.mark.parametrize("compiled", [True, False], ids=["numba", "numpy"])


@loops
@pytest.mark.parametrize(
    "sizes",
    [
        [8, 12] * 8,  # differ in the one bit that tells one word from two
        [*[0] * 15, 9],  # begin at the same place
        [4, *[0] * 15],  # end at the same place
    ],
)
def test_neighbours_that_are_nearly_alike(sizes: list[int], compiled: bool) -> None:
    rng = np.random.default_rng(5)
    keys = [rng.bytes(size) for size in sizes]
    hashes = murmur2_column(keys, compiled=compiled)
    assert hashes.to_pylist() == expected(keys)  # type: ignore[arg-type]


@loops
@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("shift", range(5))
def test_buffers_at_any_alignment(
    kind: type[np.int32] | type[np.int64], shift: int, compiled: bool
) -> None:
    keys = mixed_keys(500, 64, shift)
    data = np.frombuffer(b"." * shift + b"".join(keys), np.uint8)
    ends = np.cumsum([shift, *map(len, keys)]).astype(kind)
    unaligned = np.frombuffer(b"." * shift + ends.tobytes(), kind, offset=shift)
    for offsets in (ends, unaligned):
        hashes = murmur2_buffer(data, offsets, compiled=compiled)
        assert hashes.tolist() == expected(keys)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [0, 1, 47, 48, 49, 50, 8191, 8192, 8193, 8192 + 49])
@pytest.mark.parametrize("longest", [3, 40, 3000])
def test_blocks_of_numpys_loop(count: int, longest: int) -> None:
    keys = mixed_keys(count, longest if count < 100 else 40, count)
    for column in (keys, [key[:8].ljust(8, b".") for key in keys]):
        hashes = murmur2_column(column, compiled=False)
        assert hashes.to_pylist() == expected(column)  # type: ignore[arg-type]


@loops
@pytest.mark.parametrize(
    "wrong",
    [
        *([0, 4, 2, 8], [-1, 4], [0, 9], [0, 4, 9], [9, 9], [9]),
        *([9, -(2**63)], [5, -(2**63)], [0, 5, -(2**63)], [5, -5, 8]),
    ],
)
def test_offsets_outside_the_data(wrong: list[int], compiled: bool) -> None:
    for padding in (0, 100):  # in the last, incomplete group of sixteen, and before it
        offsets = np.array([*wrong, *([wrong[-1]] * padding)], np.int64)
        with pytest.raises(ValueError, match="ascend"):
            murmur2_buffer(np.zeros(8, np.uint8), offsets, compiled=compiled)


def test_buffer_rejections() -> None:
    data, offsets = np.zeros(8, np.uint8), np.array([0, 8], np.int32)
    assert murmur2_buffer(data, offsets).tolist() == [murmur2(bytes(8))]
    assert murmur2_buffer(data, offsets[:1]).tolist() == []
    for wrong in (
        *((data.view(kind), offsets) for kind in (np.int8, np.bool_, np.uint16)),
        (data, offsets.astype(np.uint32)),
    ):
        with pytest.raises(TypeError, match="must be uint8"):
            murmur2_buffer(*wrong)
    one = np.array(0, np.int32)  # no dimension at all
    for odd in (
        *((data[::2], offsets), (data, offsets[::-1]), (data.reshape(2, 4), offsets)),
        (data, one),
    ):
        with pytest.raises(ValueError, match="one-dimensional and contiguous"):
            murmur2_buffer(*odd)
    with pytest.raises(ValueError, match="at least one"):
        murmur2_buffer(data, offsets[:0])


def hash_abc(package: Path, cache: Path) -> None:
    """Hash b"abc" in a process that imports ``package`` and may write to ``cache``."""
    code = f"from {package.name}.columns import murmur2_column as m; print(m([b'abc']))"
    environment = {
        **{name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"},
        **dict.fromkeys(("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"), str(cache)),
    }
    command = [sys.executable, "-c", code]
    shown = subprocess.run(
        command, cwd=package.parent, env=environment, capture_output=True, text=True, check=True
    )
    assert str(murmur2(b"abc")) in shown.stdout


def copy_of_the_columns(package: Path) -> Path:
    package.mkdir()
    for name in COLUMNS:
        copy(Path(python_impl.__file__).parent / name, package)
    (package / "__init__.py").touch()
    return package


@pytest.mark.parametrize("writable", [True, False], ids=["user cache", "no cache"])
def test_kernel_where_the_package_is_read_only(tmp_path: Path, writable: bool) -> None:
    package = copy_of_the_columns(tmp_path / "ports")
    (package / "__pycache__").touch()  # a file: no folder can be made, not even by root
    hash_abc(package, tmp_path / "cache" if writable else Path(os.devnull))
    assert any(tmp_path.rglob("*.nbi")) == writable


def test_another_name_for_the_same_files_does_not_touch_their_cache(tmp_path: Path) -> None:
    package = copy_of_the_columns(tmp_path / "ports")
    other = tmp_path / "mutant"
    other.mkdir()
    (other / "__init__.py").write_text(f"__path__ = [{str(package)!r}]\n")
    hash_abc(other, tmp_path)
    assert not any(tmp_path.rglob("*.nbi"))
    hash_abc(package, tmp_path)
    assert any(package.rglob("*.nbi"))
    hash_abc(other, tmp_path)
