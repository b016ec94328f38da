"""Classes of a producer's histories: the rare states that cases must reach."""

from collections.abc import Iterator
from typing import Any, Final

from conformance.behaviours.producing.accumulator_runs import CALLBACKS, ENDED, LOADS
from conformance.model.case import Case, Operation
from conformance.model.trace import Step, Trace
from conformance.model.values import ERROR, INT64, is_error
from conformance.strategies.producing.producer_steps import CALLBACK, NO_RECORD, THROWS

_UNNUMBERED: Final = 5
"""What is told of a batch that has no sequence."""
OF_CHOICE: Final = {
    "load stats": "queues of all partitions, of different lengths: some are chosen more often",
    "backoff draws": "a wait before a retry that is drawn, for its jitter",
}
OF_EPOCHS: Final = {
    "next epoch": "a producer takes the next epoch, for want of knowing what a broker has",
    "impossible state": "an id comes for a producer that will never send anything again",
}
OF_STATES: Final = {
    "ended": "a record for a producer that will not send again, or that cannot number it",
}
OF_RECORD_ERRORS: Final = {
    "records refused": "a broker tells which records are wrong; the others fail with them",
}
CLASSES: Final = {
    "sent": "a record is taken",
    "keyed": "a record with a key and without partition",
    "partitioner": "a partitioner.class chooses",
    "own partitioner": "a partitioner.class that is none of Kafka's chooses",
    "asked again": "a partitioner.class is told of a new batch, and asked again",
    "partitioner fails": "a partitioner.class throws, or answers what is no partition",
    "unknown partition": "a partitioner.class answers a partition that the topic does not have",
    "own time": "a record has another timestamp than the clock's",
    "no such time": "a record has a timestamp below 0",
    "large header": "a header makes a record larger than a batch",
    "replaced": "an interceptor hands on another record",
    "interceptor fails": "an interceptor throws",
    "no record": "an interceptor hands on no record, and nothing is sent",
    "waited": "a record waited for metadata, which came",
    "no metadata": "a record waited for metadata in vain",
    "invalid topic": "a record for a topic that cannot be",
    "unauthorized": "a record for a topic that may not be written to",
    "too large": "a record that is larger than a request may be",
    "exhausted": "no memory for a batch",
    **OF_STATES,
    "closed": "a record for a closed producer",
    "refused": "a serializer does not take a key or a value",
    "forbidden": "a serializer throws what ends a producer that numbers its records",
    "callback throws": "a callback of a record that was taken throws",
    "numbered parts": "a batch whose records have sequences is sent in several parts",
    "woken": "the sender is woken",
    "request": "a request is sent",
    "several requests": "a pass that sends requests to several nodes",
    "several batches": "a request with several batches",
    "no acks": "a request that nobody answers",
    "unready": "a node has batches and cannot be sent to",
    "full": "with max.in.flight beyond 1, batches wait while a node has as many requests",
    "polls": "a pass that finds nothing to send, and something later",
    "completed": "callbacks are told offsets",
    "retried": "a batch is sent once more after an error",
    "failed": "an error ends a batch",
    "disconnected": "a connection ends with a request on its way",
    "timed out": "a request is not answered in time",
    "mismatch": "a node does not know the request",
    "split": "a batch is sent in parts",
    **OF_RECORD_ERRORS,
    "expired": "a batch runs out of time before it is sent",
    "expired in flight": "a batch runs out of time on its way",
    "answered late": "an answer for a batch that has ended",
    "metadata wanted": "an answer makes the sender ask for metadata",
    "in order": "with max.in.flight of 1, a pass with a request on its way",
    "throttled": "with max.in.flight of 1, a node wants to be left alone",
    "gave up": "retries are used up",
    "force closed": "batches are given up",
    "compressed": "a request with compressed batches",
    "numbered": "a request whose records have sequences",
    "sequences wrap": "a batch's sequences begin with 0 again, or do in it",
    "id asked again": "a request for a producer id that was sent in vain",
    "new id": "a producer gets another id",
    "out of order": "a broker finds a sequence out of order, and the batch is sent once more",
    "given up": "batches end without being sent, for an error of the producer's",
    **OF_EPOCHS,
    **OF_CHOICE,
}


