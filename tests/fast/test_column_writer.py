"""Columns as batches: as the builder of single records writes them, whatever their layout."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from python_impl import kafka_3_8_0
from python_impl.errors import JavaIllegalArgumentError
from python_impl.records import RecordHeader, read_batches, read_records, write_records

_DATA = st.one_of(st.none(), st.binary(max_size=70), st.sampled_from([b"x" * 8192, b"y" * 127]))
_HEADERS = st.lists(st.tuples(st.text(max_size=3), _DATA), max_size=3)
_TIMES = st.one_of(st.integers(0, 2**63 - 1), st.integers(1000, 1200), st.just(-1))
_ROWS = st.lists(st.tuples(st.integers(1, 70), _TIMES, _DATA, _DATA, _HEADERS), max_size=30)


def columns(rows: list[tuple[Any, ...]]) -> pa.Table:
    offsets, offset = [], 5
    for step, *_ in rows:
        offset += step
        offsets.append(offset)
    headers = [[{"key": key, "value": value} for key, value in row[4]] for row in rows]
    kind = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
    return pa.table(
        {
            "offset": pa.array(offsets, pa.int64()),
            "timestamp": pa.array([row[1] for row in rows], pa.int64()),
            "key": pa.array([row[2] for row in rows], pa.binary()),
            "value": pa.array([row[3] for row in rows], pa.binary_view()),
            "headers": pa.array(headers, kind),
        }
    )


@settings(max_examples=300, deadline=None, derandomize=True)
@given(_ROWS, st.sampled_from([100, 400, 16384, 61]), st.sampled_from(["none", "none", "lz4"]))
def test_batches_as_the_builder_writes_them(
    rows: list[tuple[Any, ...]], limit: int, codec: str
) -> None:
    table = columns(rows)
    state: dict[str, Any] = {
        **{"producer_id": 7, "producer_epoch": 1, "base_sequence": 2**31 - 3},
        "compression": codec,
    }
    fast, slow = (
        [*write_records(table, batch_bytes=limit, compiled=compiled, **state)]
        for compiled in (True, False)
    )
    assert fast == slow
    sequence = state["base_sequence"]
    for data in fast:
        [batch] = read_batches(data)
        assert batch.header.base_sequence == sequence
        sequence = (sequence + batch.header.records) % 2**31
        size = 61 + len(batch.uncompressed())
        assert size <= limit or batch.header.records == 1
    read = read_records(b"".join(fast)).read_all()
    for name in table.column_names:
        assert read[name].to_pylist() == table[name].to_pylist()


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_one_batch_is_the_builders(codec: str) -> None:
    builder = kafka_3_8_0.MemoryRecordsBuilder(compression=codec, base_offset=5)
    rows = [(1, 1000 + n, b"key %d" % n, b"value" * n, [("h", None)] * n) for n in range(20)]
    for _, timestamp, key, value, headers in rows:
        builder.append(timestamp, key, value, [RecordHeader(*header) for header in headers])
    table = columns(rows).drop_columns("offset")
    assert [*write_records(table, compression=codec, base_offset=5)] == [builder.build()]


def test_layouts_and_columns_that_are_left_out() -> None:
    texts = ["a", None, "b", "a", "\U0001f600"]
    for column in (
        pa.array(texts),
        pa.array(["z", *texts, "z"], pa.large_string()).slice(1, 5),
        pa.array(texts, pa.string_view()),
        pa.array(texts).dictionary_encode(),
        pa.chunked_array([texts[:2], [], texts[2:]]),
    ):
        for compiled in (True, False):
            written = b"".join(write_records(pa.table({"key": column}), compiled=compiled))
            [batch] = read_batches(written)
            keys = [record.key and record.key.decode() for record in batch]
            assert keys == texts
            assert {record.value for record in batch} == {None}
            assert [record.offset for record in batch] == [*range(5)]
            assert {record.timestamp for record in batch} == {-1}


def test_many_rows_go_on_where_the_ones_before_ended() -> None:
    table = pa.table({"value": pa.array([b"%d" % n for n in range(70_000)])})
    written = b"".join(
        write_records(table, base_offset=3, producer_id=1, producer_epoch=0, base_sequence=10)
    )
    read = read_records(written).read_all()
    assert read["offset"].to_pylist() == [*range(3, 70_003)]
    assert read["sequence"].to_pylist() == [*range(10, 70_010)]
    assert read["value"].to_pylist() == table["value"].to_pylist()


def test_offsets_that_are_far_apart_begin_a_batch() -> None:
    table = pa.table({"offset": [0, 2**31 - 1, 2**31, 2**40]})
    for compiled in (True, False):
        sizes = [
            batch.header.records
            for data in write_records(table, compiled=compiled)
            for batch in read_batches(data)
        ]
        assert sizes == [2, 1, 1]


@pytest.mark.parametrize("compiled", [True, False])
def test_what_a_producer_refuses_is_refused(compiled: bool) -> None:
    for table, says in [
        (pa.table({"offset": [1, 1]}), "Illegal offset 1 following previous offset 1"),
        (pa.table({"timestamp": [1, -2]}), "Invalid negative timestamp -2"),
        (
            pa.table({"headers": [[{"key": None, "value": b""}]]}),
            "Invalid null header key",
        ),
    ]:
        with pytest.raises(JavaIllegalArgumentError, match=says):
            next(write_records(table, compiled=compiled))
    with pytest.raises(JavaIllegalArgumentError, match="Unknown compression name: brotli"):
        next(write_records(pa.table({"offset": [1]}), compression="brotli", compiled=compiled))
    with pytest.raises(ValueError, match="may not be null"):
        next(write_records(pa.table({"timestamp": pa.array([None], pa.int64())})))


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("state", "says"),
    [
        ({"is_transactional": True}, "without a valid producer ID"),
        ({"producer_id": 1, "base_sequence": 0}, "Invalid negative producer epoch"),
        ({"producer_id": 1, "producer_epoch": 0}, "Invalid negative sequence number"),
    ],
)
def test_producer_state_that_no_broker_takes_is_refused(
    state: dict[str, Any], says: str, compiled: bool
) -> None:
    with pytest.raises(JavaIllegalArgumentError, match=says):
        next(write_records(pa.table({"offset": [1]}), compiled=compiled, **state))


def test_headers_of_many_rows() -> None:
    """Also where a list is null, and where rows are taken from the middle of a table."""
    some = [
        [{"key": f"{n}", "value": b"%d" % n}] * (n % 3) if n % 5 else None for n in range(70_000)
    ]
    kind = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
    table = pa.table({"headers": pa.array(some, kind)}).slice(10)
    read = read_records(b"".join(write_records(table))).read_all()
    assert read["headers"].to_pylist() == [one or [] for one in some[10:]]


@pytest.mark.parametrize("compiled", [True, False])
def test_a_header_that_is_null_has_no_key(compiled: bool) -> None:
    kind = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
    table = pa.table({"headers": pa.array([[None]], kind)})
    with pytest.raises(JavaIllegalArgumentError, match="Invalid null header key"):
        next(write_records(table, compiled=compiled))


def test_lengths_have_room_where_all_of_them_are_long() -> None:
    """Deltas of ten and five bytes, lengths of two and three: more than usual rows take."""
    rows, far = 16, 2**30
    table = pa.table(
        {
            "offset": [0, *range(far, far + rows - 1)],
            "timestamp": [0] + [2**63 - 1] * (rows - 1),
            "key": [b"k" * 8192] * rows,
            "value": [b"v" * 8192] * rows,
        }
    )
    fast, slow = (
        [*write_records(table, batch_bytes=10**6, compiled=compiled)] for compiled in (True, False)
    )
    assert fast == slow
    assert len(fast) == 1


@pytest.mark.parametrize("compiled", [True, False])
def test_a_difference_of_offsets_that_wraps_begins_a_batch(compiled: bool) -> None:
    table = pa.table({"offset": [-(2**63), 2**62]})
    assert len([*write_records(table, compiled=compiled)]) == 2


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(1)])
def test_a_key_of_a_header_is_text(kind: pa.DataType, compiled: bool) -> None:
    def table(key: bytes) -> pa.Table:
        pair = pa.struct([("key", kind), ("value", pa.binary())])
        return pa.table({"headers": pa.array([[{"key": key, "value": b""}]], pa.list_(pair))})

    [batch] = write_records(table(b"h"), compiled=compiled)
    assert [one.headers[0].key for one in next(read_batches(batch))] == ["h"]
    with pytest.raises(ValueError, match="Invalid UTF8"):
        next(write_records(table(b"\xff"), compiled=compiled))


def test_no_rows_are_no_batches() -> None:
    assert [*write_records(pa.table({"key": pa.array([], pa.binary())}))] == []


def one_column(**column: Any) -> pa.Table:
    return pa.table({name: pa.array(*of) for name, of in column.items()})


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("name", "beyond"),
    [
        ("base_offset", 2**63),
        ("base_offset", -(2**63) - 1),
        ("batch_bytes", 2**31),
        ("producer_id", 2**63),
        ("producer_epoch", 40_000),
        ("base_sequence", 2**31),
        ("partition_leader_epoch", -(2**31) - 1),
    ],
)
def test_a_number_beyond_its_java_type_is_named(name: str, beyond: int, compiled: bool) -> None:
    table = pa.table({"key": ["a"]})
    with pytest.raises(ValueError, match=rf"^{name} is a Java (short|int|long), .*, not {beyond}$"):
        next(write_records(table, compiled=compiled, **{name: beyond}))
    for wrong in ("x", 2.5, None):
        with pytest.raises(TypeError, match=rf"^{name} is an int, not {wrong!r}$"):
            next(write_records(table, compiled=compiled, **{name: wrong}))


@pytest.mark.parametrize("compiled", [True, False])
def test_an_offset_that_wraps_is_refused_as_in_java(compiled: bool) -> None:
    least, most = -(2**63), 2**63 - 1
    says = rf"^Illegal offset {least} following previous offset {most} \(Offsets must increase"
    two, many = one_column(value=([b"", b""],)), one_column(value=([b""] * 65_537,))
    for table, first in [(two, most), (many, most - 65_535)]:
        with pytest.raises(JavaIllegalArgumentError, match=says):
            list(write_records(table, base_offset=first, compiled=compiled))
    [batch] = write_records(two, base_offset=most - 1, compiled=compiled)
    assert [record.offset for record in next(read_batches(batch))] == [most - 1, most]


PAIRS = [[("a", b"1"), ("b", None)], None, [], [("a", b"")]]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("key", [pa.string(), pa.binary()])
def test_headers_may_be_maps(key: pa.DataType, compiled: bool) -> None:
    column = pa.array([[("z", b"")], *PAIRS], pa.map_(key, pa.binary()))
    for headers, expected in [
        (column.slice(1), PAIRS),
        (pa.chunked_array([column.slice(0, 2), column.slice(2)]), [[("z", b"")], *PAIRS]),
        (pa.nulls(2), [[], []]),
    ]:
        [batch] = write_records(pa.table({"headers": headers}), compiled=compiled)
        read = [[*record.headers] for record in next(read_batches(batch))]
        assert read == [one or [] for one in expected]


@pytest.mark.parametrize("kind", [pa.list_, pa.large_list, pa.list_view, pa.large_list_view])
def test_headers_are_lists_of_any_kind(kind: Any) -> None:
    pair = pa.struct([("value", pa.binary()), ("key", pa.string())])
    column = pa.array([[{"key": "a", "value": b"1"}], []], kind(pair))
    for headers in (
        column,
        column.slice(0, 1).cast(pa.list_(pair, 1)) if kind is pa.list_ else column,
    ):
        [batch] = write_records(pa.table({"headers": headers}))
        assert next(iter(next(read_batches(batch)))).headers == (("a", b"1"),)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("column", "says"),
    [
        ({"headers": ([[{"k": "a", "v": b""}]],)}, r"structs of key and value, or maps, not list<"),
        ({"headers": ([[{"key": "a"}]],)}, r"structs of key and value, or maps, not list<"),
        ({"headers": ([["a"]],)}, r"structs of key and value, or maps, not list<"),
        ({"headers": (["a"],)}, r"structs of key and value, or maps, not string"),
        ({"key": ([1],)}, r"keys and values are bytes or text, not int64"),
        ({"value": ([[b"a"]],)}, r"keys and values are bytes or text, not list<"),
    ],
)
def test_columns_of_other_types_are_refused(
    column: dict[str, Any], says: str, compiled: bool
) -> None:
    with pytest.raises(TypeError, match=says):
        next(write_records(one_column(**column), compiled=compiled))


@pytest.mark.parametrize(("unit", "number"), [("s", 7), ("ms", 7000), ("us", 7 * 10**6)])
def test_timestamps_of_another_unit_are_written_as_ms(unit: str, number: int) -> None:
    column = pa.array([number], pa.timestamp(unit, "UTC"))
    (batch,) = write_records(pa.table({"value": [b"v"], "timestamp": column}))
    assert read_records(batch).read_all()["timestamp"].to_pylist() == [7000]


@pytest.mark.parametrize(("unit", "number"), [("us", 7001), ("s", 2**62)])
def test_timestamps_that_are_no_ms_are_refused(unit: str, number: int) -> None:
    table = pa.table({"value": [b"v"], "timestamp": pa.array([number], pa.timestamp(unit))})
    with pytest.raises(ValueError, match="no number of ms in 64 bits"):
        list(write_records(table))
