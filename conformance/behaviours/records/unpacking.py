"""A compressed batch as it is compared: its records after decompression, by the libraries alone.

What is compared must not depend on the port's own reader, so this is not its code.
"""

import struct
import zlib
from collections.abc import Callable, Sequence
from typing import Final

import cramjam
import google_crc32c

from conformance.model.case import Operation
from conformance.model.trace import Answer
from conformance.strategies.records.wire import CODEC_IDS, LZ4_MAGIC, OVERHEAD, SNAPPY_HEADER
from conformance.utf16 import utf16

_LZ4_INDEPENDENT: Final = 0x20
_SLACK: Final = 32
"""Bytes that a record, or a part of it, takes at most beside what it holds."""


def is_framed(number: int, data: bytes) -> bool:
    """Whether snappy is framed as snappy-java does it: Java writes nothing else, but reads both."""
    return number != CODEC_IDS["snappy"] or data.startswith(SNAPPY_HEADER)


def _unsnappy(data: bytes, room: memoryview) -> int:
    """Blocks, each after its length, after the header of snappy-java's streams; or one block."""
    if not data.startswith(SNAPPY_HEADER):
        return int(cramjam.snappy.decompress_raw_into(data, room))
    many, at = 0, len(SNAPPY_HEADER)
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        at += 4 + size
        if at > len(data):
            raise ValueError("its last block is cut off")
        many += cramjam.snappy.decompress_raw_into(data[at - size : at], room[many:])
    return many


def _unlz4(data: bytes, room: memoryview) -> int:
    """A frame whose blocks stand by themselves: Java refuses any other."""
    if not data.startswith(LZ4_MAGIC) or not data[4] & _LZ4_INDEPENDENT:
        raise ValueError("it is no frame of independent blocks")
    return int(cramjam.lz4.decompress_into(data, room))


def _ungzip(data: bytes, room: memoryview) -> int:
    found = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    written = found.decompress(data, len(room))
    if not found.eof:
        raise ValueError("it is cut off, or more than its records can be")
    room[: len(written)] = written
    return len(written)


def _as_it_is(data: bytes, room: memoryview) -> int:
    room[: len(data)] = data
    return len(data)


_UNPACK: Final[dict[str, Callable[[bytes, memoryview], int]]] = {
    "none": _as_it_is,
    "gzip": _ungzip,
    "snappy": _unsnappy,
    "lz4": _unlz4,
    "zstd": lambda data, room: int(cramjam.zstd.decompress_into(data, room)),
}
"""Each writes what it finds into the room, and answers how much it is."""


def unpacked(number: int, data: bytes, most: int) -> Answer:
    """The uncompressed records; a text that says why not, if they cannot be decompressed.

    ``number``: of their codec, as a batch names it. ``most``: bytes that they have at most. What
    has more, such as a bomb, is not decompressed.
    """
    codec = next((name for name, one in CODEC_IDS.items() if one == number), None)
    if codec is None:
        return f"no codec {number}"
    room = bytearray(most)
    try:
        return bytes(room[: _UNPACK[codec](data, memoryview(room))])
    except (zlib.error, cramjam.DecompressionError, struct.error, ValueError, IndexError) as error:
        return f"not {codec}: {error}"


def shown_batch(batch: bytes, most: int) -> list[Answer]:
    """A compressed batch, for two writers of one codec may write other bytes for the same records.

    A list: whether its length and its CRC are right, its header without these two, whether snappy
    is framed as snappy-java does it, and its records, of ``most`` bytes at most, uncompressed.
    """
    length, crc, attributes = struct.unpack_from(">8xi5xIH", batch)
    is_whole = int(length == len(batch) - 12)
    is_right = int(crc == google_crc32c.value(batch[21:]))
    header = batch[:8] + batch[12:17] + batch[21:OVERHEAD]
    # By the codec that the batch names: others may leave alone what does not get shorter.
    codec, data = attributes & 7, batch[OVERHEAD:]
    return [is_whole, is_right, header, int(is_framed(codec, data)), unpacked(codec, data, most)]


def most_bytes_of(steps: Sequence[Operation], times: int = 1) -> int:
    """More bytes than all records of some steps can have: a testee may send what has no end.

    ``times``: how often each of them is there, at most.
    """
    return _SLACK + times * sum(map(_most_of_step, steps))


def _most_of_step(operation: Operation) -> int:
    parts = [operation.get("key"), operation.get("value")]
    for key, value in operation.get("headers") or ():
        parts += [utf16(key) * 2, value]
    size: int = _SLACK + sum(_SLACK + len(part or b"") for part in parts)
    return size * int(operation.get("times", 1))
