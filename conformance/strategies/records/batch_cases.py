"""Cases of batches that are written; see ``record_batch.py`` for their words."""

from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.model.case import Case, Operation
from conformance.strategies.packed import Choices, packed
from conformance.strategies.records.contents import (
    DATA_BYTES,
    HEADERS_BYTES,
    data_of,
    headers_of,
    int64_of,
)
from conformance.strategies.records.ratio_cases import CODECS, ratio_of

NOW: Final = 1_600_000_000_000
"""A time in ms, near which most records are made."""
_STEP_BYTES: Final = 24 + 2 * DATA_BYTES + HEADERS_BYTES
_CONFIG_BYTES: Final = 48
_OVERHEAD: Final = 61
"""Bytes of a batch before its records."""
_HALF: Final = "3fe0000000000000"
_PLAIN_RECORDS: Final = 6
_PLAIN_OVERHEAD: Final = 7
"""Bytes of a short record beside its key and value, if all its numbers are small."""
_PLAIN_BYTES: Final = 8 + 4 * _PLAIN_RECORDS
_MANY: Final = (*(2, 63, 64, 65, 130) * 2, 500, 8193)
"""How often a record is appended again. Thousands take longer than fifty other cases."""
_LIMITS: Final = (2**31 - 1, 16384, 1000, 200, 61, 0, 68, 100, 140, 400, 127, 16383, 300, 250)


@cache
@st.composite
def batch_cases(draw: DrawFn) -> Case:
    """A batch with up to twelve steps, then its bytes; steps after that in half of the cases."""
    config: dict[str, Any] = draw(packed(_CONFIG_BYTES, _config))
    if not config["control"] and draw(_one_of_four()):
        return draw(packed(_PLAIN_BYTES, lambda of: _at_the_limit(config, of)))
    step = _steps(config["control"])
    before = draw(st.lists(step, min_size=0, max_size=12))
    after = draw(st.lists(_after(), max_size=3)) if len(before) % 2 else []
    ends: list[Operation] = [{"op": "build"}]
    steps = [*before, *ends, *after, *(ends if after else ())]
    placed = _placed(steps, int(config["base_offset"]))
    if not config["control"] and draw(_one_of_four()):
        _spread(placed)
    return {"config": config, "metadata": [], "steps": placed}


@cache
def _after() -> SearchStrategy[Operation]:
    """A step after the batch was built: another record, or a change of its header, mostly."""

    def decode(of: Choices) -> Operation:
        kind = of.below(3)
        return _step(of, control=False) if kind == 0 else _rarely(of, 3 + kind)

    return packed(_STEP_BYTES, decode)


@cache
def _one_of_four() -> SearchStrategy[bool]:
    return packed(1, lambda of: of.below(4) == 3)


def _placed(steps: list[Operation], base: int) -> list[Operation]:
    """Offsets, which are drawn relative to the next one (or to the first), as they are."""
    following, placed = base, []
    for step in steps:
        operation = {**step}
        if "by" in operation:
            operation["offset"] = str(following + operation.pop("by"))
        elif "from base" in operation:
            operation["offset"] = str(base + operation.pop("from base"))
        if step["op"] in ("append", "marker"):
            following += step.get("times", 1)
        elif step["op"] in ("append at", "last offset"):
            # Those that are refused change nothing, which the next ones then tell.
            following = max(following, int(operation["offset"]) + 1)
        placed.append(operation)
    return placed


def _spread(steps: list[Operation]) -> None:
    """Make the times of the first and of the last record as far apart as can be."""
    appends = [step for step in steps if step["op"] == "append"]
    for step, time in zip(appends[:1] + appends[1:][-1:], ("-1", str(2**63 - 1)), strict=False):
        step["timestamp"] = time


def _at_the_limit(config: dict[str, Any], of: Choices) -> Case:
    """Plain records, each asked for room before it is appended, with a limit near their sizes.

    Their offsets and times are around 64 after the first, where a varint takes a byte more.
    """
    config["ratio"] = of.one_of((None, None, _HALF))
    times = of.one_of((1, 1, 1, 61, 62, 63, 64))
    records, sizes = [], []
    for number in range(of.between(1, _PLAIN_RECORDS)):
        delta = of.one_of((0, 1, 62, 63, 64, 65, -64, -65, 100, -1)) if number else 0
        offset = number and times + number - 1
        key, value = b"k" * of.below(12), b"v" * of.below(24)
        records.append({"timestamp": str(NOW + delta), "key": key, "value": value, "headers": []})
        sizes.append(_PLAIN_OVERHEAD + _two_bytes(delta) + _two_bytes(offset))
        sizes[-1] += len(key) + len(value)
    count = of.between(0, len(records) - 1)
    before = sum(sizes[:count])
    if count and times > 1:
        before += (times - 1) * sizes[0]
    if config["codec"] != "none":
        before = int(before * (1.05 if config["ratio"] is None else 0.525))
    config["limit"] = _OVERHEAD + before + of.one_of((0, sizes[count])) + of.between(-1, 1)
    steps: list[Operation] = []
    for number, record in enumerate(records):
        many = 1 if number else times
        steps += ({"op": "has room", **record}, {"op": "append", "times": many, **record})
    return {"config": config, "metadata": [], "steps": [*steps, {"op": "build"}]}


