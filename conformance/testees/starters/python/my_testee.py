"""A testee to start from: it answers keyed, and "not yet" to whatever else is asked. Python 3.9.

Run: kafka-conformance testee -- python my_testee.py

What is asked, and how to go on: docs/write-a-testee.md. Every rule: docs/protocol.md.
"""

import json
import sys
from typing import Any


def partition_for_key(key: bytes, partitions: int) -> int:
    """Your code goes here: replace the body by a call of your own partitioner."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions


def murmur2(key: bytes) -> int:
    """Java's hash, 0 to 2**32 - 1. Delete it when your own code is called."""
    m, mask = 0x5BD1E995, 0xFFFFFFFF
    h = 0x9747B28C ^ len(key)
    whole = len(key) // 4 * 4
    for at in range(0, whole, 4):
        k = int.from_bytes(key[at : at + 4], "little") * m & mask
        h = (h * m ^ (k ^ k >> 24) * m) & mask
    if len(key) > whole:
        h = (h ^ int.from_bytes(key[whole:], "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


# What you support: docs/protocol.md has all behaviours, and the words of "cannot".
BEHAVIOURS = {
    "keyed": {
        "mode": "exact",
        "claims": ["3.8.0"],
        "operations": ["partition"],
        "cannot": ["null metadata", "unknown topics", "null topics"],
    }
}
HELLO = {
    "type": "hello",
    "protocol": 1,
    "name": "my partitioner",
    "version": "0.1",
    "language": "Python",
    "behaviours": BEHAVIOURS,
}
NOT_YET = {"could not try": "not yet"}


def trace(behaviour: str, case: dict[str, Any]) -> Any:
    """One answer for each step of a case. Each case starts afresh: keep no state across."""
    answers = []
    for step in case["steps"]:
        if behaviour != "keyed" or step["op"] != "partition":
            return NOT_YET
        # A snapshot is a list of [topic, [[id, leader], ...]].
        partitions = dict(case["metadata"][step["metadata"]])[step["topic"]]
        answers.append(partition_for_key(bytes.fromhex(step["key"]["hex"]), len(partitions)))
    return answers


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """The answer to one line of the suite."""
    if question["type"] == "hello":
        return HELLO
    if question["type"] == "cases":
        traces = [trace(question["behaviour"], case) for case in question["cases"]]
        return {"type": "traces", "id": question["id"], "traces": traces}
    return {"type": "partitions", "id": question["id"], **NOT_YET}


if __name__ == "__main__":
    for line in sys.stdin:  # until the suite closes it
        print(json.dumps(answer(json.loads(line))), flush=True)
