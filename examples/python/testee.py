"""A testee to read: keyed partitioning and round robin, written from the documentation alone.

Run it:  kafka-conformance testee -- python examples/python/testee.py
Needs Python 3.8 and nothing else. The protocol: docs/protocol.md; what Java does:
docs/behaviours.md. Replace the three functions in the middle by calls of your own code.
"""

import json
import sys

# "exact": answers are compared one by one. "records": it also takes records in bulk.
BEHAVIOURS = {
    "murmur2": {"mode": "exact"},
    "keyed": {"mode": "exact", "records": True},
    "round-robin": {"mode": "exact", "records": True},
}
HELLO = {"type": "hello", "protocol": 1, "version": "1", "language": "Python 3"}
ERRORS = {TypeError: "null", ZeroDivisionError: "arithmetic"}  # what Java throws there


def murmur2(key):
    """The hash, 0 to 2**32 - 1. A key of None raises TypeError."""
    m, mask = 0x5BD1E995, 0xFFFFFFFF
    h = 0x9747B28C ^ len(key)
    for at in range(0, len(key) // 4 * 4, 4):
        k = int.from_bytes(key[at : at + 4], "little") * m & mask
        k = (k ^ k >> 24) * m & mask
        h = (h * m ^ k) & mask
    tail = key[len(key) // 4 * 4 :]  # bytes, never negative: Java masks them with 0xff
    if tail:
        h = (h ^ int.from_bytes(tail, "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


def keyed(key, count):
    """An index below the number of partitions. A negative number acts as its absolute value."""
    return (murmur2(key) & 0x7FFFFFFF) % abs(count)


def round_robin(counters, topic, snapshot, client):
    """The next available partition in metadata order; an index if none is available."""
    if topic is None or (snapshot is None and client == "3.2.3"):
        raise TypeError("3.2.3 looks at the metadata first, and does not count then")
    turn = counters.get(topic, 0) & 0x7FFFFFFF  # also right where Java's int wraps
    counters[topic] = counters.get(topic, 0) + 1
    partitions = dict(snapshot).get(topic, [])  # TypeError if None; unknown: no partitions
    available = [number for number, leader in partitions if leader is not None]
    return available[turn % len(available)] if available else turn % len(partitions)


def perform(step, case, counters, client):
    """The answer to one step of a case."""
    key = step.get("key")
    key = None if key is None else bytes.fromhex(key["hex"])
    if step["op"] == "murmur2":
        number = murmur2(key)
        return number - 2**32 if number >= 2**31 else number  # the protocol has signed numbers
    if step["op"] == "toPositive":
        return step["number"] & 0x7FFFFFFF
    if step["op"] == "partition for key":
        return keyed(key, step["partitions"])
    snapshot = case["metadata"][step["metadata"]]
    if counters is None:
        return keyed(key, len(dict(snapshot).get(step["topic"], [])))
    return round_robin(counters, step["topic"], snapshot, client)


def trace(case, message):
    """One answer for each step of a case. Each case starts afresh."""
    turns = message["behaviour"] == "round-robin"
    counters = dict(case["config"].get("counters", {})) if turns else None
    answers = []
    for step in case["steps"]:
        try:
            answers.append(perform(step, case, counters, message["client"]))
        except tuple(ERRORS) as error:
            answers.append({"error": ERRORS[type(error)], "message": str(error)})
    return answers


def records(message):
    """A partition for each of many records of one topic."""
    if message["behaviour"] == "keyed":
        return [keyed(bytes.fromhex(k), len(message["partitions"])) for k in message["keys"]]
    counters, snapshot = {}, [["t", message["partitions"]]]
    return [round_robin(counters, "t", snapshot, "") for _ in range(message["count"])]


def serve(name, behaviours, trace, records=None):
    """Answer the suite's questions until it closes the input."""
    for line in sys.stdin:
        question = json.loads(line)
        reply = {"id": question.get("id")}
        if question["type"] == "hello":
            reply = {**HELLO, "name": name, "behaviours": behaviours}
        elif question["type"] == "cases":
            reply.update(
                type="traces", traces=[trace(case, question) for case in question["cases"]]
            )
        else:
            reply.update(type="partitions", partitions=records(question))
        print(json.dumps(reply), flush=True)  # one line, and nothing else on standard output


if __name__ == "__main__":  # not when check_vectors.py imports it
    serve("example", BEHAVIOURS, trace, records)
