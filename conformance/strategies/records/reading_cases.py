"""Cases of batches that are read, most of them damaged; ``batch_reading.py`` has their words."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.model.case import Case, Operation
from conformance.strategies.packed import Choices, packed
from conformance.strategies.records import wire
from conformance.strategies.records.batch_cases import NOW
from conformance.strategies.records.contents import (
    DATA_BYTES,
    HEADERS_BYTES,
    data_of,
    headers_of,
    int64_of,
)
from conformance.strategies.records.wire import WireBatch, WireRecord

HORIZONS: Final = "delete horizons"
REFUSALS: Final = "refusals"
_RECORD_BYTES: Final = 24 + 2 * DATA_BYTES + HEADERS_BYTES
_MOST_RECORDS: Final = 4
_HEADER_BYTES: Final = 64
_DAMAGE_BYTES: Final = 32
_BATCH_BYTES: Final = _HEADER_BYTES + _MOST_RECORDS * _RECORD_BYTES + _DAMAGE_BYTES
_STEP_BYTES: Final = 4 + 2 * _BATCH_BYTES
_MANY: Final = (63, 64, 65, 130, 300, 2000)
"""How often the first record of a batch stands in some."""
_LARGE: Final = bytes(range(64, 128)) * 1100
"""A value of more than 64 KiB, which is several blocks of lz4 and of snappy."""
_BEFORE_LENGTH: Final = -2
"""The place of the last number before the length of the last record: of its value or header."""
_SHORT: Final = 200
"""Bytes of all records of which the first may stand there often."""
_CODECS: Final = (*wire.CODEC_IDS, "none", "none", "none")
_OF_COMPRESSED: Final = ("compressed cut", "compressed bit", "compressed more", "bomb")
_MALFORMED: Final = tuple(
    bytes.fromhex(digits)
    for digits in (
        *("ff", "80", "c3", "c328", "c080", "e282", "e28228", "eda080", "edb080", "f09f", "f09f98"),
        *("f09f9841", "f4908080", "f88888", "61ff62", "e0808080", "eda0bdedb880", "f0808080c3a9"),
        *("eda0", "eda041", "edbf61", "61eda0ed", "eda0c3a9"),
    )
)
"""Keys of headers that are no UTF-8."""


@cache
def reading_cases(*, horizons: bool) -> SearchStrategy[Case]:
    """One to three reads, each of one or two batches, of which one may be damaged."""
    kinds = ("read", "columns", "read", REFUSALS, "records", "columns", REFUSALS, HORIZONS)
    step = packed(_STEP_BYTES, lambda of: _step(of, kinds if horizons else kinds[:-1]))
    steps = st.lists(step, min_size=1, max_size=3)
    return steps.map(lambda some: {"config": {}, "metadata": [], "steps": some})


def _step(of: Choices, kinds: Sequence[str]) -> Operation:
    operation, batches = of.one_of(kinds), of.between(1, 2)
    damaged, rare = of.below(2), of.below(64) == 63
    parts: list[bytes] = []
    damages: list[str] = []
    codecs: list[str] = []
    odd = False
    for number in range(batches):
        written, damage, codec, is_odd = _batch(
            of.part(_BATCH_BYTES), damaged=number == damaged % batches, rare=rare
        )
        odd = odd or is_odd
        parts.append(written)
        damages += [damage] if damage else []
        codecs += [codec] if codec != "none" else []
    return {
        "op": operation,
        "data": b"".join(parts),
        "damage": next(iter(damages), None),
        "codec": next(iter(codecs), "none"),
        "odd": odd,
    }


def _batch(of: Choices, *, damaged: bool, rare: bool) -> tuple[bytes, str | None, str, bool]:
    """A batch's bytes; what is wrong with it, if anything is; its codec; whether it is odd."""
    header = of.part(_HEADER_BYTES)
    some = of.part(_MOST_RECORDS * _RECORD_BYTES)
    of = of.part(_DAMAGE_BYTES)
    damage: str | None = of.one_of(_DAMAGES_OR_NONE) if damaged else None
    compressed = bool(damage) and damage in _OF_COMPRESSED
    batch, codec, kind = _header(header, compressed=compressed)
    count = of.one_of((1, 2, 3, 1, 2, 3, 4, 0))
    records = [_record(some.part(_RECORD_BYTES), number, rare=rare) for number in range(count)]
    many = of.one_of(_MANY)
    if records and of.below(24) == 23 and len(_written(records, -1, None)) < _SHORT:
        first = [replace(records[0], offset_delta=number) for number in range(many)]
        records = first + records[1:]
    if records and of.below(32) == 31:
        records[0] = replace(records[0], value=_LARGE)
    if damage == "null header key" and records:
        headers = records[-1].headers
        records[-1] = replace(records[-1], headers=[*headers, (None, of.take(of.below(4)))])
    place, lie = -1, None
    if damage in _LIES:
        lie, place = _LIES[damage](of.part(4)), of.below(2**16, size=2)
        place = of.one_of((place, place, _BEFORE_LENGTH, _length_of_first(records)))
    data = _written(records, place, lie)
    if damage == "record bit":
        data = wire.with_bit(data, of.below(2**16, size=2), of.below(8))
    elif damage == "records left":
        data += of.take(of.between(1, 4))
    elif damage == "bomb":
        data += bytes(of.one_of((1, 1000, 1 << 16, 1 << 20)))
    if damage == "compressed bit":
        kind = 0  # what Java reads of a second stream that is damaged depends on its buffers
    packed_records = wire.compressed(codec, kind, data)
    whole = replace(batch, records=packed_records, count=len(records))
    if not batch.last_offset_delta:
        whole = replace(whole, last_offset_delta=max(0, len(records) - 1))
    change = _CHANGES.get(damage or "")
    written = change(of, whole) if change else whole.written()
    return written, damage, codec, _is_odd(batch, records) or wire.is_odd(codec, kind)


