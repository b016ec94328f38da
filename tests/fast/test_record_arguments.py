"""What callers may hand to the record batches: NumPy's numbers, buffers, tables of any type."""

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from python_impl.errors import JavaIllegalArgumentError
from python_impl.kafka_3_8_0 import MemoryRecordsBuilder
from python_impl.records import (
    PLAIN_SCHEMA,
    SCHEMA,
    ControlRecordType,
    SizedRecordsBuilder,
    decrement_sequence,
    increment_sequence,
    read_records,
    record_size,
    write_records,
)
from python_impl.records.batch import check_numbers

TIME = 1_700_000_000_000
both = pytest.mark.parametrize("compiled", [False, True])


def _written(table: Any, **options: Any) -> bytes:
    return b"".join(write_records(table, **options))


def _batch(number: Callable[[int], Any]) -> bytes:
    builder = MemoryRecordsBuilder(
        base_offset=number(2**40), producer_id=number(7), producer_epoch=number(1),
        base_sequence=number(3), partition_leader_epoch=number(2), write_limit=number(1000),
    )  # fmt: skip
    builder.append(number(TIME), b"k", b"v")
    assert builder.has_room_for(number(TIME - 5), b"k", b"v", ())
    builder.append_with_offset(number(2**40 + 9), number(TIME - 5), b"k", b"v")
    return builder.build()


@pytest.mark.parametrize("number", [np.int64, np.uint64])
def test_numbers_of_numpy_are_numbers(number: Callable[[int], Any]) -> None:
    assert _batch(number) == _batch(int)


@both
def test_numbers_of_numpy_are_numbers_for_columns(compiled: bool) -> None:
    table = pa.table({"value": [b"v", None]})

    def written(number: Callable[[int], Any]) -> bytes:
        state = {"producer_id": number(5), "producer_epoch": number(0), "base_sequence": number(9)}
        return _written(table, base_offset=number(7), compiled=compiled, **state)

    assert written(np.int64) == written(int)


def test_sequences_of_numpy_wrap_as_others_do() -> None:
    assert increment_sequence(np.int32(2**31 - 1), np.int32(2)) == 1  # type: ignore[arg-type]
    assert decrement_sequence(np.int32(1), np.int32(3)) == 2**31 - 2  # type: ignore[arg-type]


def test_a_time_that_is_refused_leaves_the_batch_as_it_was() -> None:
    builder = MemoryRecordsBuilder()
    with pytest.raises(TypeError, match="float"):
        builder.append(1.0, b"k", b"v")  # type: ignore[arg-type]
    builder.append(5, b"k", b"v")
    [row] = read_records(builder.build()).read_all().to_pylist()
    assert row["timestamp"] == 5


def test_a_time_or_an_offset_beyond_a_long_is_named() -> None:
    with pytest.raises(ValueError, match="timestamp"):
        MemoryRecordsBuilder().append(2**63, b"k", b"v")
    with pytest.raises(ValueError, match="offset"):
        MemoryRecordsBuilder().append_with_offset(2**63, 0, b"k", b"v")


def test_after_the_last_offset_there_is_none() -> None:
    builder = MemoryRecordsBuilder(base_offset=2**63 - 1)
    builder.append(2**63 - 1, b"k", b"v")
    wrapped = f"Illegal offset {-(2**63)} following previous offset {2**63 - 1} "
    with pytest.raises(JavaIllegalArgumentError, match=wrapped):
        builder.append(0, b"k", b"v")


@pytest.mark.parametrize(("letter", "bits"), [("h", 15), ("i", 31), ("q", 63)])
def test_numbers_are_held_by_the_types_of_java(letter: str, bits: int) -> None:
    least, most = -(2**bits), 2**bits - 1
    assert check_numbers(letter * 2, one=least, other=most) == [least, most]
    for within, beyond in ((least, most + 1), (most, least - 1), (most, 2 * most), (least, 2**80)):
        with pytest.raises(ValueError, match="other"):
            check_numbers(letter * 2, one=within, other=beyond)
    with pytest.raises(TypeError, match="other is an int, not 'no number'"):
        check_numbers(letter * 2, one=most, other="no number")  # type: ignore[arg-type]


_NO_BYTES = [
    np.array([1, 2, 3], np.float32),
    memoryview(bytes(8)).cast("I"),
    np.zeros((2, 3), np.uint8),
    np.zeros((3, 0), np.uint8),
]
_APART = memoryview(b"abcdef")[::2]


@pytest.mark.parametrize("data", _NO_BYTES, ids=["floats", "ints", "two dimensions", "empty rows"])
@pytest.mark.parametrize("where", ["key", "value", "header"])
def test_buffers_that_do_not_count_bytes_are_refused(data: Any, where: str) -> None:
    contents = {"key": None, "value": None, where: data}
    headers = [("h", contents.pop("header"))] if where == "header" else []
    said = rf"^{memoryview(data).nbytes} bytes that count as {len(data)}, such as"
    with pytest.raises(TypeError, match=said):
        record_size(0, 0, **contents, headers=headers)
    sized = SizedRecordsBuilder(write_limit=100)
    for builder in (MemoryRecordsBuilder(), sized):
        with pytest.raises(TypeError, match=said):
            builder.append(5, **contents, headers=headers)
        assert builder.num_records == 0


@pytest.mark.parametrize("builder", [MemoryRecordsBuilder(), SizedRecordsBuilder(write_limit=100)])
def test_bytes_that_lie_apart_are_refused(builder: MemoryRecordsBuilder) -> None:
    with pytest.raises(TypeError, match="has its bytes one after the other"):
        builder.append(5, None, _APART)
    assert builder.num_records == 0


