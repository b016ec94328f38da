"""Vectors written by hand: worked examples, edges, and long histories in a few lines.

Only inputs: the answers come from the real clients. Each function gives the cases of a behaviour
with a comment on each.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from conformance.model.case import Case, Metadata, Operation
from conformance.strategies.integers import INT32_MAX, INT32_MIN
from conformance.strategies.keys import key_with_hash
from conformance.vectors.boundaries_of_records import batch_reading, record_batch, record_sizes

Commented = Iterator[tuple[str, Case]]

_DRAW: Final = 12345
_LONG: Final = 100


def _case(
    steps: list[Operation], *metadata: Metadata | None, config: dict[str, Any] | None = None
) -> Case:
    return Case(config=config or {}, metadata=list(metadata), steps=steps)


def _topic(count: int, *, leaderless: tuple[int, ...] = ()) -> Metadata:
    """Topic ``t`` with partitions 0, 1, 2 ..., some without leader."""
    return [("t", [[number, None if number in leaderless else 0] for number in range(count)])]


_GAPS: Final[Metadata] = [("t", [[10, 0], [20, None], [30, 0]])]
_NOWHERE: Final[Metadata] = _topic(3, leaderless=(0, 1, 2))


def _murmur2() -> Commented:
    texts = ("21", "foobar", "a-little-bit-long-string", "a-little-bit-longer-string")
    more = ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", "abc", "päivä")
    for text in (*texts, *more):
        yield f"The text {text!r} in UTF-8.", _hash(text.encode())
    yield "No bytes at all.", _hash(b"")
    yield "No key: an error.", _hash(None)
    for length in (1, 2, 3, 4, 5):
        yield f"{length} of the byte 0xff.", _hash(b"\xff" * length)
    for target in (0, -1, 1, INT32_MIN, INT32_MAX):
        yield f"A key with the hash {target}.", _hash(key_with_hash(target))
    for length in (255, 256, 4095, 4096):
        yield f"{length} bytes.", _hash(bytes(at % 251 for at in range(length)))
    numbers = (0, -1, 1, INT32_MAX, INT32_MIN, INT32_MIN + 1)
    steps: list[Operation] = [{"op": "toPositive", "number": number} for number in numbers]
    yield "A mask, no absolute value.", _case(steps)


def _hash(key: bytes | None) -> Case:
    return _case([{"op": "murmur2", "key": key}])


def _keyed() -> Commented:
    for metadata, told in (
        (_topic(12), "Twelve partitions."),
        (_GAPS, "The answer is an index below the count, not one of the ids."),
        (_NOWHERE, "Leaders do not matter to keys."),
        ([], "An unknown topic has no partitions: an error."),
        (None, "No metadata: an error."),
    ):
        steps: list[Operation] = [
            {"op": "partition", "topic": "t", "key": key, "metadata": 0}
            for key in (b"foobar", b"", b"\xff\xfe\xfd", key_with_hash(INT32_MIN))
        ]
        yield told, _case(steps, metadata)
    counts = (1, 2, 7, INT32_MAX, INT32_MIN, -1, -7, 0)
    steps = [{"op": "partition for key", "key": b"foobar", "partitions": one} for one in counts]
    yield "Any int32 is taken for a number of partitions; 0 is an error.", _case(steps)
    none: list[Operation] = [{"op": "partition for key", "key": None, "partitions": 3}]
    yield "No key: an error.", _case(none)


def _serialized() -> Commented:
    values: tuple[tuple[str, Any], ...] = (
        *(("string", text) for text in ("", "foobar", "päivä", "😀", "a\0b", "\ufeffa")),
        *(("string", text) for text in ("e\u0301", "\u212b", "x" * 100)),
        *(("integer", number) for number in (0, 1, -1, INT32_MAX, INT32_MIN)),
        *(("long", str(number)) for number in (0, -1, 2**53 + 1, 2**63 - 1, -(2**63))),
        *(("double", bits) for bits in ("0000000000000000", "8000000000000000")),
        *(("double", bits) for bits in ("3ff0000000000000", "7ff0000000000000")),
        *(("double", bits) for bits in ("fff0000000000000", "0000000000000001")),
        *(("double", bits) for bits in ("7ff8000000000000", "fff8000000000001")),
        ("uuid", "123e4567-e89b-12d3-a456-426614174000"),
        ("bytes", b"\x00\xff"),
        ("byte_array", b"\x00\xff"),
    )
    for kind, value in values:
        told = value if isinstance(value, str | int) else value.hex()
        yield f"A key of type {kind}: {ascii(told)[:60]}.", _serialize(kind, value)
    kinds = ("string", "integer", "long", "double", "uuid", "bytes", "byte_array")
    steps = [step for kind in kinds for step in _serialize(kind, None)["steps"]]
    yield "Every serializer keeps null.", _case(steps)
    yield "Half of a surrogate pair is written as '?'.", _serialize("string", "a\ud83d")
    yield "Two halves in the wrong order.", _serialize("string", "\ude00\ud83d")


def _serialize(kind: str, value: Any) -> Case:
    return _case([{"op": "serialize", "type": kind, "value": value, "partitions": 12}])


def _explicit() -> Commented:
    def record(partition: int | None, key: bytes | None, topic: str | None = "t") -> Operation:
        named = {"topic": topic, "partition": partition, "key": key}
        return {"op": "record", **named, "metadata": 0}

    named = [record(2, b"foobar"), record(0, b"foobar"), record(1, None), record(None, b"foobar")]
    yield "The named partition wins over the key, 0 as well.", _case(named, _topic(3))
    negative = [record(one, key) for one in (-1, -2, INT32_MIN) for key in (b"k", None)]
    yield "Negative partitions are refused.", _case(negative, _topic(3))
    anywhere = [record(0, b"k"), record(1, None), record(2, b"k")]
    yield "Neither the ids nor leaders are looked at.", _case(anywhere, _GAPS)
    yield "Nor whether the topic is known.", _case(anywhere, [])
    yield "Nor whether there is metadata.", _case([*anywhere, record(None, b"k")], None)
    yield "A null topic is refused.", _case([record(0, b"k", None)], _topic(3))


def _record(key: bytes | None = None, metadata: int = 0, draw: int = _DRAW) -> Operation:
    step = {"op": "partition", "topic": "t", "key": key, "metadata": metadata}
    return {**step, "draw": [draw, 0]}


def _round_robin() -> Commented:
    yield "Nine records over three partitions.", _case([_record()] * 9, _topic(3))
    keys = [None, b"foobar", None, b"k"]
    yield "Keys make no difference.", _case([_record(key) for key in keys], _topic(3))
    yield "Ids, of those with a leader.", _case([_record()] * 4, _GAPS)
    yield "No leader: an index below the count.", _case([_record()] * 4, _NOWHERE)
    wraps = {"counters": {"t": INT32_MAX - 2}}
    yield "The counter wraps at 2^31.", _case([_record()] * 6, _topic(10), config=wraps)
    zero = {"counters": {"t": -2}}
    yield "From the negative numbers to 0.", _case([_record()] * 4, _topic(10), config=zero)
    turns = [_record(metadata=at % 3) for at in range(9)]
    yield "Errors in between.", _case(turns, _topic(3), [], None)
    yield "113 records over ten partitions.", _case([_record()] * 113, _topic(10))


def _null_key() -> Commented:
    start = [_record(draw=0)] + [_record()] * 4
    yield "Five records, the counter starts at 0.", _case(start, _topic(3))
    for first in (-1, -2, INT32_MAX - 1, INT32_MIN, 7):
        records = [_record(draw=first)] + [_record()] * 4
        yield f"The counter starts at {first}.", _case(records, _topic(10))
    keys = [None, b"foobar", None, b"k", None]
    yield "Keys are hashed and do not count.", _case([_record(key) for key in keys], _topic(3))
    yield "Ids, of those with a leader.", _case([_record()] * 4, _GAPS)
    yield "No leader: an index below the count.", _case([_record()] * 4, _NOWHERE)
    turns = [_record(metadata=at % 3) for at in range(9)]
    yield "Errors in between.", _case(turns, _topic(3), [], None)
    yield "113 records over ten partitions.", _case([_record()] * 113, _topic(10))


def _new_batch(previous: int | dict[str, int], draw: int, metadata: int = 0) -> Operation:
    step = {"op": "new batch", "topic": "t", "previous": previous, "metadata": metadata}
    return {**step, "draw": [draw, 0]}


def _sticky() -> Commented:
    five = [_record(), _record(), _record(), _record(), _new_batch({"step": 3}, 1), _record()]
    yield "Five records, batches of three.", _case([*five, _record()], _topic(3))
    moves = [_record(draw=0), _new_batch({"step": 0}, 3), _record()]
    yield "The draw that gives the old partition again.", _case(moves, _topic(3))
    stale = [*moves[:2], _record(), _new_batch({"step": 0}, 2), _record()]
    yield "A new batch on a partition that is not the sticky one.", _case(stale, _topic(5))
    one = _topic(3, leaderless=(0, 2))
    yield "One available partition: nothing is drawn.", _case(moves, one)
    yield "None available: an index, and it may stay.", _case(moves, _NOWHERE)
    yield "Ids with gaps.", _case(moves, _GAPS)
    gone = [_record(draw=4), _record(metadata=1), _new_batch({"step": 0}, 1, 1), _record()]
    yield "The sticky partition vanishes and is kept.", _case(gone, _topic(5), _topic(2))
    negative = [_record(draw=-1), _new_batch({"step": 0}, INT32_MIN), _record()]
    yield "Negative draws.", _case(negative, _topic(7))
    yield "Keys in between.", _case([_record(), _record(b"foobar"), _record()], _topic(3))
    errors = [_record(metadata=1), _record(), _record(metadata=2), _new_batch(0, 2, 1), _record()]
    yield "Errors in between.", _case(errors, _topic(3), [], None)
    long: list[Operation] = []
    while len(long) < _LONG:
        long += [_record(draw=len(long)), _new_batch({"step": len(long)}, len(long) * 7)]
    yield "A new batch after every record.", _case(long, _topic(10, leaderless=(3, 4)))


def _create(size: int) -> Operation:
    return {"op": "create", "topic": "t", "batch_size": size}


def _peek(draw: int = 0, metadata: int = 0) -> Operation:
    return {"op": "peek", "topic": "t", "metadata": metadata, "draw": [draw, 0]}


def _append(
    of: int, size: int, switch: bool | None, draw: int = 1, *, op: str = "append", metadata: int = 0
) -> Operation:
    step = {"op": op, "topic": "t", "of": {"step": of}, "bytes": size, "switch": switch}
    return {**step, "metadata": metadata, "draw": [draw, 0]}


def _built_in() -> Commented:
    for source in ("thread", "mock"):
        config: dict[str, Any] = {"assertions": False, "source": source}
        three = _topic(3)
        for bytes_, switch in ((99, True), (100, True), (199, False), (200, False), (100, None)):
            steps = [_create(100), _peek(), _append(1, bytes_, switch), _peek()]
            told = {True: "allowed", False: "forbidden", None: "not said"}[switch]
            where = f"draws from {source}"
            yield (
                f"{bytes_} bytes, batch.size 100, switch {told}; {where}.",
                _case(steps, three, config=config),
            )
        sizes = (2**30, 2**30 - 1, INT32_MAX)
        for size in sizes:
            steps = [_create(size), _peek(), _append(1, 1, False), _peek(2)]
            yield f"batch.size {size}: twice that; {source}.", _case(steps, three, config=config)
        refused = [_create(0)]
        yield f"batch.size 0 is refused; {source}.", _case(refused, three, config=config)
        stale = [_create(10), _peek(), _peek(), _append(1, 10, True), _append(2, 5, True)]
        changed: Operation = {"op": "changed", "topic": "t", "of": {"step": 2}}
        yield (
            f"Two threads, one finds the partition changed; {source}.",
            _case([*stale, changed], three, config=config),
        )
        bare = [*stale[:4], _append(2, 5, True, op="update"), _peek()]
        yield f"A bare update with an outdated peek; {source}.", _case(bare, three, config=config)
        none: Operation = {**_append(1, 5, True, op="update"), "of": None}
        keyless = [_create(10), _peek(), none, _peek()]
        yield f"Bytes of a record with a key; {source}.", _case(keyless, three, config=config)
        for metadata, told in (
            (_GAPS, "Ids, of those with a leader"),
            (_NOWHERE, "No leader: an index"),
            (None, "No metadata: an error"),
        ):
            steps = [_create(1), _peek(4), _append(1, 1, True, 5), _peek()]
            yield f"{told}; {source}.", _case(steps, metadata, config=config)
        long = [_create(100)]
        while len(long) < _LONG:
            long += [_peek(len(long)), _append(len(long), 30, len(long) % 4 < 2, len(long) * 7)]
        yield f"A hundred steps; {source}.", _case(long, _topic(10), config=config)
    raw = [_create(100), _peek(-1)]
    yield "mockRandom is used raw.", _case(raw, _topic(3), config={**config, "source": "mock"})


def _load(queues: list[int] | None, ids: list[int], length: int) -> Operation:
    return {"op": "load", "topic": "t", "queues": queues, "ids": ids, "length": length}


def _load_stats() -> Commented:
    config = {"assertions": False, "source": "mock"}
    tables: tuple[tuple[list[int] | None, int, str], ...] = (
        ([8, 3, 14, 8, 5], 5, "The table 7, 19, 20, 27, 37"),
        ([1, 4, 3], 3, "The table 4, 5, 7"),
        ([0, 3, 1], 3, "The table 4, 5, 8"),
        ([8, 3, 14, 8, 5], 3, "Two partitions are excluded"),
        ([8, 3], 1, "One partition of two"),
        ([8, 3, 14], 0, "All are excluded"),
        ([4, 4, 4], 3, "Equal sizes: nothing to adapt to"),
        ([4, 4, 4], 2, "Equal sizes, but one is excluded"),
        ([5], 1, "One partition"),
        (None, 3, "Nothing is known"),
        ([0, 2_000_000_000, 5], 3, "A giant: the sums wrap"),
    )
    for queues, length, told in tables:
        ids = [10 * number for number in range(len(queues or [0, 0, 0]))]
        for source in ("mock", "thread"):
            steps: list[Operation] = [_create(1), _load(queues, ids, length)]
            steps.append({"op": "range end", "topic": "t"})
            for draw in (0, 3, 4, 5, 7, INT32_MAX):
                steps += [_peek(draw), _append(len(steps), 1, True, draw, op="update")]
            yield (
                f"{told}; draws from {source}.",
                _case(steps, _topic(3), config={**config, "source": source}),
            )


def _adaptive() -> Commented:
    config = {"assertions": False, "source": "thread"}
    ids = [0, 1, 2]
    steps: list[Operation] = [_create(10), _peek(), _load([8, 3, 14], ids, 3), _peek()]
    steps += [_append(3, 10, True, 8), _peek(), _load(None, ids, 3), _peek()]
    steps += [_append(7, 10, True, 2), _peek()]
    yield (
        "Load stats act at the next switch, until they are withdrawn.",
        _case(steps, _topic(3), config=config),
    )
    yield (
        "They decide even with null metadata.",
        _case(
            [_create(10), _load([8, 3, 14], ids, 3), _peek(19), _append(2, 20, False, 7), _peek()],
            None,
            config=config,
        ),
    )
    yield (
        "An excluded partition is not chosen.",
        _case(
            [_create(1), _load([8, 3, 14], ids, 2), _peek(7), _append(2, 1, True, 8), _peek()],
            _topic(3),
            config=config,
        ),
    )
    long: list[Operation] = [_create(100), _load([8, 3, 14, 8, 5], [0, 1, 2, 3, 4], 5)]
    while len(long) < _LONG:
        long += [_peek(len(long)), _append(len(long), 60, True, len(long) * 7)]
    yield "A hundred steps.", _case(long, _topic(5), config=config)


def _rack_aware() -> Commented:
    racks: list[str | None] = ["a", "b", None]
    led: Metadata = [("t", [[number, at % 3] for at, number in enumerate((4, 2, 7, 0, 9, 5))])]
    for rack, aware, told in (
        ("a", True, "Two of six leaders are in the producer's rack"),
        ("c", True, "No leader is in the rack: all of them"),
        ("A", True, "Another rack by its first letter"),
        ("", True, "An empty rack, which no leader has"),
        ("a", False, "partitioner.rack.aware is off"),
    ):
        steps: list[Operation] = [_create(1)]
        for draw in (0, 1, 2, 5, INT32_MAX):
            steps += [_peek(draw), _append(len(steps), 1, True, draw, op="update")]
        yield f"{told}.", _case(steps, led, config=_in_rack(rack, racks, aware=aware))
    empty = _in_rack("", ["", None, "a"])
    yield "An empty rack, which a leader has.", _case([_create(1), _peek(1)], led, config=empty)
    nobody = _case([_create(1), _peek(1)], _NOWHERE, config=_in_rack("a", racks))
    yield "No partition has a leader: an index.", nobody
    of_queues: tuple[tuple[list[int], int, list[str | None], str], ...] = (
        ([8, 3, 14, 8, 5], 5, ["a", "b", "a", None, "a"], "Three of five: the table 7, 8, 18"),
        ([8, 3, 14, 8, 5], 5, ["a", "a", "b", "b", "b"], "The longest queue is elsewhere: 1, 7"),
        ([8, 3, 14, 8, 5], 2, ["b", "a", "a", "a", "a"], "Three partitions are excluded"),
        ([8, 3, 14], 3, ["b", "a", "b"], "One leader is in the rack"),
        ([8, 3, 14], 3, ["b", None, ""], "No leader is in the rack: all are weighed"),
        ([4, 4, 9], 3, ["a", "a", "b"], "Equal queues in the rack"),
        ([4, 4, 4], 3, ["a", "a", "b"], "Equal queues everywhere: nothing to adapt to"),
        ([0, INT32_MAX, 0], 3, ["a", "a", "a"], "A giant: the sums of the rack wrap"),
    )
    for queues, length, where, told in of_queues:
        ids = [10 * number for number in range(len(queues))]
        ends: list[Operation] = [{"op": name, "topic": "t"} for name in _RANGE_ENDS]
        loaded: list[Operation] = [_create(1), {**_load(queues, ids, length), "racks": where}]
        loaded += ends
        for draw in (0, 6, 7, 8, INT32_MAX):
            loaded += [_peek(draw), _append(len(loaded), 1, True, draw, op="update")]
        withdrawn = {**_load(None, ids, length), "racks": where}
        loaded += [withdrawn, *ends, _append(len(loaded) - 2, 1, True, 1, op="update")]
        yield f"{told}.", _case(loaded, led, config=_in_rack("a", racks))


_RANGE_ENDS: Final = ("range end", "rack range end")


def _in_rack(rack: str, racks: list[str | None], *, aware: bool = True) -> dict[str, Any]:
    config: dict[str, Any] = {"assertions": False, "source": "thread"}
    return {**config, "rack_aware": aware, "rack": rack, "racks": racks}


BOUNDARIES: Final[Mapping[str, Callable[[], Commented]]] = {
    "murmur2": _murmur2,
    "keyed": _keyed,
    "serialized-keys": _serialized,
    "explicit-partition": _explicit,
    "round-robin-null-key": _null_key,
    "round-robin": _round_robin,
    "sticky": _sticky,
    "uniform-sticky": _sticky,
    "sticky-cache": _sticky,
    "built-in": _built_in,
    "load-stats": _load_stats,
    "adaptive": _adaptive,
    "rack-aware": _rack_aware,
    "record-sizes": record_sizes,
    "record-batch": record_batch,
    "batch-reading": batch_reading,
}
"""By the name of the behaviour."""
