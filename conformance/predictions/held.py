"""A recorded simulation beside the trace of a real client that was led through the same run.

Three things are compared, and whatever differs is counted:

* each step: the partition of a record; for how long a pass would poll, its requests with node,
  batches, records, bytes, checksums, producer ids, epochs and sequences, and whether it asks for a
  producer id; callbacks, free memory, requests on their way, wake-ups;
* each record, from what the real client did: its partition, its batch, to which node and when the
  batch was first sent, when the record ended, and how;
* the simulator's own decision when to make a pass, from what the real client answered: after the
  time that it would poll, or as soon as something wakes it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.behaviours.producing.accumulator_runs import CALLBACKS
from conformance.model.case import Case, Operation
from conformance.model.trace import Answer, Trace
from conformance.predictions.recorded import (
    LONGEST_MS,
    NOT_TAKEN,
    SEEN,
    WOKEN,
    Recording,
    Row,
    wait_of,
)
from conformance.simulation.quantities import MILLISECOND, Micros

SHOWN = 10
"""How many differences are told."""


@dataclass(frozen=True, slots=True)
class Held:
    """How many steps, records, batches and requests were compared, and what differed."""

    steps: int
    records: int
    batches: int
    requests: int
    differences: int
    told: Sequence[str]
    """The first of them in words."""


def held(recording: Recording, java: Trace) -> Held:
    """Compare a simulation with a real client's trace of its case."""
    seen = [*map(_seen, recording.case["steps"], java)]
    rows = rows_of(recording.case, seen)
    found = [
        *_differing_steps(recording, seen),
        *_differing_rows(recording.rows, rows),
        *_wrong_times(recording, seen),
    ]
    delivered = {row.batch for row in rows.values() if row.batch is not None}
    passes = zip(recording.case["steps"], seen, strict=False)
    requests = sum(len(step["answer"][1]) for did, step in passes if did["op"] == "pass")
    steps = min(len(seen), len(recording.seen))
    return Held(steps, len(rows), len(delivered), requests, len(found), found[:SHOWN])


def _seen(operation: Operation, step: Any) -> dict[str, Any]:
    """What the simulator tells, too, of a step."""
    answer = step["answer"]
    if operation["op"] == "pass" and isinstance(answer, list):
        poll, requests, asked, _ = answer  # the last one is how long it slept: here never
        answer = [wait_of(int(poll["int64"])), requests, asked]
    state = {name: step["state"][name] for name in SEEN}
    state[CALLBACKS] = [told for told in state[CALLBACKS] if told[0] != "acknowledged"]
    found = {"answer": answer, "state": state}
    return {**found, "draws": step["draws"]} if "draws" in step else found


def _differing_steps(recording: Recording, java: Sequence[dict[str, Any]]) -> Iterator[str]:
    if len(recording.seen) != len(java):
        yield f"{len(recording.seen)} steps, and {len(java)} of the real client"
    steps = recording.case["steps"]
    for index, (here, there) in enumerate(zip(recording.seen, java, strict=False)):
        if here != there:
            yield f"step {index}, {steps[index]['op']}: {here}, but the real client {there}"


def rows_of(case: Case, trace: Sequence[dict[str, Any]]) -> dict[int, Row]:
    """What became of each record, from a trace alone.

    A batch that is sent again is known by its checksum: values have four bytes or more. With other
    sequences it counts as sent for the first time.
    """
    rows: dict[int, Row] = {}
    partitions: dict[int, int] = {}
    first_sent: dict[int, int] = {}
    on_their_way: list[tuple[int, dict[int, int]]] = []
    for index, (operation, step) in enumerate(zip(case["steps"], trace, strict=False)):
        answered: tuple[int, dict[int, int]] | None = None
        if operation["op"] == "send":
            first = step["answer"][0]
            partitions[index] = first if isinstance(first, int) else NOT_TAKEN
        elif operation["op"] == "respond":
            # As the real client takes them, should it have sent other requests.
            if on_their_way:
                answered = on_their_way.pop(operation["number"] % len(on_their_way))
        else:
            for node, *_, batches in step["answer"][1]:
                sent = {partition: crc for _, partition, _, _, crc, *_ in batches}
                on_their_way.append((node, sent))
                for crc in sent.values():
                    first_sent.setdefault(crc, operation["now"])
        for record, outcome in step["state"][CALLBACKS]:
            partition, now_ms = partitions[record], operation["now"]
            if isinstance(outcome, str) or answered is None or partition not in answered[1]:
                rows[record] = Row(partition, now_ms, _error(outcome))
            else:
                node, batches = answered
                sent_ms = first_sent[batches[partition]]
                rows[record] = Row(partition, now_ms, None, (index, partition), node, sent_ms)
    return rows


def _error(outcome: Answer) -> str:
    return outcome if isinstance(outcome, str) else f"ended without an answer: {outcome}"


def _differing_rows(here: dict[int, Row], there: dict[int, Row]) -> Iterator[str]:
    if here.keys() != there.keys():
        yield f"{len(here)} records, and {len(there)} of the real client"
    pairs: set[tuple[Any, Any]] = set()
    for index in here.keys() & there.keys():
        one, other = here[index], there[index]
        pairs.add((one.batch, other.batch))
        if _without_batch(one) != _without_batch(other):
            yield f"the record of step {index}: {one}, but with the real client {other}"
    # Each batch of the one is one batch of the other.
    for place, whose in ((0, "the simulator"), (1, "the real client")):
        counts = Counter(pair[place] for pair in pairs if pair[place] is not None)
        for batch, count in counts.items():
            if count > 1:
                yield f"batch {batch} of {whose} is {count} with the other"


def _without_batch(row: Row) -> tuple[Any, ...]:
    return row.partition, row.ended_ms, row.error, row.node, row.sent_ms, row.batch is None


def _wrong_times(recording: Recording, java: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Passes that the real client's answers do not ask for, and those that they ask for in vain."""
    due_us: Micros | None = 0 if recording.case["config"]["idempotence"] else None
    free_us: Micros = 0
    steps = zip(recording.case["steps"], recording.times_us, java, strict=False)
    for index, (operation, now_us, step) in enumerate(steps):
        if due_us is not None and now_us > due_us:
            yield f"step {index} at {now_us} us: a pass was due at {due_us} us"
            due_us = None
        if operation["op"] == "pass":
            if due_us != now_us:
                yield f"step {index}: a pass at {now_us} us, due at {due_us} us"
            free_us = now_us + len(step["answer"][1]) * recording.request_us
            due_us = _next_pass_us(now_us, step["answer"], free_us)
            if step["answer"][2] and not recording.waits_for_id:
                due_us = now_us  # the id is there
        elif operation["op"] == "respond" or step["state"][WOKEN]:
            due_us = max(now_us, free_us)


def _next_pass_us(now_us: Micros, answer: Answer, free_us: Micros) -> Micros | None:
    poll, requests, _ = answer
    poll_ms = int(poll["int64"])
    if free_us > now_us or (poll_ms == 0 and requests):
        return free_us
    # Java would look again at once, without end, until its clock has moved on.
    return None if poll_ms == LONGEST_MS else now_us + max(1, poll_ms) * MILLISECOND
