"""The operations of a producer's histories, each in one place.

What an operation is, and what its members mean, is told in :mod:`.producer`.
"""

from typing import Any, Final

from conformance.behaviours.producing.accumulator_operations import end_flush
from conformance.behaviours.producing.accumulator_runs import (
    CALLBACKS,
    ENDED,
    LOADS,
    value_of,
)
from conformance.behaviours.producing.histories import Performed, Plain
from conformance.behaviours.producing.producer_runs import TURNS, JavaRun, PortRun
from conformance.model.case import Operation
from conformance.model.program import NULL, Argument, integer, integers, long
from conformance.model.trace import Answer
from conformance.model.values import int64
from conformance.oracle.kafka_classes import BYTES, CLUSTER, STRING
from conformance.strategies.integers import INT32_MIN, INT64_MIN
from conformance.strategies.producing.producer_steps import ERRORS, NO_RECORD, REFUSALS, THROWS
from conformance.utf16 import utf16

_HANDED_ON: Final = {THROWS: INT32_MIN, NO_RECORD: INT32_MIN + 1}
"""What stands for a replacement's partition where there is none, in ``ProducerPlugins.java``."""


class Send(Performed[JavaRun, PortRun]):
    """A record."""

    java_method = asks = "send"
    observes = (CALLBACKS,)
    types = ("int", STRING, "int", BYTES, BYTES, "long", "int", CLUSTER, "long", "int", "int")
    tells = "[partition, ms that it waited for metadata], or [the error of the record]"

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        for at, known, *error in operation["arrivals"]:
            kind, topic = error or (None, None)
            told = (run.program.topic(topic) if kind == one else NULL for one in ERRORS)
            arrival = long(at), run.cluster(known), *told
            run.program.call(run.symbols.arrival, run.history, *arrival)
        self._plug(run, index, operation)
        seen = run.cluster(operation["metadata"]), long(operation["now"])
        timestamp = int(operation.get("timestamp", INT64_MIN))
        more = long(timestamp), integer(operation.get("header", -1))
        record = *run.contents(operation, index), *more
        refuses = integer(REFUSALS.index(operation.get("refuses")))
        return (integer(index), *record, *seen, integer(operation["epoch"]), refuses)

    def _plug(self, run: JavaRun, index: int, operation: Operation) -> None:
        """What interceptors and a partitioner of our own do with the record."""
        program = run.program
        for replacement in operation.get("replacements", ()):
            if isinstance(replacement, dict):
                given = run.contents({**replacement, "size": operation["size"]}, index)
            else:
                given = NULL, integer(_HANDED_ON.get(replacement, -1)), NULL, NULL
            program.call(run.symbols.replacement, run.history, *given)
        answers = operation.get("answers")
        if answers is not None:
            numbers = [INT32_MIN if answer is None else answer for answer in answers]
            program.call(run.symbols.answers, run.history, integers(numbers))

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        run.use(operation)
        run.topics.add(operation["topic"])
        run.arrivals = [*operation["arrivals"]]
        run.refuses = operation.get("refuses")
        run.plugins.begin(operation)
        sent = run.producer.send(
            *(operation["topic"], operation["partition"], operation["key"]),
            value_of(operation, index),
            _headers(operation),
            now_ms=operation["now"],
            timestamp=int(operation["timestamp"]) if "timestamp" in operation else None,
            completed=run.completed(index),
        )
        if sent.error is not None:
            return [sent.error.java_class]
        return [sent.partition, sent.waited_ms]


def _headers(operation: Operation) -> list[tuple[str, bytes]]:
    """A header of so many bytes, if the record has one."""
    return [("h", bytes(operation["header"]))] if "header" in operation else []


