"""Kafka's own key serializers: the bytes whose hash decides the partition.

They follow ``org.apache.kafka.common.serialization`` (the same in 2.3.1 to 3.8.0). Each maps
None to None, as the Java ones do.
"""

import struct
from math import isnan
from uuid import UUID

_CANONICAL_NAN = bytes.fromhex("7ff8000000000000")


def serialize_string(text: str | None) -> bytes | None:
    """``StringSerializer`` with its default UTF-8; a lone surrogate becomes ``?``, as in Java."""
    if text is None:
        return None
    # Two surrogates that form a pair are one character to Java, but two to Python.
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return joined.encode("utf-8", "replace")


def serialize_integer(number: int | None) -> bytes | None:
    """``IntegerSerializer``: an int32, 4 bytes, big-endian. ``struct.error`` outside int32."""
    return None if number is None else struct.pack(">i", number)


def serialize_long(number: int | None) -> bytes | None:
    """``LongSerializer``: an int64, 8 bytes, big-endian. ``struct.error`` outside int64."""
    return None if number is None else struct.pack(">q", number)


def serialize_double(number: float | None) -> bytes | None:
    """``DoubleSerializer``: 8 bytes, big-endian; every NaN becomes the canonical one."""
    if number is None:
        return None
    return _CANONICAL_NAN if isnan(number) else struct.pack(">d", number)


def serialize_uuid(uuid: UUID | None) -> bytes | None:
    """``UUIDSerializer``: the 36 characters of its lower-case text, in UTF-8."""
    return None if uuid is None else str(uuid).encode("ascii")


def serialize_bytes(data: bytes | None) -> bytes | None:
    """``ByteArraySerializer`` and ``BytesSerializer``: the bytes themselves."""
    return data
