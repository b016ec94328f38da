"""Vectors about record batches that are written by hand; see :mod:`.boundaries`."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from conformance.model.case import Case, Operation
from conformance.strategies.integers import INT32_MAX, INT32_MIN
from conformance.strategies.records import wire
from conformance.strategies.records.batch_cases import NOW
from conformance.strategies.records.wire import WireBatch, WireRecord
from conformance.testees.narrow_records import CONSUMED

Commented = Iterator[tuple[str, Case]]

_VARINT_EDGES: Final = (0, -1, 1, 63, -64, 64, -65, 8191, 8192, 2**20 - 1, 2**20, 2**27)
_RECORD: Final = {"key": b"k", "value": b"v", "headers": []}
_NO_PRODUCER: Final = {"producer_id": "-1", "epoch": -1, "sequence": -1, "transactional": False}
_PRODUCER: Final = {"producer_id": "4242", "epoch": 3, "sequence": 7, "transactional": False}
_CONFIG: Final = {
    **{"codec": "none", "log_append_time": None, "base_offset": "0", "control": False},
    **{"leader_epoch": -1, "limit": INT32_MAX, "ratio": None, **_NO_PRODUCER},
}
_BUILD: Final[Operation] = {"op": "build"}


def _case(steps: list[Operation], config: dict[str, Any] | None = None) -> Case:
    return Case(config=config or {}, metadata=[], steps=steps)


def record_sizes() -> Commented:
    """Where a varint takes one byte more, records without bytes, sequences that wrap."""
    numbers = (*_VARINT_EDGES, INT32_MAX, INT32_MIN)
    steps: list[Operation] = [{"op": "varint", "number": number} for number in numbers]
    yield "Varints at the edges of their lengths.", _case(steps)
    longs = (*numbers, 2**31, 2**34, 2**63 - 1, -(2**63))
    steps = [{"op": "varlong", "long": str(number)} for number in longs]
    yield "Varlongs at the edges of their lengths.", _case(steps)
    for told, of in (
        ("A record with an empty key and value: 7 bytes, 85 at most.", {"key": b"", "value": b""}),
        ("A record with neither: as many.", {"key": None, "value": None}),
        ("A header whose key has 2 characters and 5 bytes.", {"headers": [["é€", None]]}),
        ("A header without key and with an empty value.", {"headers": [["", b""]]}),
        ("A value with which the record's length takes two bytes.", {"value": b"v" * 57}),
        ("One byte less, and it takes one.", {"value": b"v" * 56}),
    ):
        record = {**_RECORD, **of}
        size = {"op": "record size", "offset_delta": 0, "timestamp_delta": "0", **record}
        yield told, _case([size, {"op": "upper bound", **record}])
    steps = [
        {"op": "sequence", "sequence": sequence, "by": by}
        for sequence, by in ((0, 1), (INT32_MAX, 1), (INT32_MAX, 0), (INT32_MAX - 1, 3), (5, 5))
    ]
    yield "Sequence numbers after and before 2^31 - 1.", _case(steps)


def _append(timestamp: int = NOW, **members: Any) -> Operation:
    plain: Operation = {"op": "append", "times": 1, "timestamp": str(timestamp), **_RECORD}
    return {**plain, **members}


def _batch(*steps: Operation, **config: Any) -> Case:
    return _case([*steps, _BUILD], {**_CONFIG, **config})


def record_batch() -> Commented:
    """Worked examples: what a batch has at which place."""
    yield "One record without bytes: 61 + 7.", _batch(_append(key=b"", value=b""))
    yield "Null is no empty value.", _batch(_append(key=None, value=None))
    yield "No record: no bytes.", _batch()
    later = [_append(NOW + delta) for delta in (0, -5, 64, 3)]
    yield "Times that go backwards: the first one counts, and the largest.", _batch(*later)
    yield "No time at all.", _batch(_append(-1), _append(-1))
    headers = [["h", b"1"], ["h", None], ["é", b""]]
    yield "Headers, two with one key.", _batch(_append(headers=headers))
    yield "130 records: offsets take two bytes from 64 on.", _batch(_append(times=130))
    gaps = [_append(op="append at", offset=str(at)) for at in (100, 101, 163, 164, 10000)]
    yield "Offsets with gaps, as compaction leaves them.", _batch(*gaps, base_offset="100")
    yield "The broker's time.", _batch(_append(), _append(), log_append_time=str(NOW + 9))
    yield "An idempotent producer.", _batch(_append(), **_PRODUCER)
    transactional = {**_PRODUCER, "transactional": True}
    yield "A transaction.", _batch(_append(), **transactional)
    for commit in (True, False):
        marker: Operation = {"op": "marker", "timestamp": str(NOW), "commit": commit}
        marker["coordinator_epoch"] = 5
        told = "Commit" if commit else "Abort"
        yield f"{told}: the end of a transaction.", _batch(marker, **transactional, control=True)
    for codec in wire.CODEC_IDS:
        if codec != "none":
            steps = [_append(value=b"v" * 40), _append(NOW + 1, value=b"v" * 40)]
            yield (
                f"Compressed by {codec}: its records as they are before.",
                _batch(*steps, codec=codec),
            )


def _wire(*records: WireRecord, codec: str = "none", **header: Any) -> WireBatch:
    writer = wire.Records()
    for record in records:
        writer.write(record)
    header = {"base_timestamp": NOW, "max_timestamp": NOW, "count": len(records), **header}
    header["attributes"] = header.get("attributes", 0) | wire.CODEC_IDS[codec]
    header.setdefault("last_offset_delta", max(0, len(records) - 1))
    return WireBatch(records=wire.compressed(codec, 0, writer.data), **header)


def _reads(told: str, data: bytes, *, codec: str = "none", damage: str | None = None) -> Commented:
    """Two cases: what is in some bytes, and what a consumer hands out of them."""
    given = {"data": data, "damage": damage, "codec": codec, "odd": False}
    for name in ("read", CONSUMED):
        yield told, _case([{"op": name, **given}])


_RECORDS: Final = (
    WireRecord(0, 0, b"k", b"v"),
    WireRecord(-3, 1, None, b"", [(b"h", b"1"), (b"h", None)]),
    WireRecord(70, 9, b"", None),
)


def batch_reading() -> Commented:
    """Whole batches, then damaged ones."""
    one = _wire(*_RECORDS, last_offset_delta=9)
    whole = one.written()
    yield from _reads("Three records with a gap.", whole)
    two = whole + _wire(_RECORDS[0], base_offset=10).written()
    yield from _reads("Two batches.", two)
    yield from _reads("No bytes: no batch.", b"")
    yield from _reads("A batch without records, as compaction leaves it.", _wire().written())
    by_broker = _wire(*_RECORDS, attributes=wire.LOG_APPEND_TIME, max_timestamp=NOW + 77)
    yield from _reads("The broker's time counts for all.", by_broker.written())
    control = _wire(
        WireRecord(0, 0, bytes(4), bytes(6)),
        attributes=wire.TRANSACTIONAL | wire.CONTROL,
        producer=(4242, 3, -1),
    )
    yield from _reads("A control batch: it is read, and not handed out.", control.written())
    wraps = _wire(*_RECORDS[:2], producer=(4242, 3, INT32_MAX))
    yield from _reads("Sequence numbers after 2^31 - 1 begin at 0.", wraps.written())
    for codec in wire.CODEC_IDS:
        if codec != "none":
            written = _wire(*_RECORDS, codec=codec).written()
            yield from _reads(f"Compressed by {codec}.", written, codec=codec)
    for cut in (11, 61, len(whole) - 1):
        told = f"Cut off after {cut} bytes: the end, and no error."
        yield from _reads(told, whole[:cut], damage="cut")
    for told, damage, data in _refused(one):
        yield from _reads(f"Must be refused: {told}.", data, damage=damage)


def _refused(one: WireBatch) -> Iterator[tuple[str, str, bytes]]:
    """What is wrong, the kind of damage, and the bytes."""
    whole = one.written()
    yield "one bit of a record", "bit", wire.with_bit(whole, 70, 3)
    yield "one bit of the checksum", "bit", wire.with_bit(whole, 18, 0)
    for magic in (0, 1, 3):
        yield f"magic {magic}", "magic", replace(one, magic=magic).written()
    for size in (-1, 0, 13, 48):
        yield f"a size of {size}", "size", replace(one, size=size).written()
    for count in (2, 4, -1, INT32_MAX):
        told = f"a count of {count} for three records"
        yield told, "count", replace(one, count=count).written()
    more = replace(one, records=one.records + b"\0").written()
    yield "a byte after the last record", "records left", more
    yield "a codec that there is not", "other codec", replace(one, attributes=5).written()
    told = "records that are not compressed as they should be"
    yield told, "other codec", replace(one, attributes=1).written()
    yield "bytes after the batch that begin no other", "garbage", whole + bytes(20)
    for told, damage, lie in (
        ("a length beyond the end", "number", wire.zig_zag(INT32_MAX)),
        ("a length that is too short", "number", wire.zig_zag(0)),
        ("a length of six bytes", "long number", b"\x80" * 5 + b"\0"),
    ):
        yield told, damage, replace(_wire(_RECORDS[0]), records=_with_key_length(lie)).written()


def _with_key_length(lie: bytes) -> bytes:
    """A record whose third number, the length of its key, lies."""
    writer = wire.Records(2, lambda _: lie)
    writer.write(_RECORDS[0])
    return writer.data