class Pass(Performed[JavaRun, PortRun]):
    """A pass of the sender's loop."""

    java_method, asks = "runOnce", "pass"
    types = ("long", CLUSTER, "int", "[I", "[I", "[I")
    observes = CALLBACKS, LOADS
    tells = (
        "[ms until the next pass, requests, requests for producer ids, ms slept]; a request is "
        "[node, an answer is expected, acks, ms for replicas, ms until the client gives up, "
        "batches], a batch [topic, partition, records, bytes, checksum], and if it is numbered "
        "[..., producer id, epoch, first sequence]"
    )

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        seen = long(operation["now"]), run.cluster(operation["metadata"])
        nodes = [node for node, _ in operation["unready"]]
        delays = [delay for _, delay in operation["unready"]]
        turns = [
            number for how, *rest in operation["turns"] for number in (TURNS.index(how), *rest)
        ]
        arrays = integers(nodes), integers(delays), integers(turns)
        return (*seen, integer(operation["epoch"]), *arrays)

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        run.use(operation)
        run.unready = dict(operation["unready"])
        run.sent = []
        run.ids.begin(operation["turns"])
        run.in_any_order = run.producer.transactions is not None
        poll_ms = run.producer.run_once(operation["now"])
        run.poll_ids()
        return [int64(poll_ms), run.requests(), run.ids.sent, run.ids.slept_ms]


class Respond(Performed[JavaRun, PortRun]):
    """The end of a request; null if none is on its way."""

    java_method, asks = "handleProduceResponse", "respond"
    observes = (CALLBACKS,)
    types = ("int", STRING, "[I", "[I", "[I", "int", "[I", "int", "long")

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        return (
            integer(operation["number"]),
            run.program.topic(operation["how"]),
            *(integers(operation["codes"]), integers(operation["offsets"])),
            integers(operation["starts"]),
            *(integer(operation["refused_of"]), integers(operation["refused"])),
            *(integer(operation["throttle"]), long(operation["now"])),
        )

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        if not run.open:
            return None
        request = run.open.pop(operation["number"] % len(run.open))
        response = self._response(run, operation, request)
        run.producer.sender.handle_produce_response(request, response, operation["now"])
        return len(request.batches)

    def _response(self, run: PortRun, operation: Operation, request: Any) -> Any:
        how, producing = operation["how"], run.producing
        if how != "answer" or not request.expects_response:
            return producing.NoResponse(
                disconnected=how == "disconnect",
                timed_out=how == "time out",
                version_mismatch=how == "mismatch",
            )
        places = sorted(
            ((batch.topic, batch.partition) for batch in request.batches),
            key=lambda at: (utf16(at[0]), at[1]),
        )
        codes, offsets, starts = operation["codes"], operation["offsets"], operation["starts"]
        return producing.ProduceResponse(
            {
                at: producing.PartitionResponse(
                    codes[number % len(codes)],
                    offsets[number % len(offsets)],
                    operation["refused"] if number == operation["refused_of"] else (),
                    starts[number % len(starts)],
                )
                for number, at in enumerate(places)
            },
            operation["throttle"],
        )


class Skip(Performed[JavaRun, PortRun]):
    """Sequences of a partition that are used up; null if there are none."""

    java_method, asks = "runOnce", "skip"
    observes = (CALLBACKS,)
    types = (STRING, "int", "int")

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        topic = run.program.topic(operation["topic"])
        return topic, integer(operation["partition"]), integer(operation["count"])

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        transactions = run.producer.transactions
        if transactions is None:
            return None
        at = operation["topic"], operation["partition"]
        transactions.sequence_number(at)
        transactions.increment_sequence_number(at, operation["count"])
        return 1


OPERATIONS: Final[dict[str, Performed[JavaRun, PortRun]]] = {
    "send": Send(),
    "pass": Pass(),
    "respond": Respond(),
    "skip": Skip(),
    "flush": Plain(
        "wakeup", "flush", lambda run: run.producer.accumulator.begin_flush(), (CALLBACKS,)
    ),
    "end flush": Plain(
        "wakeup", "endFlush", lambda run: end_flush(run.producer.accumulator), (CALLBACKS,)
    ),
    "close": Plain(
        "initiateClose", "close", lambda run: run.producer.sender.initiate_close(), (CALLBACKS,)
    ),
    "force close": Plain(
        "forceClose", "forceClose", lambda run: run.producer.sender.force_close(), (ENDED,)
    ),
}
"""By the ``op`` of a step."""
