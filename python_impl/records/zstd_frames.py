"""Many small frames of zstd at once: the library does much anew each time that it is called.

That costs as much as two thirds of the decompression of 16 KiB. What is not plain, and what is
refused, is left to :mod:`.decompression`, which takes one batch at a time.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import cramjam

from .compression import CODECS
from .decompression import Compressed, Scratch

_ZSTD: Final = CODECS["zstd"].id
_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_SINGLE_SEGMENT, _CHECKSUM, _DICTIONARY = 0x20, 0x04, 0x03
_RUN: Final = 1
"""The type of a block that is one byte many times."""
_BLOCK: Final = 1 << 17
"""Bytes that a block has at most after decompression."""
_MOST_BLOCKS: Final = 7
"""Of a group, so that what they become has room in what :class:`Scratch` keeps."""
_MARK: Final = b"\xff" + b"\xfe" * 63
"""Stands after the records of a frame. It cannot overlap with itself, so each is found; long,
and of few different bytes, it is found soonest."""
_MARK_FRAME: Final = (
    _MAGIC
    + bytes((_SINGLE_SEGMENT, len(_MARK)))
    + (len(_MARK) << 3 | 1).to_bytes(3, "little")
    + _MARK
)


def groups(batches: Iterable[Compressed]) -> Iterator[list[Compressed]]:
    """The batches in their order: neighbours that :func:`append_group` may take, or one alone."""
    group: list[Compressed] = []
    room = 0
    for batch in batches:
        blocks = _blocks(batch.data) if batch.codec == _ZSTD and batch.records != 0 else 0
        if group and (blocks == 0 or blocks > room):
            yield group
            group = []
        if not group:
            room = _MOST_BLOCKS if blocks else 0
        group.append(batch)
        room -= blocks
    if group:
        yield group


def append_group(
    to: bytearray, group: Sequence[Compressed], limit: int, scratch: Scratch
) -> list[tuple[int, int]] | None:
    """Append the records of one of the :func:`groups`, and tell where those of each begin and end.

    None, and nothing is appended, for a batch alone, and if anything is wrong with one of them, or
    one becomes more than ``limit`` bytes: they have to be taken one by one.
    """
    if len(group) == 1:
        return None
    frames = b"".join([part for batch in group for part in (batch.data, _MARK_FRAME)])
    out = scratch.room(_MOST_BLOCKS * (_BLOCK + len(_MARK)))
    try:
        many = cramjam.zstd.decompress_into(frames, out)
    except cramjam.DecompressionError:
        return None
    begin = before = len(to)
    to += out[:many]
    spans = []
    while (end := to.find(_MARK, begin)) >= 0:
        spans.append((begin, end))
        begin = end + len(_MARK)
    # There are more if records have the mark, too.
    if len(spans) == len(group) and all(end - begin <= limit for begin, end in spans):
        return spans
    del to[before:]
    return None


def _blocks(data: bytes) -> int:
    """How many blocks the data has if it is one whole frame and nothing else; 0 if it is not.

    Only so are the frames of a group still the same if they stand one after the other.
    """
    if len(data) <= len(_MAGIC) or not data.startswith(_MAGIC):
        return 0
    flags, blocks = data[len(_MAGIC)], 0
    if flags & _DICTIONARY:
        return 0
    is_single = flags & _SINGLE_SEGMENT != 0
    at = len(_MAGIC) + 1 + (0 if is_single else 1) + (1 if is_single else 0, 2, 4, 8)[flags >> 6]
    while at + 3 <= len(data):
        header = int.from_bytes(data[at : at + 3], "little")
        at += 3 + (1 if header >> 1 & 3 == _RUN else header >> 3)
        blocks += 1
        if header & 1:
            at += 4 if flags & _CHECKSUM else 0
            return blocks if at == len(data) else 0
    return 0
