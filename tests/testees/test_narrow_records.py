"""Narrowed cases about batches: what each word leaves of them."""

import struct
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.model.case import Case, Operation
from conformance.testees.limits import Limits
from conformance.testees.message_bytes import BYTES_OF_A_CASE, bytes_of
from conformance.testees.narrow import narrow_for_testee
from conformance.testees.narrow_records import BEYOND_RECORDS, CODECS, OF_RECORDS
from conformance.testees.protocol import cases_line

LEFT_OUT = {*BEYOND_RECORDS, "open batches"}
"""Words that take steps out."""
CONFIGURED = set(OF_RECORDS)
"""Words that change settings of a batch."""
_NOW = "1600000000000"
_CONFIG = {
    **{"codec": "none", "log_append_time": None, "base_offset": "0", "control": False},
    **{"producer_id": "-1", "epoch": -1, "sequence": -1, "transactional": False},
    **{"leader_epoch": 0, "limit": 16384, "ratio": None},
}


def _attributes(case: Case) -> Iterator[int]:
    """Of every batch that the case is about to read; batches follow each other."""
    for step in case["steps"]:
        data = step.get("data", b"")
        while len(data) >= 61:
            (size,) = struct.unpack(">i", data[8:12])
            yield struct.unpack(">h", data[21:23])[0]
            data = data[12 + size :] if size >= 49 else b""


def _has_no(codec: str) -> Any:
    number = 1 + CODECS.index(codec)
    return lambda case: (
        case["config"].get("codec") != codec
        and all(attributes % 8 != number for attributes in _attributes(case))
    )


def _is_all_at_once(case: Case) -> bool:
    if "codec" not in case["config"]:
        return True
    *records, last = [step["op"] for step in case["steps"]]
    return last == "build" and set(records) <= {"append", "append at"}


HOLDS = {
    "null headers": lambda case: all(step.get("headers", ()) is not None for step in case["steps"]),
    "control batches": lambda case: (
        not case["config"].get("control")
        and all(step["op"] != "marker" for step in case["steps"])
        and not any(attributes & 32 for attributes in _attributes(case))
    ),
    "odd batches": lambda case: not any(step.get("odd") for step in case["steps"]),
    **{codec: _has_no(codec) for codec in CODECS},
    "open batches": _is_all_at_once,
    "log append time": lambda case: case["config"].get("log_append_time") is None,
    "producer state": lambda case: (
        case["config"].get("producer_id", "-1") == "-1"
        and not case["config"].get("transactional", False)
    ),
    "base offsets": lambda case: case["config"].get("base_offset", "0") == "0",
    "leader epochs": lambda case: case["config"].get("leader_epoch") is None,
    "far times": lambda case: all(
        0 <= int(step["timestamp"]) < 2**53 for step in case["steps"] if "timestamp" in step
    ),
}
"""What holds of a case that was narrowed, by the word."""


def _append(**members: Any) -> Operation:
    plain = {"op": "append", "times": 1, "timestamp": _NOW, "key": None, "value": b"v"}
    return {**plain, "headers": [], **members}


def _left(word: str, steps: list[Operation], **config: Any) -> Case:
    case: Case = {"config": {**_CONFIG, **config}, "metadata": [], "steps": steps}
    left = narrow_for_testee(case, [word])
    assert left is not None
    return left


def test_an_encoder_of_all_records_at_once_is_asked_what_java_takes() -> None:
    taken = [_append(), _append(op="append at", offset="7"), _append(times=3)]
    refused = [
        _append(headers=None),
        _append(op="append at", offset="10"),
        _append(op="append at", offset=str(2**31 + 5)),
    ]
    others: list[Operation] = [{"op": "build"}, {"op": "abort"}, {"op": "ratio"}]
    odd = {"producer_id": "7", "epoch": -1, "sequence": 0, "transactional": True}
    old = _append(timestamp="-2")
    left = _left("open batches", [*taken, *refused, *others, old], control=True, **odd)
    assert left["steps"] == [*taken, _append(timestamp="-1"), {"op": "build"}]
    assert left["config"] == _CONFIG


@pytest.mark.parametrize(
    "state",
    [
        {"producer_id": "7", "epoch": 0, "sequence": 0, "transactional": True},
        {"producer_id": "7", "epoch": 2, "sequence": 2**31 - 1, "transactional": False},
    ],
    ids=["transactional", "idempotent"],
)
def test_what_a_producer_may_have_stays(state: dict[str, Any]) -> None:
    left = _left("open batches", [_append()], **state)
    assert left["config"] == {**_CONFIG, **state}


def test_offsets_move_with_the_first_one() -> None:
    steps = [_append(), _append(op="append at", offset="107")]
    left = _left("base offsets", steps, base_offset="100")
    assert left["config"]["base_offset"] == "0"
    assert left["steps"][1]["offset"] == "7"


@pytest.mark.parametrize(("time", "safe"), [(-1, 1), (2**53, 0), (2**63 - 1, 2**53 - 1), (5, 5)])
def test_a_double_holds_every_time(time: int, safe: int) -> None:
    left = _left("far times", [_append(timestamp=str(time))])
    assert left["steps"][0]["timestamp"] == str(safe)


def test_who_reads_only_records_is_asked_these_of_the_same_bytes() -> None:
    steps: list[Operation] = [
        {"op": name, "data": bytes(number), "damage": None, "codec": "none"}
        for number, name in enumerate(("read", "columns", "refusals", "records", "delete horizons"))
    ]
    case: Case = {"config": {}, "metadata": [], "steps": steps}
    left = narrow_for_testee(case, (), ["records"])
    assert left is not None
    assert left["steps"] == [{**step, "op": "records"} for step in steps]
    some = narrow_for_testee(case, (), ["columns", "records"])
    assert some is not None
    asked = ["records", "columns", "records", "records", "records"]
    assert [step["op"] for step in some["steps"]] == asked


def test_long_records_and_batches_fit_into_a_line() -> None:
    mebibyte = bytes(2**20)
    steps: list[Operation] = [
        _append(key=mebibyte, value=mebibyte, headers=[["h", mebibyte], ["h", None]]),
        _append(value=mebibyte),
        {"op": "read", "data": mebibyte},
        _append(key=b"short"),
    ]
    case: Case = {"config": {}, "metadata": [], "steps": steps}
    left = narrow_for_testee(case)
    assert left is not None
    assert bytes_of(left) <= BYTES_OF_A_CASE
    assert len(cases_line(1, "record-batch", "3.8.0", [left])) < Limits().line_bytes
    first, second, third, last = left["steps"]
    assert [len(first["key"]), len(first["value"]), len(first["headers"][0][1])] == [2**20] * 3
    assert first["headers"][1] == ["h", None]
    assert [len(second["value"]), len(third["data"]), last["key"]] == [100, 100, b"short"]