_ERRORS: Final = {
    "BufferExhaustedException": "exhausted",
    "InvalidTopicException": "invalid topic",
    "TopicAuthorizationException": "unauthorized",
    "RecordTooLargeException": "too large",
    "ClusterAuthorizationException": "forbidden",
}
"""The class of a record that is not taken, by the error that its callback is told."""
_NULL_POINTER: Final = "java.lang.NullPointerException"
_KAFKA: Final = "org.apache.kafka.common.KafkaException"
"""Told of a record whose batch was refused for the sake of others, and thrown by a producer that
will not send again."""


def producer_labels(case: Case, trace: Trace) -> Iterator[str]:
    """The classes of a case, from the oracle's trace."""
    seen = _Seen(case)
    for operation, step in zip(case["steps"], trace, strict=True):
        yield from seen.labels(operation, step)


class _Seen:
    """What went before, as far as classes need it."""

    def __init__(self, case: Case) -> None:
        self._config = case["config"]
        self._metadata = case["metadata"]
        self._closed = False
        self._before: dict[str, Any] = {}
        self._owner = -1
        self._open: list[int] = []
        """The nodes of the requests on their way, in the order in which they left."""
        self._sent: dict[tuple[Any, ...], int] = {}
        """By whose they are, and where they begin: how many records batches had."""

    def labels(self, operation: Operation, step: Step) -> Iterator[str]:
        """The classes that a step shows."""
        name, answer, state = operation["op"], step["answer"], step["state"]
        if state["woken"]:
            yield "woken"
        if name == "respond" and self._open:  # a request ends, whatever becomes of its answer
            del self._open[operation["number"] % len(self._open)]
        if name == "send":
            yield from _of_plugins(operation, state)
        if is_error(answer) and name == "pass":
            yield "impossible state"
        elif is_error(answer) and name == "send":
            yield self._of_error(operation, answer[ERROR])
        elif name == "send":
            yield from self._of_send(operation, answer, state)
        elif name == "pass":
            yield from self._of_pass(operation, step)
        elif name == "respond" and answer is not None:
            yield from self._of_answer(operation, state)
        if name == "force close" and state[ENDED]:
            yield "force closed"
        self._closed |= name in ("close", "force close")
        if any(not isinstance(outcome, str) for _, outcome in _ends(state)):
            yield "completed"
        self._before = state

    def _of_error(self, operation: Operation, error: str) -> str:
        """The class of a record that the producer throws at."""
        if self._closed and error.endswith(".IllegalStateException"):
            return "closed"
        if int(operation.get("timestamp", 0)) < 0:
            return "no such time"
        if error == _KAFKA:
            return "ended"
        if NO_RECORD in operation.get("replacements", ()) and error == _NULL_POINTER:
            return "no record"
        of_serializer = operation.get("refuses") and error not in (
            "java.lang.IllegalStateException",
            "java.lang.IllegalArgumentException",
        )
        return "refused" if of_serializer else "partitioner fails"

    def _of_send(
        self, operation: Operation, answer: list[Any], state: dict[str, Any]
    ) -> Iterator[str]:
        if isinstance(answer[0], str):
            error = answer[0].rpartition(".")[2]
            if error == "TimeoutException":
                # What is waited for in vain is asked for; 2.3.1 says the same for want of memory.
                yield "no metadata" if state["metadata wanted"] else "exhausted"
            else:
                yield _ERRORS.get(error, "ended")
            return
        yield "sent"
        if operation.get("refuses") == CALLBACK:
            yield "callback throws"
        if "replacements" not in operation:  # else it may be another record
            yield from self._of_record(operation)
        if answer[1]:
            yield "waited"
        if operation["partition"] is None:
            if operation["key"] is not None:
                yield "keyed"
            if self._config["partitioner"] is not None:
                yield "partitioner"
            if "answers" in operation:
                yield "own partitioner"
                known = dict(self._metadata[operation["metadata"]] or ()).get(operation["topic"])
                numbers = [number for number, _ in known or ()]
                if numbers and answer[0] not in numbers and not operation.get("replacements"):
                    yield "unknown partition"

    def _of_record(self, operation: Operation) -> Iterator[str]:
        if "timestamp" in operation and int(operation["timestamp"]) != operation["now"]:
            yield "own time"
        size = operation["size"] or 0
        if size <= self._config["batch_size"] < size + operation.get("header", 0):
            yield "large header"

    def _of_pass(self, operation: Operation, step: Step) -> Iterator[str]:
        poll_ms, requests, asked, slept_ms = step["answer"]
        state = step["state"]
        if asked and slept_ms:
            yield "id asked again"
        yield from self._of_owner(state)
        for *_, batches in requests:
            yield from _of_sequences(batches)
            yield from self._of_parts(batches)
        if requests:
            yield "request"
            if not requests[0][1]:
                yield "no acks"
            if self._config["compression"] != "none":
                yield "compressed"
        elif 0 < int(poll_ms[INT64]) < 2**62:
            yield "polls"
        if len(requests) > 1:
            yield "several requests"
        if any(len(batches) > 1 for *_, batches in requests):
            yield "several batches"
        sent_to = {node for node, *_ in requests}
        if operation["unready"] and state["has undrained"] and not sent_to:
            yield "unready"
        if step.get("draws"):
            yield "backoff draws"
        if state[LOADS]:
            yield "load stats"
        yield from self._of_connections(requests, state)
        yield from self._of_ends(requests, state)

    def _of_connections(self, requests: list[Any], state: dict[str, Any]) -> Iterator[str]:
        most = self._config["max_in_flight"]
        if most == 1 and self._open:
            yield "in order"
        elif state["has undrained"] and any(self._open.count(one) >= most for one in self._open):
            yield "full"
        self._open += [node for node, *_ in requests]

    def _of_parts(self, batches: list[Any]) -> Iterator[str]:
        for topic, partition, records, _, _, *owner in batches:
            if not owner:
                continue
            at = topic, partition, str(owner)
            if records < self._sent.get(at, 0):
                yield "numbered parts"
            self._sent[at] = records

    def _of_ends(self, requests: list[Any], state: dict[str, Any]) -> Iterator[str]:
        expired = _ends(state)
        if any(not str(outcome).endswith(".TimeoutException") for _, outcome in expired):
            yield "given up"
        elif expired:
            fewer = state["batches in flight"] - sum(len(batches) for *_, batches in requests)
            late = fewer < self._before.get("batches in flight", 0)
            yield "expired in flight" if late else "expired"

    def _of_owner(self, state: dict[str, Any]) -> Iterator[str]:
        owner, before = state["producer id"], self._before
        if owner == -1:
            return
        if self._owner not in (-1, owner):
            yield "new id"
        elif before.get("producer id") == owner and (
            state["producer epoch"] > before["producer epoch"]
        ):
            yield "next epoch"
        self._owner = owner

    def _of_answer(self, operation: Operation, state: dict[str, Any]) -> Iterator[str]:
        how = operation["how"]
        told = _ends(state)
        if self._config["acks"]:
            yield from {
                "disconnect": ["disconnected"],
                "time out": ["timed out"],
                "mismatch": ["mismatch"],
            }.get(how, [])
        if state["metadata wanted"]:
            yield "metadata wanted"
        if self._config["max_in_flight"] == 1 and operation["throttle"] and how == "answer":
            yield "throttled"
        if any(isinstance(outcome, str) for _, outcome in told):
            yield "failed"
            if operation["refused"] and any(outcome == _KAFKA for _, outcome in told):
                yield "records refused"
        ended = self._before["batches in flight"] - state["batches in flight"]
        if not told and not ended:
            yield "answered late"
        if not told and ended and state["has undrained"] and how == "answer":
            yield "split" if 10 in operation["codes"] else "retried"
            if operation["codes"] == [45]:
                yield "out of order"
        if self._config["retries"] < 3 and any(isinstance(outcome, str) for _, outcome in told):
            yield "gave up"


def _ends(state: dict[str, Any]) -> list[list[Any]]:
    """What callbacks were told: the step of a record, and its outcome."""
    return [told for told in state.get(CALLBACKS, ()) if isinstance(told[0], int)]


def _of_plugins(operation: Operation, state: dict[str, Any]) -> Iterator[str]:
    if any(told[0] == "new batch" for told in state[CALLBACKS]):
        yield "asked again"
    replacements = operation.get("replacements", ())
    if any(isinstance(replacement, dict) for replacement in replacements):
        yield "replaced"
    if THROWS in replacements:
        yield "interceptor fails"


def _of_sequences(batches: list[Any]) -> Iterator[str]:
    for batch in batches:
        if len(batch) > _UNNUMBERED:
            yield "numbered"
            if batch[-1] + batch[2] > 2**31 - 1:
                yield "sequences wrap"
