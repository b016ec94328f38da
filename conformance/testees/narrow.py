"""Cases made narrower where a testee's interface is: what its hello says it cannot be asked.

A narrowed case is a case like any other; the real client performs the same one.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from conformance.draws import EQUAL_DRAWS
from conformance.model.case import Case, Metadata, Operation, Partition, without_steps
from conformance.testees.message_bytes import with_bytes_that_fit
from conformance.testees.narrow_records import (
    BEYOND_RECORDS,
    OF_RECORDS,
    asked_by,
    without_empty_batch,
)

LARGEST_PLAIN_COUNT: Final = 1000
_NAMELESS: Final = "nameless"
_EQUAL_DRAWS: Final = dict(EQUAL_DRAWS.values())


def narrow(case: Case, cannot: Collection[str], operations: Collection[str] = ()) -> Case | None:
    """The case without what a subject cannot be asked; None if nothing is left of it.

    ``cannot`` are words of :data:`NARROWINGS`, ``operations`` those it can perform (none: all).
    """
    for word, narrowing in NARROWINGS.items():
        if word in cannot:
            case = narrowing(case)
    if operations:
        case = _each_step(lambda operation: asked_by(operation, operations))(case)
    beyond = [_BEYOND[word] for word in _BEYOND if word in cannot]
    gone = [
        index
        for index, operation in enumerate(case["steps"])
        if (operations and operation["op"] not in operations)
        or any(is_beyond(operation) for is_beyond in beyond)
    ]
    left = without_steps(case, gone) if gone else case
    return left and without_empty_batch(left, cannot)


def narrow_for_testee(
    case: Case, cannot: Collection[str] = (), operations: Collection[str] = ()
) -> Case | None:
    """The same for a testee, which is asked nothing that only a real client has an answer to.

    Keys that no message can hold are cut, and so are draws; topics have names, leaders no
    negative ids, and records a key or a partition, which is below the topic's count.
    """
    left = narrow(case, cannot, operations)
    for narrowing in _FOR_TESTEES:
        left = left and narrowing(left)
    return left


def _with_few_draws(operation: Operation) -> Operation:
    """Without draws that choose the same partition more often than a message has draws."""
    first, tail = operation.get("draw") or (0, 0)
    same = _EQUAL_DRAWS.get(first) == tail
    return {**operation, "draw": [first, 0]} if same else operation


def _named(operation: Operation) -> int:
    """The partition that a record names; 0 if none."""
    return (operation["partition"] or 0) if operation["op"] == "record" else 0


def _without_records_of_neither(case: Case) -> Case | None:
    """Without records that have neither partition nor key: only Kafka's producer says "none"."""
    gone = [
        index
        for index, operation in enumerate(case["steps"])
        if operation["op"] == "record"
        and operation["partition"] is None
        and operation["key"] is None
    ]
    return without_steps(case, gone) if gone else case


def _with_partitions_below_count(case: Case) -> Case:
    """Partitions that records name are below the number of partitions, of which there may be less.

    Those that are not make a real producer wait for metadata, before it asks anybody.
    """
    return _each_step(lambda operation: _below_count(operation, case["metadata"]))(case)


def _below_count(operation: Operation, metadata: Sequence[Metadata | None]) -> Operation:
    named = _named(operation)
    if named <= 0:
        return operation
    snapshot = metadata[operation["metadata"]]
    partitions = next((parts for name, parts in snapshot or [] if name == operation["topic"]), [])
    if not partitions or named < len(partitions):
        return operation
    return {**operation, "partition": named % len(partitions)}


def _has_lone_surrogates(operation: Operation) -> bool:
    texts = [operation.get("value"), *(key for key, _ in operation.get("headers") or ())]
    return any(
        "\ud800" <= char <= "\udfff" for text in texts if isinstance(text, str) for char in text
    )


def _without_null_metadata(case: Case) -> Case:
    """Null snapshots become the one before them."""
    metadata: list[Metadata | None] = []
    known: Metadata = next((snapshot for snapshot in case["metadata"] if snapshot is not None), [])
    for snapshot in case["metadata"]:
        known = known if snapshot is None else snapshot
        metadata.append(known)
    return {**case, "metadata": metadata}


def _with_all_topics(case: Case) -> Case:
    """Every snapshot has all topics of the case, with a partition at least."""
    asked = {operation.get("topic") for operation in case["steps"]}
    latest: dict[str, list[Partition]] = {}
    metadata: list[Metadata | None] = []
    for snapshot in case["metadata"]:
        if snapshot is not None:
            latest.update({topic: partitions for topic, partitions in snapshot if partitions})
            # Behind those that are known, so that it is the same when a step has gone.
            for topic in sorted(topic for topic in asked if topic is not None):
                latest.setdefault(topic, [[0, 0]])
        metadata.append(None if snapshot is None else list(latest.items()))
    return {**case, "metadata": metadata}


