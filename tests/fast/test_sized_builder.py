"""A batch that only counts is as large as one that is written, and refuses the same."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from python_impl import Cluster, kafka_3_8_0
from python_impl.errors import JavaError
from python_impl.records import RecordHeader, SizedRecordsBuilder

_DATA = st.one_of(st.none(), st.binary(max_size=70), st.sampled_from([b"x" * 8192, b"y" * 127]))
_HEADERS = st.lists(st.builds(RecordHeader, st.text(max_size=3), _DATA), max_size=2)
_TIMES = st.one_of(st.integers(1000, 1200), st.integers(-2, 2**63 - 1))
_RECORD = st.tuples(_TIMES, _DATA, _DATA, _HEADERS)
_STEPS = st.one_of(
    st.tuples(st.sampled_from(["append_if_room"] * 6 + ["append", "has_room_for"]), _RECORD),
    st.tuples(
        st.sampled_from(
            [
                *("close", "close", "abort", "close_for_record_appends"),
                *("set_producer_state", "reopen_and_rewrite_producer_state"),
            ]
        ),
        st.just(()),
    ),
)
_STATE = ((7, 1, 0, False), (7, -1, 0, False))


def _answer(call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    try:
        return call(*arguments)
    except JavaError as error:
        return type(error), str(error)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    st.lists(_STEPS, max_size=12),
    st.sampled_from([100, 200, 16384, 61, 0]),
    st.sampled_from(_STATE),
)
def test_it_says_what_the_other_says(
    steps: list[tuple[str, tuple[Any, ...]]], limit: int, state: tuple[int, int, int, bool]
) -> None:
    one = kafka_3_8_0.MemoryRecordsBuilder(write_limit=limit)
    other = SizedRecordsBuilder(write_limit=limit)
    for name, arguments in steps:
        of = state if name.endswith("producer_state") else arguments
        assert _answer(getattr(one, name), of) == _answer(getattr(other, name), of), name
        for told in ("num_records", "is_full", "is_closed", "estimated_size_in_bytes"):
            assert getattr(one, told) == getattr(other, told), told


@pytest.mark.parametrize("times", [(1000, 1000 + 63), (1000, 1000 + 64), (5, 3), (8, 12)])
@pytest.mark.parametrize("spare", [-1, 0, 1])
def test_a_limit_is_met_to_the_byte(times: tuple[int, int], spare: int) -> None:
    """Of a batch that two records fill, that lack a byte, or have one to spare."""
    records = [(time, None, b"v" * 20, ()) for time in times]
    written = kafka_3_8_0.MemoryRecordsBuilder()
    for record in records:
        written.append(*record)
    limit = written.estimated_size_in_bytes + spare
    one = kafka_3_8_0.MemoryRecordsBuilder(write_limit=limit)
    other = SizedRecordsBuilder(write_limit=limit)
    for record, has_room in zip([*records, records[1]], [True, spare >= 0, False], strict=True):
        assert one.append_if_room(*record) == other.append_if_room(*record) == has_room
        assert one.is_full == other.is_full
    assert other.is_full == (spare == 0)


@pytest.mark.parametrize("limit", [100, 61 + 28, 61])
def test_it_refuses_what_the_other_refuses(limit: int) -> None:
    """A time before all others; headers of None, unless nobody looks at them: it is full."""
    one = kafka_3_8_0.MemoryRecordsBuilder(write_limit=limit)
    other = SizedRecordsBuilder(write_limit=limit)
    value = b"v" * 21
    answers = []
    for record in ((7, None, value, ()), (-2, None, b"", ()), (8, None, b"", None)):
        answer = _answer(one.append_if_room, record)
        assert answer == _answer(other.append_if_room, record)
        answers.append(answer)
    assert [isinstance(answer, tuple) for answer in answers] == [False, *[limit == 100] * 2]


def test_it_has_no_bytes_and_no_codec() -> None:
    with pytest.raises(TypeError, match="none to be sent"):
        SizedRecordsBuilder(write_limit=100).build()
    for codec in ("gzip", "snappy", "lz4", "zstd"):
        with pytest.raises(ValueError, match=f"what {codec} makes of records"):
            SizedRecordsBuilder(write_limit=100, compression=codec)


def test_an_accumulator_of_sizes_fills_and_splits_the_same_batches() -> None:
    cluster = Cluster.of(t=1)
    seen = []
    for settings_ in ({}, {"builder": SizedRecordsBuilder}):
        pool = kafka_3_8_0.BufferPool(1 << 20, 300)
        accumulator = kafka_3_8_0.RecordAccumulator(pool, batch_size=300, **settings_)
        for number in range(40):
            accumulator.append("t", 0, number, b"k", b"v" * number, cluster=cluster, now_ms=0)
        sizes = []
        while accumulator.has_undrained:
            [batch] = accumulator.drain(cluster, [0], 1 << 20, 0)[0]
            sizes.append((batch.record_count, batch.estimated_size_in_bytes))
            if len(sizes) == 3:
                sizes.append((accumulator.split_and_reenqueue(batch), pool.available_memory))
        seen.append(sizes)
    assert seen[0] == seen[1]
    assert len(seen[0]) > 5