def _is_odd(batch: WireBatch, records: Sequence[WireRecord]) -> bool:
    """Whether no client writes such a batch, damaged or not: numbers beyond what they mean, bits in
    no use, keys of headers that are no text."""
    offsets = [batch.base_offset + record.offset_delta for record in records]
    times = [batch.base_timestamp + record.timestamp_delta for record in records]
    keys = [key for record in records for key, _ in record.headers if key is not None]
    return (
        any(record.attributes or record.offset_delta < 0 for record in records)
        or bool(batch.attributes & 0xFFFF & ~wire.IN_USE)
        or not all(0 <= number < 2**63 for number in (batch.base_offset, *offsets))
        or not all(-1 <= time < 2**63 for time in (batch.base_timestamp, *times))
        or batch.max_timestamp < -1
        or batch.producer[0] < -1
        or batch.producer[2] < -1
        or batch.last_offset_delta < 0
        or any(key in _MALFORMED or b"\xed" in key for key in keys)
    )


def _length_of_first(records: list[WireRecord]) -> int:
    """The place of the first record's length: after its two deltas, two lengths and headers."""
    return 5 + 2 * len(records[0].headers) if records else 0


def _header(of: Choices, *, compressed: bool) -> tuple[WireBatch, str, int]:
    """A batch without records, its codec and how that is written."""
    codec = of.one_of(wire.COMPRESSED if compressed else _CODECS)
    kind = of.one_of((0, 0, 0, *range(12)))
    flags = wire.CODEC_IDS[codec] + 8 * of.below(16) * of.below(2)
    if of.below(6) == 5:
        flags |= of.one_of((0x80, 0x100, 0x8000, 0xFF80))  # in no use
    producer = (-1, -1, -1)
    if of.below(2):
        sequence = of.one_of((0, 1, 2**31 - 1, 2**31 - 2, 2**31 - 3, 12345, -1, -2))
        producer = (int64_of(of.part(8)), of.one_of((0, 1, 2**15 - 1, -1)), sequence)
    times = (NOW, -1, 0, int64_of(of.part(8)), int64_of(of.part(8)))
    offsets = (0, 1, 2**31 - 1, 2**63 - 2, int64_of(of.part(8)))
    batch = WireBatch(
        base_offset=of.one_of(offsets),
        leader_epoch=of.one_of((-1, 0, 1, 2**31 - 1)),
        attributes=flags,
        last_offset_delta=of.one_of((0, 0, 0, 7, 2**31 - 1, -1, 100)),
        base_timestamp=of.one_of((NOW, *times)),
        max_timestamp=of.one_of((NOW + 1000, *times)),
        producer=producer,
    )
    return batch, codec, kind


