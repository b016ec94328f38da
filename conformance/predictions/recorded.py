"""A simulation written down as a case of ``producer``, with what the simulator saw step by step.

The simulator decides when the sender makes its passes and when brokers answer. Its decisions are
the steps of the case, so any subject of that behaviour can be led through the same run.
"""

from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from conformance.behaviours.producing.accumulator_runs import CALLBACKS, outcome_of, value_of
from conformance.behaviours.producing.producer_runs import SETTINGS, owner_of, terms_of, text_of
from conformance.draws import DrawSource
from conformance.model.case import Case, Operation
from conformance.model.trace import Answer, Trace
from conformance.model.values import int64, thrown
from conformance.simulation.brokers import TOPIC
from conformance.simulation.loop import Call, Chance, Simulation
from conformance.simulation.measures import Batch, Record
from conformance.simulation.network import Request, Response
from conformance.simulation.partitioners import PARTITIONER_CLASS
from conformance.simulation.quantities import MILLISECOND, Micros
from conformance.simulation.scenario import Scenario
from conformance.strategies.producing.producer_configs import USUAL_PERCENT
from python_impl.errors import JavaError
from python_impl.producer.kafka_producer import Sent
from python_impl.producer.produce_request import NoResponse, ProduceRequest, ProduceResponse
from python_impl.producer.producer_batch import ProducerBatch
from python_impl.producer.producer_id import InitProducerIdRequest
from python_impl.producer.producer_id_requests import BlockingProducerIdRequests
from python_impl.producer.producer_settings import ProducerSettings
from python_impl.records.builder import MemoryRecordsBuilder

MEMORY: Final = "available memory"
REQUESTS: Final = "requests"
WOKEN: Final = "woken"
SEEN: Final = (MEMORY, REQUESTS, WOKEN, CALLBACKS)
"""What the simulator sees of the state after a step."""
NOT_TAKEN: Final = -1
"""The partition of a record that no batch took."""
LONGEST_MS: Final = 2**31 - 1
"""A wait without end, as a case says it."""


@dataclass(frozen=True, slots=True)
class Row:
    """What became of a record. ``batch`` tells batches apart, and only that; times are ms.

    ``sent_ms`` is when its batch was first sent with the sequences that it has at last. Of a record
    that failed, ``batch``, ``node`` and ``sent_ms`` are None.
    """

    partition: int
    ended_ms: int
    error: str | None = None
    batch: Any = None
    node: int | None = None
    sent_ms: int | None = None


@dataclass(slots=True)
class Recording:
    """A run: its case, when each step was (microseconds), and what the simulator saw.

    ``rows`` are of the records by the number of the step that sent them.
    """

    case: Case
    times_us: list[Micros] = field(default_factory=list)
    seen: Trace = field(default_factory=list)
    rows: dict[int, Row] = field(default_factory=dict)
    request_us: Micros = 0
    """What the sender took for each request that it sent."""
    waits_for_id: bool = False
    """Whether a pass that asks for a producer id has it before it goes on: up to 2.4."""


def recorded(scenario: Scenario) -> Recording:
    """Run a scenario and write it down.

    Raises ``ValueError`` for what a case cannot say: codecs whose bytes differ from Java's, sends
    that wait for memory, and runs that do not end.
    """
    settings = scenario.producer_settings()
    if settings.compression_type not in ("none", "gzip"):
        raise ValueError(f"not the same bytes as Java's: {settings.compression_type}")
    simulation = _Recorded(scenario)
    simulation.run()
    if not simulation.has_ended:
        raise ValueError("the simulation has not ended")
    return simulation.recording()


class _Values:
    """Values of a case, which tell by their bytes which step's they are."""

    def __init__(self, steps: list[Operation]) -> None:
        self._steps = steps

    def of_size(self, size: int) -> bytes:
        return value_of({"size": size}, len(self._steps)) or b""


