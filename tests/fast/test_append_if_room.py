"""Appending if there is room is to ask for room, and to append: in one step, with the same end."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from python_impl.errors import JavaError
from python_impl.records.builder import MemoryRecordsBuilder
from python_impl.records.sized_builder import SizedRecordsBuilder
from python_impl.records.varints import INT64_MAX

_CREATED = 1_700_000_000_000
_TIMES = st.sampled_from((0, 1, _CREATED, _CREATED + 1, -1, -2, INT64_MAX, INT64_MAX + 1))
_HEADERS: Any = st.sampled_from(((), (("k", b"v"),), ((None, b""),), None))
_RECORDS = st.lists(
    st.tuples(_TIMES, st.none() | st.binary(max_size=3), st.binary(max_size=70), _HEADERS),
    max_size=7,
)


def _outcome(act: Any) -> Any:
    try:
        return act()
    except (JavaError, ValueError, TypeError) as error:
        return type(error), str(error)


def _seen(batch: MemoryRecordsBuilder) -> Any:
    last = batch._last_offset, batch._max_timestamp, batch._written
    return batch.num_records, batch.estimated_size_in_bytes, batch.is_full, last


def _in_two(batch: MemoryRecordsBuilder, record: Any) -> bool:
    if not batch.has_room_for(*record):
        return False
    batch.append(*record)
    return True


@given(
    records=_RECORDS,
    limit=st.integers(60, 400),
    base=st.sampled_from((0, 5, -1, INT64_MAX - 1, INT64_MAX - 2**31)),
    ends=st.sampled_from((None, 0, 2**31 - 3, 2**31 - 2, INT64_MAX - 1, INT64_MAX, -(2**31))),
    kind=st.sampled_from(("none", "gzip", "control", "sizes")),
    closes=st.booleans(),
)
def test_in_one_step_as_in_two(
    records: list[Any], limit: int, base: int, ends: int | None, kind: str, closes: bool
) -> None:
    def made() -> MemoryRecordsBuilder:
        if kind == "sizes":
            return SizedRecordsBuilder(write_limit=limit)
        more = {"is_control_batch": True} if kind == "control" else {"base_offset": base}
        codec = "gzip" if kind == "gzip" else "none"
        return MemoryRecordsBuilder(compression=codec, write_limit=limit, **more)

    one, two = made(), made()
    for number, record in enumerate(records):
        if number == 1 and ends is not None:
            one.override_last_offset(ends)
            two.override_last_offset(ends)
        if number == 5 and closes:
            one.close_for_record_appends()
            two.close_for_record_appends()
        left = _outcome(lambda of=record: one.append_if_room(*of))
        assert left == _outcome(lambda of=record: _in_two(two, of))
        assert _seen(one) == _seen(two)


@pytest.mark.parametrize("builder", [MemoryRecordsBuilder, SizedRecordsBuilder])
def test_numbers_of_numpy_stay_none(builder: type[MemoryRecordsBuilder]) -> None:
    batch = builder(write_limit=1000)
    for _ in range(2):
        assert batch.append_if_room(np.int64(5), None, b"", ())  # type: ignore[arg-type]
    assert type(batch._max_timestamp) is int


def test_what_found_no_room_leaves_nothing() -> None:
    batch = MemoryRecordsBuilder(write_limit=61 + 2 * 7 + 8)
    assert [batch.append_if_room(0, None, b"", ()) for _ in range(2)] == [True, True]
    before = _seen(batch)
    assert not batch.append_if_room(0, None, b"too long", ())
    assert _seen(batch) == before
    assert batch.append_if_room(0, None, b"v", ())
    assert len(batch.build()) == 61 + 2 * 7 + 8