@pytest.mark.parametrize("kind", [bytearray, memoryview, lambda data: np.frombuffer(data, "u1")])
def test_buffers_of_bytes_are_bytes(kind: Callable[[bytes], Any]) -> None:
    def built(value: Any) -> bytes:
        builder = MemoryRecordsBuilder()
        builder.append(5, b"k", value, [("h", value)])
        return builder.build()

    assert built(kind(b"some bytes")) == built(b"some bytes")


def test_text_is_no_key_value_or_header_of_a_record() -> None:
    for wrong in ({"key": "k", "value": None}, {"key": None, "value": "v"}):
        with pytest.raises(TypeError, match="bytes-like object is required, not 'str'"):
            record_size(0, 0, **wrong, headers=())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"a header's key is a str, not b'h'"):
        record_size(0, 0, None, None, [(b"h", None)])  # type: ignore[list-item]


@pytest.mark.parametrize("pair", [("h",), ("h", b"v", b"w"), ["h", b"v"], "hv"], ids=repr)
def test_a_header_is_a_pair(pair: Any) -> None:
    with pytest.raises(TypeError, match=r"^a header is a pair of key and value, not "):
        record_size(0, 0, None, None, [pair])


_NO_NUMBERS = [
    pa.array([1_700_000_000], pa.duration("s")),
    pa.array([5], pa.time64("us")),
    pa.array([datetime.date(2026, 1, 1)]),
    pa.array(["1700"]),
    pa.array([b"12"]),
    pa.array([True]),
    pa.array([1.0]),
    pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array([7])),
]


@pytest.mark.parametrize("column", _NO_NUMBERS, ids=lambda column: str(column.type))
@pytest.mark.parametrize("name", ["offset", "timestamp"])
def test_what_is_no_number_is_no_offset_or_time(name: str, column: pa.Array) -> None:
    with pytest.raises(TypeError, match=r"^offsets and times are integers or Arrow's timestamps, "):
        _written(pa.table({"value": [b"v"], name: column}))


@pytest.mark.parametrize("name", ["offset", "timestamp"])
@pytest.mark.parametrize("kind", [pa.int8(), pa.uint64()], ids=str)
def test_integers_of_any_width_are_numbers(name: str, kind: pa.DataType) -> None:
    numbers = pa.array([3, 9], kind)
    for column in (numbers, numbers.dictionary_encode()):
        table = pa.table({"value": [b"v", b"w"], name: column})
        assert read_records(_written(table)).read_all()[name].to_pylist() == [3, 9]


@pytest.mark.parametrize("columns", [[1], None, {"value": [b"v"]}], ids=["list", "None", "dict"])
def test_what_is_no_table_is_told(columns: Any) -> None:
    with pytest.raises(TypeError, match=r"^columns are a pyarrow.Table or RecordBatch, not "):
        _written(columns)


def test_a_reader_is_no_table_but_makes_one() -> None:
    data = _written(pa.table({"value": [b"v"]}))
    with pytest.raises(TypeError, match=r"not RecordBatchReader; read_all\(\) of a reader"):
        _written(read_records(data))
    assert _written(read_records(data).read_all()) == data


@pytest.mark.parametrize("name", ["offset", "timestamp", "key", "value", "headers", "is_control"])
def test_two_columns_of_one_name_are_told(name: str) -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], [name, name])
    with pytest.raises(ValueError, match=f"more than one column is called {name}"):
        _written(table)


def _with_a_marker() -> bytes:
    state = {"producer_id": 5, "producer_epoch": 0, "is_transactional": True}
    marker = MemoryRecordsBuilder(base_offset=1, is_control_batch=True, **state)  # type: ignore[arg-type]
    marker.append_end_txn_marker(TIME, ControlRecordType.COMMIT, 1)
    table = pa.table({"key": [b"k"], "value": [b"v"], "headers": [[{"key": "h", "value": b"x"}]]})
    return _written(table, base_sequence=0, **state) + marker.build()


@both
def test_the_end_of_a_transaction_becomes_no_message(compiled: bool) -> None:
    table = read_records(_with_a_marker()).cast(PLAIN_SCHEMA).read_all()
    with pytest.raises(ValueError, match=r"^row 1 is a control record, the end of a transaction"):
        _written(table, compiled=compiled)
    messages = table.filter(pc.invert(table["is_control"]))
    [row] = read_records(_written(messages, compiled=compiled)).read_all().to_pylist()
    assert (row["key"], row["headers"]) == (b"k", [{"key": "h", "value": b"x"}])
    for hidden in (
        table["is_control"].dictionary_encode(),
        pc.run_end_encode(table["is_control"].combine_chunks()),
    ):
        with pytest.raises(ValueError, match=r"^row 1 is a control record"):
            _written(table.set_column(9, "is_control", hidden), compiled=compiled)
    # A column of that name that is no boolean is somebody's own.
    _written(table.set_column(9, "is_control", pa.array([1, 1])), compiled=compiled)


def test_without_views_arrow_does_all_that_it_can(tmp_path: Any) -> None:
    reader = read_records(_with_a_marker())
    assert reader.schema == SCHEMA
    table = reader.cast(PLAIN_SCHEMA).read_all()
    assert table.schema == PLAIN_SCHEMA
    assert table.filter(pc.equal(table["key"], b"k")).num_rows == 1
    assert table.sort_by([("key", "descending")])["offset"].to_pylist() == [0, 1]
    pq.write_table(table, tmp_path / "t.parquet")
    again = pq.read_table(tmp_path / "t.parquet")
    assert again["headers"].to_pylist() == [[{"key": "h", "value": b"x"}], []]
