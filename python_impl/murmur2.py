"""murmur2 of one key, as the producer hashes it, in plain Python (standard library only).

Follows ``org.apache.kafka.common.utils.Utils.murmur2``, the same in 2.3.1, 3.2.3 and 3.8.0.
For many keys at once see :mod:`.columns`.
"""

from struct import unpack_from
from typing import Final

from .errors import JavaNullPointerError
from .int32 import int32

SEED: Final = 0x9747B28C
M: Final = 0x5BD1E995
R: Final = 24
"""murmur2's constants, under the names that Java gives them."""


def murmur2(data: bytes | bytearray | memoryview) -> int:
    """The hash of ``data`` (a serialized key, any number of bytes): a signed int32.

    Follows ``Utils.murmur2(byte[])``. Raises :class:`JavaNullPointerError` for None and
    ``TypeError`` for anything that is not bytes, text included: it has to be encoded first.
    """
    if not isinstance(data, bytes):
        data = _as_bytes(data)
    length = len(data)
    m, r = M, R
    h = SEED ^ length

    for k in unpack_from(f"<{length // 4}I", data):
        k = k * m & 0xFFFFFFFF  # noqa: PLW2901 - as in Java
        k ^= k >> r  # noqa: PLW2901
        h = (h * m ^ k * m) & 0xFFFFFFFF  # one mask serves both products

    if length % 4:
        # Java's switch, which falls through, xors the last 1 to 3 bytes in, low byte first.
        h ^= int.from_bytes(data[length & ~3 :], "little")
        h = h * m & 0xFFFFFFFF

    h ^= h >> 13
    h = h * m & 0xFFFFFFFF
    h ^= h >> 15
    return int32(h)


def _as_bytes(data: object) -> bytes:
    """The bytes of another buffer; kept off the common path, where ``data`` is bytes."""
    if data is None:
        raise JavaNullPointerError("murmur2 of null: there are no bytes to hash")
    if not isinstance(data, bytearray | memoryview):
        raise TypeError(f"murmur2 hashes bytes, bytearray or memoryview, not {type(data).__name__}")
    return bytes(data)
