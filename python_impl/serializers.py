"""Kafka's own key serializers: the bytes whose hash decides the partition.

They follow ``org.apache.kafka.common.serialization`` (the same in 2.3.1 to 3.8.0). Each maps
None to None, as the Java ones do.
"""

import codecs
import struct
from math import isnan
from typing import Final
from uuid import UUID

_CANONICAL_NAN = bytes.fromhex("7ff8000000000000")
_REPLACEMENT: Final = "\ufffd"
_LIKE_JAVA: Final = "python_impl.like_java"
"""The name under which :func:`_replaced_as_in_java` is registered."""


def serialize_string(text: str | None) -> bytes | None:
    """``StringSerializer`` with its default UTF-8; a lone surrogate becomes ``?``, as in Java."""
    if text is None:
        return None
    # Two surrogates that form a pair are one character to Java, but two to Python.
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return joined.encode("utf-8", "replace")


def deserialize_string(data: bytes) -> str:
    """``StringDeserializer`` with its default UTF-8; also the keys of headers are read so.

    What is not UTF-8 becomes replacement characters, as many as in Java: one for a surrogate that
    was encoded in three bytes, for which Python has three.
    """
    return data.decode("utf-8", _LIKE_JAVA)


def _replaced_as_in_java(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    surrogate = error.object[error.start : error.start + 3]
    if len(surrogate) > 1 and surrogate[0] == 0xED and 0xA0 <= surrogate[1] <= 0xBF:
        is_whole = len(surrogate) > 2 and 0x80 <= surrogate[2] <= 0xBF
        return _REPLACEMENT, error.start + (3 if is_whole else 2)
    return _REPLACEMENT, error.end


codecs.register_error(_LIKE_JAVA, _replaced_as_in_java)


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
