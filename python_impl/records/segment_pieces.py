"""Whole batches of a segment, their sizes and checksums looked at, before their records are."""

from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from ..errors import JavaError
from .batch import RECORD_BATCH_OVERHEAD
from .decompression import Compressed
from .loops import has_numba
from .reader import RecordBatch, batch_ends, checksum, too_short, wrong_checksum

_HEADER: Final = np.dtype(
    [
        ("base_offset", ">i8"),
        ("size", ">i4"),
        ("leader_epoch", ">i4"),
        ("magic", "i1"),
        ("crc", ">u4"),
        ("attributes", ">i2"),
        ("last_offset_delta", ">i4"),
        ("base_timestamp", ">i8"),
        ("max_timestamp", ">i8"),
        ("producer_id", ">i8"),
        ("producer_epoch", ">i2"),
        ("base_sequence", ">i4"),
        ("records", ">i4"),
    ]
)
_Array = npt.NDArray[Any]


class Piece(NamedTuple):
    """Whole batches that follow each other, their checksums right."""

    name: str
    """Of the file, for errors."""
    position: int
    """Where they begin in it, in bytes."""
    data: bytes | memoryview
    ends: list[int]
    """Where each ends in ``data``, which may go on after the last."""
    headers: _Array
    """Of all of them, as they stand there."""

    def start(self, which: int) -> int:
        """Where one begins in ``data``; also the one after the last."""
        return self.ends[which - 1] if which else 0

    def compressed(self, which: int, codec: int, records: int) -> Compressed:
        """One of them that is compressed."""
        start = self.start(which) + RECORD_BATCH_OVERHEAD
        return Compressed(codec, records, bytes(self.data[start : self.ends[which]]))

    def batch(self, which: int, limit: int) -> RecordBatch:
        """One of them."""
        return RecordBatch(bytes(self.data[self.start(which) : self.ends[which]]), limit)

    def says_where(self, error: JavaError, which: int) -> JavaError:
        """The same error, which says which batch of which file it is about."""
        at = self.position + self.start(which)
        return type(error)(f"{self.name}, batch at byte {at}: {error}")


def whole_batches(
    name: str, position: int, data: bytes | memoryview, limit: int, compiled: bool | None
) -> tuple[Piece, JavaError | None]:
    """The batches before the first that is wrong, and what that one is refused with."""
    contents = np.frombuffer(data, np.uint8)  # of which parts are no copies
    ends, error = _ends(data, contents, limit, compiled)
    bounds = [0, *ends]
    headers = _headers(contents, np.array(bounds))
    right = len(headers)
    if right < len(ends):
        error = too_short(bounds[right + 1] - bounds[right])
    checksums = [
        checksum(contents, start, end) for start, end in zip(bounds, ends[:right], strict=False)
    ]
    wrong = np.flatnonzero(headers["crc"] != np.array(checksums, np.uint32))
    if len(wrong):
        right = int(wrong[0])
        error = wrong_checksum(int(headers["crc"][right]), checksums[right])
    return Piece(name, position, data, ends[:right], headers[:right]), error


def _ends(
    data: bytes | memoryview, contents: npt.NDArray[np.uint8], limit: int, compiled: bool | None
) -> tuple[list[int], JavaError | None]:
    """Where whole batches end, up to the first that has no right size or format, and its error."""
    ends = plain_ends(contents, limit) if has_numba(compiled) else []
    try:
        ends.extend(batch_ends(data, limit, ends[-1] if ends else 0))
    except JavaError as error:
        return ends, error
    return ends, None


def plain_ends(data: _Array, limit: int) -> list[int]:
    """Where Numba's loop finds that batches end; see :func:`.segment_kernel.plain_ends`."""
    from . import segment_kernel  # noqa: PLC0415 -- Numba takes long to import

    ends = np.empty(len(data) // RECORD_BATCH_OVERHEAD, np.int64)
    return cast("list[int]", ends[: segment_kernel.plain_ends(data, limit, ends)].tolist())


def _headers(data: _Array, bounds: _Array) -> _Array:
    """The headers of batches between these positions, up to the first that is shorter than one."""
    starts = bounds[:-1]
    short = np.flatnonzero(bounds[1:] - starts < RECORD_BATCH_OVERHEAD)
    if len(short):
        starts = starts[: short[0]]
    if len(starts) == 0:
        return np.empty(0, _HEADER)
    # A row for each byte where a header may begin, so each is copied at once.
    rows = len(data) - RECORD_BATCH_OVERHEAD + 1, RECORD_BATCH_OVERHEAD
    windows: _Array = np.ndarray(rows, np.uint8, data, strides=(1, 1))
    return windows[starts].view(_HEADER)[:, 0]
