"""murmur2 and the key columns, against Kafka's published vectors and a third opinion."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import python_impl
from python_impl.columns import murmur2_column, partitions_for_keys
from python_impl.errors import JavaArithmeticError, JavaNullPointerError
from python_impl.int32 import remainder, to_positive
from python_impl.murmur2 import murmur2
from tests.fast.key_samples import expected, mixed_keys

KAFKA_VECTORS = {  # UtilsTest.testMurmur2 of kafka-clients
    b"21": -973932308,
    b"foobar": -790332482,
    b"a-little-bit-long-string": -985981536,
    b"a-little-bit-longer-string": -1486304829,
    b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    b"abc": 479470107,
}

# Every length up to well past one word of tail, each with low, high-bit and NUL bytes.
EVERY_LENGTH = [
    bytes((start + 37 * i) % 256 for i in range(length))
    for length in range(71)
    for start in (0, 1, 128, 255)
] + [b"\x00" * length for length in range(9)]

keys_or_none = st.lists(st.none() | st.binary(max_size=80), max_size=60)


def reference(data: bytes) -> int:
    """murmur2 spelled out byte by byte, sharing nothing with the code under test."""
    h = 0x9747B28C ^ len(data)
    position = 0
    while position + 4 <= len(data):
        k = 0
        for shift in (0, 8, 16, 24):
            k += data[position] << shift
            position += 1
        k = (k * 0x5BD1E995) % 2**32
        k = ((k ^ (k // 2**24)) * 0x5BD1E995) % 2**32
        h = ((h * 0x5BD1E995) % 2**32) ^ k
    if position < len(data):
        for shift, byte in enumerate(data[position:]):
            h ^= byte << (8 * shift)
        h = (h * 0x5BD1E995) % 2**32
    h = ((h ^ (h // 2**13)) * 0x5BD1E995) % 2**32
    h ^= h // 2**15
    return h - 2**32 if h >= 2**31 else h


# --- one key ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "hash_"), KAFKA_VECTORS.items())
def test_kafkas_published_vectors(key: bytes, hash_: int) -> None:
    assert murmur2(key) == reference(key) == hash_
    assert murmur2_column([key]).to_pylist() == [hash_]


def test_every_length() -> None:
    assert [murmur2(key) for key in EVERY_LENGTH] == [reference(key) for key in EVERY_LENGTH]


@given(st.binary(max_size=300))
def test_scalar_equals_reference(key: bytes) -> None:
    assert murmur2(key) == reference(key)


def test_every_buffer_of_bytes() -> None:
    assert murmur2(bytearray(b"foobar")) == murmur2(memoryview(b"foobar")) == -790332482
    assert murmur2(memoryview(b"f.o.o.b.a.r.")[::2]) == -790332482
    assert murmur2(memoryview(b"foobar\0\0").cast("I")) == murmur2(b"foobar\0\0")


def test_scalar_rejects_what_is_not_bytes() -> None:
    with pytest.raises(JavaNullPointerError):
        murmur2(None)  # type: ignore[arg-type]
    for wrong in ("text", 5, [1, 2]):
        with pytest.raises(TypeError, match=f"not {type(wrong).__name__}"):
            murmur2(wrong)  # type: ignore[arg-type]


def test_scalar_needs_only_the_standard_library() -> None:
    code = "import sys, python_impl.murmur2; print({'numpy', 'numba', 'pyarrow'} & {*sys.modules})"
    root = Path(python_impl.__file__).parents[1]
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "set()"


# --- columns: every accepted input -----------------------------------------------------------

BYTES_TYPES = [pa.binary(), pa.large_binary(), pa.binary_view()]
TEXT_TYPES = [pa.string(), pa.large_string(), pa.string_view()]


@pytest.mark.parametrize("kind", BYTES_TYPES, ids=str)
@given(keys=keys_or_none, cut=st.integers(0, 70), size=st.none() | st.integers(0, 70))
@settings(deadline=None)
def test_bytes_columns(
    kind: pa.DataType, keys: list[bytes | None], cut: int, size: int | None
) -> None:
    column = pa.array(keys, kind)
    assert murmur2_column(column).to_pylist() == expected(keys)
    part = column.slice(cut, size)
    assert murmur2_column(part).to_pylist() == expected(part.to_pylist())
    chunks = pa.chunked_array([column, part, column.slice(0, 0)])
    assert murmur2_column(chunks).to_pylist() == expected(chunks.to_pylist())


@pytest.mark.parametrize("kind", TEXT_TYPES, ids=str)
@given(texts=st.lists(st.none() | st.text(max_size=30), max_size=30), cut=st.integers(0, 30))
@settings(deadline=None)
def test_text_columns_are_hashed_as_utf8(
    kind: pa.DataType, texts: list[str | None], cut: int
) -> None:
    keys = [None if text is None else text.encode() for text in texts]
    hashes = murmur2_column(pa.array(texts, kind).slice(cut))
    assert hashes.to_pylist() == expected(keys[cut:])


@pytest.mark.parametrize("width", [0, 1, 3, 4, 16, 37, 1027])
def test_fixed_size_columns(width: int) -> None:
    rng = np.random.default_rng(width)
    keys = [None if row % 7 == 3 else rng.bytes(width) for row in range(100)]
    column = pa.array(keys, pa.binary(width))
    assert murmur2_column(column).to_pylist() == expected(keys)
    assert murmur2_column(column.slice(5, 40)).to_pylist() == expected(keys[5:45])


@pytest.mark.parametrize("kind", [*BYTES_TYPES, pa.binary(3)], ids=str)
def test_dictionary_columns(kind: pa.DataType) -> None:
    values = pa.array([b"abc", None, b"xyz"], kind)
    indices = pa.array([2, 0, None, 1, 0, 2], pa.int8())
    column = pa.DictionaryArray.from_arrays(indices, values)
    assert murmur2_column(column.slice(1)).to_pylist() == expected(
        [b"abc", None, None, b"abc", b"xyz"]
    )
    assert partitions_for_keys(column, 5).to_pylist() == [
        None if key is None else to_positive(murmur2(key)) % 5
        for key in (b"xyz", b"abc", None, None, b"abc", b"xyz")
    ]


@given(keys_or_none)
@settings(deadline=None)
def test_sequences_and_object_arrays(keys: list[bytes | None]) -> None:
    objects = np.empty(2 * len(keys), object)
    objects[::2] = keys
    for column in (keys, tuple(keys), objects[::2]):
        hashes = murmur2_column(column)
        assert hashes.type == pa.int32()
        assert hashes.to_pylist() == expected(keys)


@pytest.mark.parametrize(
    "empty",
    [
        [],
        (),
        np.empty(0, object),
        pa.array([], pa.binary()),
        pa.array([], pa.string_view()),
        pa.array([], pa.binary(5)),
        pa.array([], pa.string()).dictionary_encode(),
        pa.chunked_array([], pa.large_binary()),
        pa.Array.from_buffers(pa.binary(), 0, [None, None, pa.py_buffer(b"")]),
    ],
    ids=lambda empty: type(empty).__name__,
)
def test_empty_columns(empty: object) -> None:
    for result in (murmur2_column(empty), partitions_for_keys(empty, 0)):
        assert isinstance(result, pa.Int32Array)
        assert len(result) == 0


def test_large_mixed_columns() -> None:
    """Bins that fill up, keys too long for one, inputs of more than one copied piece."""
    keys: list[bytes | None] = [
        *mixed_keys(20_000, 64, 1),
        *mixed_keys(300, 3000, 2),
        *EVERY_LENGTH,
    ]
    keys += [bytes(2**20), mixed_keys(1, 0, 3)[0], b"\xff" * (2**20 + 3)]
    np.random.default_rng(4).shuffle(keys)
    keys[1000:1010] = [None] * 10
    wanted = expected(keys)
    assert murmur2_column(keys).to_pylist() == wanted
    for kind in BYTES_TYPES:
        column = pa.array(keys, kind)
        assert murmur2_column(column).to_pylist() == wanted
        assert murmur2_column(column.slice(17, 9001)).to_pylist() == wanted[17 : 17 + 9001]


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 7, 36, 1023, 1024, 1030])
@pytest.mark.parametrize("count", [1, 15, 16, 17, 100])
def test_equally_long_keys(size: int, count: int) -> None:
    rng = np.random.default_rng(size)
    keys = [rng.bytes(size) for _ in range(count)]
    assert murmur2_column(keys).to_pylist() == expected(keys)  # type: ignore[arg-type]


def test_a_column_of_nulls_only_stays_null() -> None:
    assert murmur2_column(pa.array([None, None])).to_pylist() == [None, None]
    assert partitions_for_keys(pa.array([None]), 0).to_pylist() == [None]


# --- columns: what is rejected ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (np.array([b"a\0", b"b"]), "drops trailing NUL"),
        (np.array(["a"]), "text, not bytes"),
        (np.array([1, 2]), "dtype int64; accepted"),
        (np.array([1.5]), "dtype float64; accepted"),
        (np.array([0], "M8[s]"), r"dtype datetime64\[s\]; accepted"),
        (np.array([b"a"], "V1"), r"dtype \|V1; accepted"),
        ([b"a", "b"], r"keys\[1\] is str"),
        (np.array([b"a", None, 3.5], object), r"keys\[2\] is float"),
        ([*([b"a"] * 9000), bytearray(b"a")], r"keys\[9000\] is bytearray"),
        (list(np.array([b"a\0"])), r"keys\[0\] is bytes_"),
        (pa.array([1]), "Arrow column of int64"),
        (pa.array([1]).dictionary_encode(), "Arrow column of dictionary"),
        (pa.chunked_array([], pa.float64()), "Arrow column of double"),
        (b"one key", "keys are bytes"),
        ("one key", "keys are str"),
        (None, "keys are NoneType"),
        ((key for key in [b"a"]), "keys are generator"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_rejected_columns(wrong: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        murmur2_column(wrong)
    with pytest.raises(TypeError, match=message):
        partitions_for_keys(wrong, 3)


def test_a_column_has_one_dimension() -> None:
    with pytest.raises(ValueError, match="2 dimensions"):
        murmur2_column(np.array([[b"a", b"b"]], object))
    with pytest.raises(ValueError, match="0 dimensions"):
        murmur2_column(np.array(b"a", object))


# --- partitions ------------------------------------------------------------------------------


@given(
    keys_or_none,
    st.sampled_from([1, 2, 3, 12, 2**31 - 1, -1, -7, -(2**31)]) | st.integers(-(2**31), -1),
)
@settings(deadline=None)
def test_partitions_follow_java(keys: list[bytes | None], count: int) -> None:
    for column in (
        keys,
        pa.array(keys, pa.binary()),
        pa.array(keys, pa.binary()).dictionary_encode(),
    ):
        assert partitions_for_keys(column, count).to_pylist() == [
            None if key is None else remainder(to_positive(murmur2(key)), count) for key in keys
        ]


def test_partitions_of_more_keys_than_one_block() -> None:
    keys = mixed_keys(70_000, 12, 5)
    partitions = partitions_for_keys(pa.array(keys), 97)
    assert partitions.to_pylist() == [to_positive(murmur2(key)) % 97 for key in keys]


def test_zero_partitions() -> None:
    assert partitions_for_keys([None, None], 0).to_pylist() == [None, None]
    hidden = pa.DictionaryArray.from_arrays(pa.array([1]), pa.array([b"unused", None]))
    assert partitions_for_keys(hidden, 0).to_pylist() == [None]
    with pytest.raises(JavaArithmeticError, match="by zero"):
        partitions_for_keys([None, b"a"], 0)


def test_the_count_is_an_int32() -> None:
    assert partitions_for_keys([b"a"], np.int64(3)) == partitions_for_keys([b"a"], 3)  # type: ignore[arg-type]
    for count in (2**31, -(2**31) - 1):
        with pytest.raises(ValueError, match="Java int"):
            partitions_for_keys([b"a"], count)
    with pytest.raises(TypeError):
        partitions_for_keys([b"a"], 3.0)  # type: ignore[arg-type]