class _Recorded(Simulation):
    """A simulation that writes down what it asks of the producer, and what that answers."""

    def __init__(self, scenario: Scenario) -> None:
        self._source = DrawSource()
        self._draws = Random(scenario.seed)
        self._steps: list[Operation] = []
        self._times_us: list[Micros] = []
        self._seen: Trace = []
        self._told: list[Answer] = []
        self._sent: list[Answer] = []
        self._open: list[ProduceRequest] = []
        self._records: dict[int, tuple[Record, int]] = {}
        self._offered: list[int] = []
        self._contents: dict[Batch, list[int]] = {}
        self._first_sent: dict[int, int] = {}
        self._sent_as: dict[Batch, int] = {}
        super().__init__(scenario)
        self._payload: Any = _Values(self._steps)
        self._settings = scenario.producer_settings()
        self._partitioner_class = scenario.settings.get(PARTITIONER_CLASS)
        self._partitions = [
            [info.partition, info.leader]
            for info in scenario.cluster.metadata().partitions_for_topic(TOPIC)
        ]

    def recording(self) -> Recording:
        """The run, after it has ended."""
        case: Case = {
            "config": config_of(self._settings, self._partitioner_class),
            "metadata": [[(TOPIC, self._partitions)]],
            "steps": self._steps,
        }
        rows = {index: self._row(*one) for index, one in self._records.items()}
        waits = issubclass(self._producer.sender_class.ids_class, BlockingProducerIdRequests)
        return Recording(case, self._times_us, self._seen, rows, self._request_us, waits)

    def _row(self, record: Record, partition: int) -> Row:
        ended_ms = record.ended_us // MILLISECOND
        if record.error is not None:
            taken = record.batch is not None
            return Row(partition if taken else NOT_TAKEN, ended_ms, record.error.java_class)
        batch = record.batch
        assert batch is not None  # it was delivered
        sent_ms = self._sent_as[batch]
        return Row(batch.partition, ended_ms, None, batch.number, batch.broker, sent_ms)

    # What the producer is asked.

    def _chance(self, seed: int) -> Chance:
        del seed
        return Chance(self._source, self._source.unit_double)

    def _offer(self, call: Call, partition: int | None, called_ms: int | None) -> Sent:
        record, key, value = call
        index = len(self._steps)

        def completed(at: int, offset: int, error: JavaError | None) -> None:
            self._told.append([index, outcome_of(offset, error)])
            record(at, offset, error)

        operation = self._begun("send", {"topic": TOPIC, "partition": partition, "key": key})
        now_ms = operation["now"]
        operation |= {"size": len(value), "arrivals": []}
        sent = self._producer.send(
            *(TOPIC, partition, key, value),
            now_ms=now_ms,
            timestamp=called_ms,
            completed=completed,
        )
        error = None if sent.error is None else sent.error.java_class
        self._records[index] = (record, sent.partition)
        self._offered.append(index)
        self._write(operation, [sent.partition, 0] if error is None else [error])
        return sent

    def _not_taken(self, *told: Any) -> None:
        super()._not_taken(*told)
        if self._blocked is not None:
            raise ValueError("a send waits for memory")

    def _pass(self, now_ms: int) -> int:
        nodes = range(len(self.brokers))
        unready = [
            [node, min(self.network.poll_delay_ms(node, now_ms), LONGEST_MS)]
            for node in nodes
            if not self.network.ready(node, now_ms)
        ]
        operation = self._begun("pass", {"unready": unready, "turns": []})
        self._note_contents()
        known = self.network.given_ids
        poll_ms = super()._pass(now_ms)
        given = range(known, self.network.given_ids)
        operation["turns"] = [["answer", 0, producer_id, 0] for producer_id in given]
        if self._settings.idempotent:
            self._told.sort(key=text_of)  # several may end at once, of which none is the first
        self._write(operation, [wait_of(poll_ms), self._sent, len(given)])
        self._sent = []
        return poll_ms

    def _note_contents(self) -> None:
        for index in self._offered:
            batch = self._records[index][0].batch
            if batch is not None:
                self._contents.setdefault(batch, []).append(index)
        self._offered.clear()

    def _requested(self, request: ProduceRequest) -> list[Batch]:
        batches = super()._requested(request)
        pairs = zip(batches, request.batches, strict=True)
        seen = sorted((self._batch(batch, own) for batch, own in pairs), key=_partition)
        self._sent.append([*terms_of(request), seen])
        self._open.append(request)
        return batches

    def _answered(self, request: Request, response: Response) -> JavaError | None:
        if isinstance(request, InitProducerIdRequest):
            # In a case the pass that asked tells the answer.
            return super()._answered(request, response)
        number = next(at for at, one in enumerate(self._open) if one is request)
        del self._open[number]
        how, codes, offsets = "answer", [0], [0]
        if isinstance(response, ProduceResponse):
            answers = response.partitions.values()
            codes = [one.code for one in answers]
            offsets = [one.base_offset for one in answers]
        elif isinstance(response, NoResponse) and response.timed_out:
            how = "time out"
        operation: Operation = {
            "op": "respond",
            "number": number,
            "how": how,
            "codes": codes,
            "offsets": offsets,
            "starts": [-1],
            "refused_of": 0,
            "refused": [],
            "throttle": 0,
            "now": self._now_us // MILLISECOND,
        }
        error = super()._answered(request, response)
        answer = len(request.batches) if error is None else thrown(error.java_class)
        self._write(operation, answer)
        return error

    # What is written.

    def _begun(self, kind: str, more: Operation) -> Operation:
        draw = [self._draws.getrandbits(32) - 2**31, self._draws.getrandbits(32)]
        self._source.begin(draw)
        now_ms = self._now_us // MILLISECOND
        return {"op": kind, **more, "now": now_ms, "metadata": 0, "epoch": -1, "draw": draw}

    def _write(self, operation: Operation, answer: Answer) -> None:
        values = (self.pool.available_memory, len(self._open), int(self.network.woken), self._told)
        self._told, self.network.woken = [], False
        self._steps.append(operation)
        self._times_us.append(self._now_us)
        step: Any = {"answer": answer, "state": dict(zip(SEEN, values, strict=True))}
        if "draw" in operation:
            step["draws"] = self._source.count
        self._source.begin(None)
        self._seen.append(step)

    def _batch(self, batch: Batch, own: ProducerBatch) -> list[Answer]:
        """A batch as the simulator knows it, with the checksum of what it has in it.

        ``own`` is the producer's, which tells only whose sequences it has.
        """
        records = self._contents[batch]
        checksum = self._checksum(records, own)
        self._sent_as[batch] = self._first_sent.setdefault(checksum, self._now_us // MILLISECOND)
        return [TOPIC, batch.partition, len(records), batch.size, checksum, *owner_of(own)]

    def _checksum(self, records: list[int], own: ProducerBatch) -> int:
        builder = MemoryRecordsBuilder(
            compression=self._settings.compression_type, write_limit=2**31 - 1
        )
        for index in records:
            operation = self._steps[index]
            builder.append(operation["now"], operation["key"], value_of(operation, index))
        if own.has_sequence:
            builder.set_producer_state(*own.producer_id_and_epoch, own.base_sequence, False)
        return int.from_bytes(builder.build()[17:21], "big", signed=True)


def wait_of(poll_ms: int) -> Answer:
    """For how long a pass would poll; all that is longer than a case can say is one."""
    return int64(min(poll_ms, LONGEST_MS))


def config_of(settings: ProducerSettings, partitioner: str | None) -> dict[str, Any]:
    """A producer's settings as a case has them, and its ``partitioner.class``."""
    told = {name: getattr(settings, field) for name, field in SETTINGS.items()}
    return {
        **told,
        "batch_size": max(1, settings.batch_size),
        "delivery_timeout_ms": settings.delivery_timeout,
        "idempotence": settings.idempotent,
        "estimated_percent": USUAL_PERCENT,
        "invalid_topic": None,
        "partitioner": partitioner,
    }


def _partition(batch: list[Answer]) -> Any:
    return batch[1]