def _record(of: Choices, number: int, *, rare: bool) -> WireRecord:
    offset_kind, time_kind = of.below(8), of.below(8)
    gap = of.one_of((1, 63, 64, 8192, 2**20, 2**31 - 2, -1, -(2**31)))
    near, far = of.between(-100, 100), int64_of(of.part(8))
    headers: list[wire.Header] = [
        (key.encode("utf-8", "surrogatepass"), value)
        for key, value in headers_of(of.part(HEADERS_BYTES), rare=rare) or ()
    ]
    if headers and of.below(4) == 3:
        headers[0] = (of.one_of(_MALFORMED), headers[0][1])
    value = data_of(of.part(DATA_BYTES), rare=rare)
    if of.below(8) == 7:
        value = bytes(range(of.between(11, 13)))  # a view of Arrow's holds 12 bytes itself
    return WireRecord(
        timestamp_delta=far if time_kind == 7 else near if number or time_kind > 4 else 0,
        offset_delta=number + (gap if offset_kind == 7 else 0),
        key=data_of(of.part(DATA_BYTES), rare=rare),
        value=value,
        headers=headers,
        attributes=of.one_of((*(0,) * 14, 1, 255)),
    )


def _written(records: list[WireRecord], place: int, lie: wire.Lie | None) -> bytes:
    """The records; of all their numbers, the one at ``place``, modulo their count, is a lie."""
    true = wire.Records()
    for record in records:
        true.write(record)
    if lie is None or not true.numbers:
        return true.data
    false = wire.Records(place % true.numbers, lie)
    for record in records:
        false.write(record)
    return false.data


def _another_number(of: Choices) -> wire.Lie:
    kind, by = of.below(10), of.one_of((1, -1, 2, -2, 63))
    fixed = of.one_of((-1, -2, -(2**31), 2**31 - 1, 0, 2**20, 300))
    return lambda value: wire.zig_zag(fixed if kind > 5 else value + by)


def _more_bytes(of: Choices) -> wire.Lie:
    size = of.one_of((2, 3, 5, 4, 10, 6))
    return lambda value: wire.padded(value, size)


def _endless(of: Choices) -> wire.Lie:
    size, end = of.one_of((5, 10, 4, 9, 11)), of.one_of((b"\x7f", b"\x01", b"\x10", b"\x70", b""))
    return lambda _: b"\xff" * size + end


_LIES: Final[dict[str | None, Callable[[Choices], wire.Lie]]] = {
    "number": _another_number,
    "padded number": _more_bytes,
    "long number": _endless,
}


def _cut(of: Choices, batch: WireBatch) -> bytes:
    written = batch.written()
    # Fields of the header end at some of these; those below 0 leave so many bytes to the end.
    near = of.one_of((None, None, None, 0, 0, 8, 11, 12, 16, 17, 18, 60, 61, 62, -1, -2, -8))
    at = of.below(2**16, size=2) if near is None else near
    return written[: at % len(written)]


def _bit(of: Choices, batch: WireBatch) -> bytes:
    written = batch.written()
    in_header = of.below(2)
    at = of.below(2**16, size=2)
    return wire.with_bit(written, at % wire.OVERHEAD if in_header else at, of.below(8))