def _two_bytes(number: int) -> int:
    """1 for a small number that takes two bytes as a varint, 0 for one that takes one."""
    return int(not -64 <= number < 64)


def _config(of: Choices) -> dict[str, Any]:
    idempotent, control = of.below(3) == 2, of.below(6) == 5
    state = producer_state(of.part(20), valid=idempotent or control)
    if control and of.below(2):
        state["sequence"] = -1  # as brokers write markers
    appended = of.below(4) == 3
    base = of.below(4)
    base_offset = str(abs(int64_of(of.part(8))) // 2 if base == 3 else (0, 1, 2**31 - 1)[base % 3])
    return {
        "codec": of.one_of(("none", "none", "none", "none", *CODECS)),
        "log_append_time": str(NOW + of.below(1000, size=2)) if appended else None,
        "base_offset": base_offset,
        "control": control,
        "leader_epoch": of.one_of((-1, 0, 1, 255, 2**31 - 1)),
        "limit": of.one_of(_LIMITS),
        "ratio": ratio_of(of) if of.below(2) else None,
        **state,
    }


def producer_state(of: Choices, *, valid: bool) -> dict[str, Any]:
    """What an idempotent producer has, or none; in one of six, what no broker takes."""
    odd = of.below(6) == 5
    producer_id, epoch = (
        str(abs(int64_of(of.part(8))) % 2**63),
        of.one_of((0, 1, 127, 128, 2**15 - 1)),
    )
    sequence = abs(of.near_power()) % 2**31
    transactional = of.below(4) > 0
    if not valid:
        producer_id, epoch, sequence, transactional = "-1", -1, -1, False
    if odd:
        which = of.below(4)
        below = of.one_of((-1, -1, -2))
        epoch = below if which == 0 else epoch
        sequence = below if which == 1 else sequence
        transactional = not transactional if which == 2 else transactional
        producer_id = str(below) if which == 3 else producer_id
    return {
        "producer_id": producer_id,
        "epoch": epoch,
        "sequence": sequence,
        "transactional": transactional,
    }


@cache
def _steps(control: bool) -> SearchStrategy[Operation]:
    return packed(_STEP_BYTES, lambda of: _step(of, control=control))


def _step(of: Choices, *, control: bool) -> Operation:
    kind = of.below(32)
    if kind >= 26:
        return _rarely(of, kind - 26)
    if (kind < 18) == control:
        return {
            "op": "marker",
            "timestamp": timestamp_of(of.part(10)),
            "commit": of.below(2) == 1,
            "coordinator_epoch": of.near_power(),
        }
    record = {"timestamp": timestamp_of(of.part(10)), **_contents(of)}
    if kind >= 21:
        return {"op": "has room", **record}
    return {"op": "append", "times": 1, **record}


def _contents(of: Choices) -> dict[str, Any]:
    rare = of.below(32) == 31
    return {
        "key": data_of(of.part(DATA_BYTES), rare=rare),
        "value": data_of(of.part(DATA_BYTES), rare=rare),
        "headers": headers_of(of.part(HEADERS_BYTES), rare=rare),
    }


def _rarely(of: Choices, kind: int) -> Operation:
    if kind == 0:
        times = of.one_of(_MANY)
        timestamp = timestamp_of(of.part(10))
        return {"op": "append", "times": times, "timestamp": timestamp, **_small(of)}
    if kind in (1, 2):
        far = of.one_of((2**31 - 1, 2**31, 2**31 + 1, 2**33, 8191, 8192, 2**20))
        where = {"from base": far} if kind == 1 else {"by": of.one_of((-1, 0, 1, -1, 2, 40, -2))}
        return {"op": "append at", **where, "timestamp": timestamp_of(of.part(10)), **_small(of)}
    if kind == 3:
        return {"op": "last offset", "by": of.between(-2, 100)}
    if kind == 4:
        which = of.one_of(("producer state", "producer state", "reopen"))
        return {"op": which, **producer_state(of.part(20), valid=of.below(4) > 0)}
    return {"op": of.one_of(("close for appends", "abort", "build", "ratio"))}


def _small(of: Choices) -> dict[str, Any]:
    value = of.one_of((None, b"", b"v", b"value", b"x" * 40))
    return {"key": of.one_of((None, b"k", b"")), "value": value, "headers": []}


def timestamp_of(of: Choices) -> str:
    """A time, an int64: near the others, before them, far away, none, or one that is refused."""
    kind, near = of.below(32), of.below(2**16, size=2)
    if kind < 20:
        return str(NOW + near % (100, 130, 2**16)[kind % 3])
    if kind < 26:
        return str(NOW - near)
    if kind < 28:
        return str(2**63 - 1 if kind == 26 else abs(int64_of(of)) % 2**63)
    return str((-1, -1, 0, -2 - near)[kind - 28])
