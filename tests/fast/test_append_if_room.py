"""Appending if there is room is to ask for room, and to append: in one step, with the same end."""

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from python_impl.errors import JavaError
from python_impl.records import ControlRecordType, TimestampType
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


_LIMITS = st.sampled_from((61, 75, 100, 130, 10_000)) | st.integers(60, 400)
_BASES = st.sampled_from((0, 5, -1, INT64_MAX - 1, INT64_MAX - 2**31))
_ENDS = st.sampled_from((None, 0, -1, 4, 2**31 - 3, 2**31 - 2, 2**31 - 1, INT64_MAX - 1, INT64_MAX))
_KINDS = st.sampled_from(("none", "gzip", "control", "sizes", "appended", "horizon"))


def _made(kind: str, limit: int, base: int) -> MemoryRecordsBuilder:
    if kind == "sizes":
        return SizedRecordsBuilder(write_limit=limit)
    more: dict[str, Any] = {
        "gzip": {"compression": "gzip"},
        "control": {"is_control_batch": True, "is_transactional": True, "producer_id": 7},
        "appended": {"timestamp_type": TimestampType.LOG_APPEND_TIME, "log_append_time": 5},
        "horizon": {"delete_horizon_ms": 3},
    }.get(kind, {})
    batch = MemoryRecordsBuilder(base_offset=base, write_limit=limit, **more)
    if kind == "gzip":
        batch.set_estimated_compression_ratio(0.3)
    if kind == "control":
        batch.append_end_txn_marker(_CREATED, ControlRecordType.COMMIT, 1)
    return batch


def _record(timestamp: int) -> Any:
    return timestamp, None, b"", ()


_TWO = [_record(0), _record(1), _record(2)]


@example([_record(-1), _record(INT64_MAX)], 10_000, 0, None, "none", 1, False)
@example([_record(-1), _record(INT64_MAX - 1)], 10_000, 0, None, "none", 1, False)
@example(_TWO, 10_000, 0, 2**31 - 3, "none", 1, False)
@example(_TWO, 10_000, 0, 2**31 - 2, "none", 1, False)
@example(_TWO, 10_000, 0, 2**31 - 1, "none", 1, False)
@example(_TWO, 10_000, INT64_MAX - 2, None, "none", 1, False)
@example(_TWO, 10_000, 5, 3, "none", 1, False)
@example(_TWO, 10_000, 5, 4, "none", 1, False)
@example(_TWO, 10_000, 0, None, "control", 1, False)
@example(_TWO, 10_000, 0, 4, "none", 0, False)
@given(_RECORDS, _LIMITS, _BASES, _ENDS, _KINDS, st.sampled_from((0, 1)), st.booleans())
def test_in_one_step_as_in_two(
    records: list[Any], limit: int, base: int, ends: int | None, kind: str, since: int, closes: bool
) -> None:
    """The last offset is overridden before some record or other; some batches are closed."""
    one, two = _made(kind, limit, base), _made(kind, limit, base)
    for number, record in enumerate(records):
        if number == since and ends is not None:
            one.override_last_offset(ends)
            two.override_last_offset(ends)
        if number == 5 and closes:
            one.close_for_record_appends()
            two.close_for_record_appends()
        left = _outcome(lambda of=record: one.append_if_room(*of))
        assert left == _outcome(lambda of=record: _in_two(two, of))
        assert _seen(one) == _seen(two)


@pytest.mark.parametrize("builder", [MemoryRecordsBuilder, SizedRecordsBuilder])
def test_numbers_of_numpy_become_pythons_own(builder: type[MemoryRecordsBuilder]) -> None:
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
