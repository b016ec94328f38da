"""Cases about record batches made narrower, word by word; ``narrow.py`` applies them.

An encoder or a decoder of a library is seldom a builder that can be asked at any time: most take
all records at once, and some have no transactions, or not every codec.
"""

import struct
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from conformance.model.case import Case, Operation
from conformance.strategies.records.wire import CODEC_IDS, CONTROL, LOG_OVERHEAD, OVERHEAD

CODECS: Final = tuple(codec for codec in CODEC_IDS if codec != "none")
_ATTRIBUTES_AT: Final = 21
_LAST_OFFSET_DELTA: Final = 2**31 - 1
_SAFE: Final = 2**53
"""The first number that a double, and so JavaScript, cannot tell from the one after it."""
_NO_STATE: Final[Mapping[str, Any]] = {
    "producer_id": "-1",
    "epoch": -1,
    "sequence": -1,
    "transactional": False,
}
CONSUMED: Final = "records"
"""What a consumer hands out of some bytes."""
_INSTEAD: Final[Mapping[str, str]] = {
    "read": CONSUMED,
    "columns": CONSUMED,
    "refusals": CONSUMED,
    "delete horizons": CONSUMED,
}
"""What is asked in the place of an operation that a testee does not have: the same bytes."""


def asked_by(operation: Operation, operations: Collection[str]) -> Operation:
    """The step, or another one about the same bytes that the testee can perform."""
    instead = _INSTEAD.get(operation["op"])
    if operation["op"] in operations or instead not in operations:
        return operation
    return {**operation, "op": instead}


def _attributes(data: bytes) -> Iterator[int]:
    """What the batches in some bytes say of themselves, as far as they can be told apart."""
    at = 0
    while at + OVERHEAD <= len(data):
        size, attributes = struct.unpack_from(">8xi9xh", data, at)
        yield attributes
        if size < OVERHEAD - LOG_OVERHEAD:
            return
        at += LOG_OVERHEAD + size


def _is_compressed_by(codec: str) -> Callable[[Operation], bool]:
    def is_beyond(operation: Operation) -> bool:
        written = operation.get("data", b"")
        return any(attributes & 7 == CODEC_IDS[codec] for attributes in _attributes(written))

    return is_beyond


def _is_control(operation: Operation) -> bool:
    if operation["op"] == "marker":
        return True
    return any(attributes & CONTROL for attributes in _attributes(operation.get("data", b"")))


BEYOND_RECORDS: Final[Mapping[str, Callable[[Operation], bool]]] = {
    "null headers": lambda step: "headers" in step and step["headers"] is None,
    "control batches": _is_control,
    "odd batches": lambda step: bool(step.get("odd")),
    **{codec: _is_compressed_by(codec) for codec in CODECS},
}
"""Steps that are left out, by the word for what they need."""


def _configured(**settings: Any) -> Callable[[Case], Case]:
    """Changes the settings that the case of a batch has."""

    def narrowing(case: Case) -> Case:
        if "codec" not in case["config"]:
            return case
        return {**case, "config": {**case["config"], **settings}}

    return narrowing


def _without(codec: str) -> Callable[[Case], Case]:
    def narrowing(case: Case) -> Case:
        if case["config"].get("codec") != codec:
            return case
        return {**case, "config": {**case["config"], "codec": "none"}}

    return narrowing


def _with_safe_times(case: Case) -> Case:
    """Times that are not negative, and that a double can hold."""
    return {**case, "steps": [_safe(operation) for operation in case["steps"]]}


def _safe(operation: Operation) -> Operation:
    if "timestamp" not in operation or 0 <= int(operation["timestamp"]) < _SAFE:
        return operation
    return {**operation, "timestamp": str(abs(int(operation["timestamp"])) % _SAFE)}


def _from_offset_0(case: Case) -> Case:
    """The batch starts at offset 0, and so do the offsets that steps name."""
    if "base_offset" not in case["config"]:
        return case
    base = int(case["config"]["base_offset"])
    steps = [
        {**operation, "offset": str(int(operation["offset"]) - base)}
        if "offset" in operation
        else operation
        for operation in case["steps"]
    ]
    return {**case, "config": {**case["config"], "base_offset": "0"}, "steps": steps}


def _all_at_once(case: Case) -> Case:
    """Records that Java takes, then the bytes: what a function from records to bytes can do."""
    if "base_offset" not in case["config"]:
        return case
    config = {**case["config"], "control": False}
    if not _is_valid_state(config):
        config.update(_NO_STATE)
    following = base = int(config["base_offset"])
    steps: list[Operation] = []
    for operation in case["steps"]:
        if operation["op"] not in ("append", "append at") or operation["headers"] is None:
            continue
        first = int(operation.get("offset", following))
        last = first + operation.get("times", 1) - 1
        if first >= following and last - base <= _LAST_OFFSET_DELTA:
            timestamp = max(-1, int(operation["timestamp"]))
            steps.append({**operation, "timestamp": str(timestamp)})
            following = last + 1
    return {**case, "config": config, "steps": [*steps, {"op": "build"}]}


def without_empty_batch(case: Case, cannot: Collection[str]) -> Case | None:
    """None for a case of a batch without records, which no encoder of all at once is given."""
    is_all_at_once = "open batches" in cannot and "base_offset" in case["config"]
    if is_all_at_once and all(operation["op"] == "build" for operation in case["steps"]):
        return None
    return case


def _is_valid_state(config: Mapping[str, Any]) -> bool:
    """Whether a producer may have it: either none at all, or id, epoch and sequence."""
    if all(config[name] == none for name, none in _NO_STATE.items()):
        return True
    return all(int(config[name]) >= 0 for name in ("producer_id", "epoch", "sequence"))


OF_RECORDS: Final[Mapping[str, Callable[[Case], Case]]] = {
    "open batches": _all_at_once,
    "control batches": _configured(control=False),
    "log append time": _configured(log_append_time=None),
    "producer state": _configured(**_NO_STATE),
    "base offsets": _from_offset_0,
    "leader epochs": _configured(leader_epoch=None),
    "far times": _with_safe_times,
    **{codec: _without(codec) for codec in CODECS},
}
"""Changes of a whole case, by the word for what it then no longer needs."""
