"""One record of a batch: its size, the bound of its size, its bytes.

Follows ``org.apache.kafka.common.record.DefaultRecord`` (2.3.1 to 4.4.0). Keys and values are
bytes or None; None is not the same as no bytes.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from ..errors import JavaIllegalArgumentError
from ..serializers import serialize_string
from .varints import NULL_SIZE, size_of_varint, size_of_varlong, varint, varlong

MAX_RECORD_OVERHEAD: Final = 21
"""Bytes of a record besides key, value and headers, at most: attributes and three varints."""

_ATTRIBUTES: Final = b"\0"
"""No attribute of a record is in use."""

_ATTRIBUTES_SIZE: Final = len(_ATTRIBUTES)
_NO_HEADERS: Final = varint(0)
_NO_HEADERS_SIZE: Final = len(_NO_HEADERS)
_NULL: Final = varint(-1)


class RecordHeader(NamedTuple):
    """A header of a record; a key of None is refused, a value of None is kept."""

    key: str | None
    value: bytes | None


Headers = Sequence[tuple[str | None, bytes | None]]
"""Pairs of key and value, such as :class:`RecordHeader`."""


def record_size(
    offset_delta: int,
    timestamp_delta: int,
    key: bytes | None,
    value: bytes | None,
    headers: Headers | None,
) -> int:
    """Bytes of a record in a batch, its own length included (``sizeInBytes``).

    ``offset_delta`` (int32) and ``timestamp_delta`` (int64, ms) are to the batch's first ones.
    Raises :class:`JavaIllegalArgumentError` for headers of None, or a header's key of None, and
    ``TypeError`` for a key or value that is not made of bytes.
    """
    body = _body_size(offset_delta, timestamp_delta, key, value, headers)
    return size_of_varint(body) + body


def record_size_upper_bound(key: bytes | None, value: bytes | None, headers: Headers | None) -> int:
    """Bytes that a record takes at most, wherever it stands (``recordSizeUpperBound``)."""
    return MAX_RECORD_OVERHEAD + _contents_size(key, value, headers)


def _body_size(
    offset_delta: int,
    timestamp_delta: int,
    key: bytes | None,
    value: bytes | None,
    headers: Headers | None,
) -> int:
    """Bytes of a record after its length."""
    return (
        _ATTRIBUTES_SIZE
        + size_of_varint(offset_delta)
        + size_of_varlong(timestamp_delta)
        + _contents_size(key, value, headers)
    )


def written_record(
    offset_delta: int,
    timestamp_delta: int,
    key: bytes | None,
    value: bytes | None,
    headers: Headers | None,
) -> tuple[bytes, int]:
    """The bytes of a record, its length first (``writeTo``), and how many it counts as.

    That is the computed length, as in Java. It is not that of the bytes if a header's key has a
    lone surrogate: see :func:`utf8_length`. Raises what :func:`record_size` does.
    """
    body = _body_size(offset_delta, timestamp_delta, key, value, headers)
    length = varint(body)
    parts = [length, _ATTRIBUTES, varlong(timestamp_delta), varint(offset_delta)]
    _put(parts, key)
    _put(parts, value)
    if headers:  # None was refused as it was measured
        parts.append(varint(len(headers)))
        for header in map(_header, headers):
            _put(parts, header_key(header))
            _put(parts, header.value)
    else:
        parts.append(_NO_HEADERS)
    return b"".join(parts), len(length) + body


def header_key(header: RecordHeader) -> bytes:
    """A header's key in UTF-8; a lone surrogate becomes ``?``."""
    key = serialize_string(header.key)
    if key is None:
        raise JavaIllegalArgumentError("Invalid null header key found in headers")
    return key


def _put(parts: list[bytes], data: bytes | None) -> None:
    if data is None:
        parts.append(_NULL)
    else:
        parts += (varint(len(data)), data)


def _contents_size(key: bytes | None, value: bytes | None, headers: Headers | None) -> int:
    size = _size(key) + _size(value)
    known = _known(headers)
    if not known:
        return size + _NO_HEADERS_SIZE
    size += size_of_varint(len(known))
    for header in map(_header, known):
        length = utf8_length(header)
        size += size_of_varint(length) + length + _size(header.value)
    return size


def utf8_length(header: RecordHeader) -> int:
    """The length of a header's key as ``Utils.utf8Length`` has it, in bytes.

    It counts three bytes for a lone surrogate, of which :func:`header_key` then writes one. A high
    one swallows whatever follows it, and both count as four.
    """
    text = header.key
    if text is None:
        raise JavaIllegalArgumentError("Invalid null header key found in headers")
    if not isinstance(text, str):
        raise TypeError(f"a header's key is a str, not {text!r}")
    if text.isascii():
        return len(text)
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")
    size, is_counted = 0, False
    for unit in units:
        if is_counted:
            is_counted = False
        elif unit <= 0x7F:
            size += 1
        elif unit <= 0x7FF:
            size += 2
        elif 0xD800 <= unit <= 0xDBFF:
            size += 4
            is_counted = True
        else:
            size += 3
    return size


def _size(data: bytes | None) -> int:
    if type(data) is not bytes and data is not None:
        _check_bytes(data)
    return NULL_SIZE if data is None else size_of_varint(len(data)) + len(data)


def _check_bytes(data: bytes) -> None:
    """Raise ``TypeError`` for what is no bytes, one after the other, that its length counts."""
    view = memoryview(data)
    if not view.contiguous:
        raise TypeError("a key or value has its bytes one after the other: bytes() copies these")
    if view.nbytes != len(data):
        raise TypeError(
            f"{view.nbytes} bytes that count as {len(data)}, such as an array of numbers, are no "
            "key or value: bytes() copies them as they are"
        )


def _header(pair: tuple[str | None, bytes | None]) -> RecordHeader:
    if isinstance(pair, RecordHeader):
        return pair
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise TypeError(f"a header is a pair of key and value, not {pair!r}")
    return RecordHeader(*pair)


def _known(headers: Headers | None) -> Headers:
    if headers is None:
        raise JavaIllegalArgumentError("Headers cannot be null")
    return headers