def _size(of: Choices, batch: WireBatch) -> bytes:
    true = wire.OVERHEAD - wire.LOG_OVERHEAD + len(batch.records)
    far = (2**31 - 1, 2**31 - 12, 2**31 - 13, -(2**31), -1)
    lies = (0, 13, 14, 48, 49, 50, true - 1, true + 1, *far)
    return replace(batch, size=of.one_of(lies)).written()


def _count(of: Choices, batch: WireBatch) -> bytes:
    by = of.one_of((1, -1, 2, -2, 1000))
    lies = (batch.count + by, batch.count + by, -1, 0, 2**31 - 1, -(2**31))
    return replace(batch, count=of.one_of(lies)).written()


def _magic(of: Choices, batch: WireBatch) -> bytes:
    return replace(batch, magic=of.one_of((0, 1, 3, 127, -1, -128))).written()


def _codec(of: Choices, batch: WireBatch) -> bytes:
    other = batch.attributes & ~7 | of.below(8)
    return replace(batch, attributes=other).written()


def _garbage(of: Choices, batch: WireBatch) -> bytes:
    many = of.one_of((1, 8, 11, 12, 16, 17, 18, 19))
    return batch.written() + (of.take(many) if of.below(2) else bytes(many))


def _compressed_cut(of: Choices, batch: WireBatch) -> bytes:
    less = of.one_of((1, 2, 3, 4, 5, 8, 9, 10, 16, 0))
    many = len(batch.records)
    left = many - less if less else of.below(2**16, size=2) % (many + 1)
    return replace(batch, records=batch.records[: max(0, left)]).written()


def _compressed_bit(of: Choices, batch: WireBatch) -> bytes:
    # Codecs have their checks at the beginning and at the end.
    at = of.one_of((of.below(24), of.below(2**16, size=2), -1 - of.below(8)))
    return replace(batch, records=wire.with_bit(batch.records, at, of.below(8))).written()


def _compressed_more(of: Choices, batch: WireBatch) -> bytes:
    # What begins another frame of zstd, and is cut off, Java takes for the end.
    more = bytes((0x80,)) + of.take(of.one_of((0, 1, 2, 3, 4, 7)))
    return replace(batch, records=batch.records + more).written()


_CHANGES: Final[dict[str, Callable[[Choices, WireBatch], bytes]]] = {
    "cut": _cut,
    "bit": _bit,
    "size": _size,
    "count": _count,
    "magic": _magic,
    "other codec": _codec,
    "garbage": _garbage,
    "compressed cut": _compressed_cut,
    "compressed bit": _compressed_bit,
    "compressed more": _compressed_more,
}
_DAMAGES: Final = (
    *_CHANGES,
    "record bit",
    "records left",
    "bomb",
    "null header key",
    "number",
    "number",
    "number",
    "number",
    "padded number",
    "long number",
)
_DAMAGES_OR_NONE: Final = (
    *(None,) * 8,
    *_DAMAGES * 2,
    *("compressed cut", "compressed bit") * 2,  # each codec has checks of its own
)
DAMAGES: Final = {
    "cut": "bytes that end within a batch",
    "bit": "one bit is the other way round; the checksum is not right then",
    "size": "a batch's size that lies",
    "count": "a count of records that lies",
    "magic": "the magic of another format, or of none",
    "other codec": "attributes that name another codec, or none that there is",
    "garbage": "other bytes after the last batch",
    "compressed cut": "compressed records that end early",
    "compressed bit": "one bit of the records as they are compressed",
    "compressed more": "other bytes after the compressed records",
    "record bit": "one bit of the records before compression",
    "records left": "other bytes after the last record",
    "bomb": "many bytes after the last record, which compress well",
    "null header key": "a header without key",
    "number": "one of the records' lengths, counts or deltas lies",
    "padded number": "one of these numbers has more bytes than it takes: it is read",
    "long number": "one of these numbers has more bits than it can, or more bytes",
}
"""What can be wrong with a batch; the checksum is right, but where the kind says otherwise."""