def _with_one_snapshot(case: Case) -> Case:
    steps = [
        {**operation, "metadata": 0} if "metadata" in operation else operation
        for operation in case["steps"]
    ]
    return {**case, "metadata": case["metadata"][:1], "steps": steps}


def _each_topic(change: Callable[[list[Partition]], list[Partition]]) -> Callable[[Case], Case]:
    def narrowing(case: Case) -> Case:
        metadata: list[Metadata | None] = [
            None if snapshot is None else [(topic, change(parts)) for topic, parts in snapshot]
            for snapshot in case["metadata"]
        ]
        return {**case, "metadata": metadata}

    return narrowing


def dense_ids(partitions: list[Partition]) -> list[Partition]:
    """The ids 0, 1, 2 ... in metadata order."""
    return [[number, leader] for number, (_, leader) in enumerate(partitions)]


def all_led(partitions: list[Partition]) -> list[Partition]:
    """A leader for every partition."""
    return [[number, leader or 0] for number, leader in partitions]


def _one_led(partitions: list[Partition]) -> list[Partition]:
    if any(leader is not None for _, leader in partitions):
        return partitions
    return all_led(partitions[:1]) + partitions[1:]


def _with_names(case: Case) -> Case:
    """The topic whose name is empty, which no broker takes, gets one."""
    metadata: list[Metadata | None] = [
        known and [(topic or _NAMELESS, partitions) for topic, partitions in known]
        for known in case["metadata"]
    ]
    steps = [
        {**operation, "topic": _NAMELESS} if operation.get("topic") == "" else operation
        for operation in case["steps"]
    ]
    config = dict(case["config"])
    if "" in config.get("counters", {}):
        counters = config["counters"]
        config["counters"] = {topic or _NAMELESS: at for topic, at in counters.items()}
    return {"config": config, "metadata": metadata, "steps": steps}


def _of_real_nodes(partitions: list[Partition]) -> list[Partition]:
    """Without leaders whose ids are negative: brokers have none, and libraries take it for none."""
    return [[number, leader and abs(leader)] for number, leader in partitions]


def _each_step(change: Callable[[Operation], Operation]) -> Callable[[Case], Case]:
    return lambda case: {**case, "steps": [change(operation) for operation in case["steps"]]}


def _plain_count(operation: Operation) -> Operation:
    if operation["op"] != "partition for key":
        return operation
    count = operation["partitions"]
    if 1 <= count <= LARGEST_PLAIN_COUNT:
        return operation
    return {**operation, "partitions": abs(count) % LARGEST_PLAIN_COUNT + 1}


def _with_key(operation: Operation) -> Operation:
    if "key" in operation and operation["key"] is None:
        return {**operation, "key": b"k"}
    return operation


def _configured(**settings: object) -> Callable[[Case], Case]:
    """Changes the settings that a case has; None: it has them no more."""
    gone = [name for name, value in settings.items() if value is None]

    def narrowing(case: Case) -> Case:
        config = {name: settings.get(name, value) for name, value in case["config"].items()}
        return {**case, "config": {name: v for name, v in config.items() if name not in gone}}

    return narrowing


_BEYOND: Final[Mapping[str, Callable[[Operation], bool]]] = {
    "null topics": lambda operation: "topic" in operation and operation["topic"] is None,
    "lone surrogates": _has_lone_surrogates,
    "negative partitions": lambda operation: _named(operation) < 0,
    "uuid keys": lambda operation: operation.get("type") == "uuid",
    **BEYOND_RECORDS,
}
"""Steps that are left out, by the word for what they need."""

NARROWINGS: Final[Mapping[str, Callable[[Case], Case]]] = {
    **{word: lambda case: case for word in _BEYOND},
    "null metadata": _without_null_metadata,
    "changing metadata": _with_one_snapshot,
    "unknown topics": _with_all_topics,
    "gaps in ids": _each_topic(dense_ids),
    "leaderless partitions": _each_topic(all_led),
    "no available partition": _each_topic(_one_led),
    "null keys": _each_step(_with_key),
    "odd counts": _each_step(_plain_count),
    "set counters": _configured(counters=None),
    "raw mock draws": _configured(source="thread"),
    "assertions": _configured(assertions=False),
    **OF_RECORDS,
}
"""By the word of the protocol, in the order in which they are applied."""

_FOR_TESTEES: Final[Sequence[Callable[[Case], Case | None]]] = (
    _with_names,
    _each_topic(_of_real_nodes),
    _each_step(_with_few_draws),
    _without_records_of_neither,
    _with_partitions_below_count,
    with_bytes_that_fit,
)
