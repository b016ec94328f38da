"""One history of a producer on its way: into a program for a real client, and on a port."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from conformance.behaviours.partitioning.partitioner_history import LedClusters
from conformance.behaviours.producing.accumulator_runs import (
    CALLBACKS,
    ENDED,
    LOADS,
    Asked,
    loads_of,
    outcome_of,
    seen_of,
    value_of,
)
from conformance.behaviours.producing.producer_ids import IdTurns
from conformance.behaviours.producing.producer_plugins import PortPlugins
from conformance.draws import DrawSource
from conformance.model.case import Case, Operation
from conformance.model.port import Port, ProducerRelease
from conformance.model.program import NULL, Argument, Linker, boolean, integer, long, slot
from conformance.model.trace import Answer
from conformance.model.values import int64
from conformance.oracle.internals import PRODUCER_HISTORY, add_producer_history
from conformance.oracle.kafka import ClusterSymbols, KafkaProgram
from conformance.oracle.kafka_classes import BYTES, CLUSTER, STRING
from conformance.strategies.producing.producer_steps import CALLBACK, OWN_PARTITIONER
from conformance.utf16 import utf16

STATE: Final = (
    *("available memory", "has undrained", "has incomplete", "requests", "batches in flight"),
    *("metadata wanted", "woken", "producer id", "producer epoch"),
)
_INTS: Final = ("max_request_size", "max_in_flight", "acks", "retries", "request_timeout_ms")
_NEW: Final = (
    *("int", "int", "long", "long", "long", "int", "boolean", "long"),
    *("int",) * len(_INTS),
    *("long", "boolean", STRING, STRING, STRING, "boolean"),
)
_FORBIDDEN: Final = "org.apache.kafka.common.errors.ClusterAuthorizationException"
"""What a producer does not get over that numbers its records."""
LAST_ID: Final = 1000
"""The first id that a producer gets that waits for one when all turns are over; as in Java."""
SETTINGS: Final[Mapping[str, str]] = {
    **{name: name for name in ("acks", "batch_size", "buffer_memory", "delivery_timeout_ms")},
    **{name: name for name in ("linger_ms", "max_block_ms", "max_request_size", "retries")},
    **{name: name for name in ("request_timeout_ms", "retry_backoff_ms", "retry_backoff_max_ms")},
    "adaptive": "partitioner_adaptive_partitioning_enable",
    "availability_timeout_ms": "partitioner_availability_timeout_ms",
    "compression": "compression_type",
    "idempotence": "enable_idempotence",
    "ignore_keys": "partitioner_ignore_keys",
    "max_in_flight": "max_in_flight_requests_per_connection",
}
"""By the names that a case's ``config`` has for them, the fields of a port's settings."""
TURNS: Final = ("answer", "disconnect", "mismatch", "no node", "no connection")
"""What comes of a request for a producer id, by the numbers of ``ProducerIds``."""
_NEVER_MS: Final = 2**63 - 1
NODE_PORT: Final = 0
"""As in the real clients' metadata: see ``KafkaProgram``."""


class Symbols:
    """What operations call of a real client, linked once."""

    def __init__(self, link: Linker, operations: Mapping[str, Asked]) -> None:
        self.cluster = ClusterSymbols(link)
        add_producer_history(link)
        self.new = link.constructor(PRODUCER_HISTORY, *_NEW)
        self.estimate = link.method(PRODUCER_HISTORY, "estimate", STRING, STRING, "int")
        self.state = link.method(PRODUCER_HISTORY, "state")
        self.arrival = link.method(PRODUCER_HISTORY, "arrival", "long", CLUSTER, STRING, STRING)
        self.replacement = link.method(PRODUCER_HISTORY, "replacement", STRING, "int", BYTES, BYTES)
        self.answers = link.method(PRODUCER_HISTORY, "answers", "[I")
        self.observed = {
            CALLBACKS: link.method(PRODUCER_HISTORY, "told"),
            ENDED: link.method(PRODUCER_HISTORY, "toldInAnyOrder"),
            LOADS: link.method(PRODUCER_HISTORY, "loads"),
        }
        self.asked = {
            name: link.method(PRODUCER_HISTORY, performed.asks, *performed.types)
            for name, performed in operations.items()
        }


class JavaRun:
    """One case on its way into a program."""

    def __init__(self, symbols: Symbols, case: Case) -> None:
        self.symbols = symbols
        self.program = program = KafkaProgram(symbols.cluster)
        history = program.new_slot()
        self.history = slot(history)
        self._metadata = case["metadata"]
        config = case["config"]
        partitioner = config["partitioner"]
        program.call(
            symbols.new,
            NULL,
            *(integer(config["batch_size"]), integer(config["linger_ms"])),
            *(long(config["buffer_memory"]), long(config["retry_backoff_ms"])),
            *(long(config["retry_backoff_max_ms"]), integer(config["delivery_timeout_ms"])),
            *(boolean(config["adaptive"]), long(config["availability_timeout_ms"])),
            *(integer(config[name]) for name in _INTS),
            *(long(config["max_block_ms"]), boolean(config["ignore_keys"])),
            NULL if partitioner is None else program.topic(partitioner),
            program.topic(config["compression"]),
            program.topic(config["invalid_topic"]),
            boolean(config["idempotence"]),
            into=history,
        )
        if config["compression"] != "none":
            told = program.topic(config["compression"]), integer(config["estimated_percent"])
            for topic in sorted(set(_sent_to(case)), key=utf16):
                program.call(symbols.estimate, self.history, program.topic(topic), *told)

    def begin(self, draw: tuple[int, int]) -> None:
        """What the step may draw."""
        self.program.seed(*draw)

    def cluster(self, index: int) -> Argument:
        """Metadata of the case."""
        return self.program.cluster(self._metadata, index)

    def contents(self, record: Operation, index: int) -> tuple[Argument, ...]:
        """Topic, partition, key and value of a record."""
        program = self.program
        partition = -1 if record["partition"] is None else record["partition"]
        data = program.data(record["key"]), program.data(value_of(record, index))
        return (program.topic(record["topic"]), integer(partition), *data)


def _sent_to(case: Case) -> Iterator[str]:
    """The topics of all records, those included that interceptors hand on instead."""
    for step in case["steps"]:
        if step["op"] == "send":
            replacements = [one for one in step.get("replacements", ()) if isinstance(one, dict)]
            yield from (record["topic"] for record in (step, *replacements))


def _ratios(release: ProducerRelease, case: Case) -> Any:
    """To how much of their size batches are thought to be compressed at first."""
    ratios, config = release.CompressionRatioEstimator(), case["config"]
    if config["compression"] != "none":
        for topic in set(_sent_to(case)):
            ratios.set_estimation(topic, config["compression"], config["estimated_percent"] / 100)
    return ratios


class PortRun:
    """One case on the port; its own connections to the cluster are what the steps say."""

    def __init__(self, implementation: Port, release: ProducerRelease, case: Case) -> None:
        config = case["config"]
        self.source = DrawSource()
        self.chooses = hasattr(release, "BuiltInPartitioner")
        """Whether the accumulator chooses partitions: from 3.3 on."""
        self.producing = implementation.producer
        self._errors = implementation.errors
        self.clusters = LedClusters(implementation, case["metadata"])
        self.topics: set[str] = set()
        self.unready: dict[int, int] = {}
        self.sent: list[Any] = []
        self.open: list[Any] = []
        self.arrivals: list[list[Any]] = []
        self.refuses: str | None = None
        """What a serializer does not take now."""
        self._max_in_flight = config["max_in_flight"]
        self.ids = IdTurns()
        self.in_any_order = False
        """Whether several batches may have ended at once, of which none is the first."""
        self.epoch = -1
        self._woken = False
        self._told: list[list[Any]] = []
        self.plugins = PortPlugins(self._errors, self._tell)
        self._known = 0
        invalid = config["invalid_topic"]
        self._invalid_topics = () if invalid is None else (invalid,)
        self.metadata: Any = self.producing.ProducerMetadata(
            self.clusters[0],
            leader_epoch=self._leader_epoch,
            invalid_topics=self._invalid_topics,
            address=lambda _: ("localhost", NODE_PORT, None),
        )
        name = config["partitioner"]
        partitioner = None if name is None else self._partitioner(release, name.rpartition(".")[2])
        self.producer: Any = release.KafkaProducer(
            self.producing.ProducerSettings(
                **{field: config[name] for name, field in SETTINGS.items()}
            ),
            self.metadata,
            self,
            partitioner=partitioner,
            interceptors=self.plugins.interceptors(),
            key_serializer=partial(self._serialized, "key"),
            value_serializer=partial(self._serialized, "value"),
            random=self.source,
            jitter=self.source.unit_double,
            wait_for_metadata=self._wait_for_metadata,
            ratios=_ratios(release, case),
        )
        self.metadata.update_requested = False
        if self.producer.transactions is not None:  # a real client is not asked by its I/O thread
            self.producer.transactions.poisons_state_on_invalid_transition = False

    def _partitioner(self, release: Any, name: str) -> Any:
        if name == OWN_PARTITIONER:
            return self.plugins
        made = getattr(release, name)
        return made() if name == "RoundRobinPartitioner" else made(random=self.source)

    # What the producer asks its serializers and connections.

    def _serialized(self, what: str, topic: str, data: bytes | None) -> bytes | None:
        del topic
        if self.refuses == what:
            raise self._errors.JavaSerializationError("told to")
        if self.refuses == f"authorization of {what}":
            refusal = self._errors.JavaApiError("told to")
            refusal.java_class = _FORBIDDEN
            raise refusal
        if self.refuses == f"class of {what}":
            raise TypeError("told to")
        return data

    def ready(self, node: int, now_ms: int) -> bool:
        """Whether a node can be sent to, which takes so many requests at a time and no more."""
        del now_ms
        on_their_way = sum(request.node == node for request in self.open)
        return node not in self.unready and on_their_way < self._max_in_flight

    def poll_delay_ms(self, node: int, now_ms: int) -> int:
        """How long to wait for one that cannot: an answer will wake who waits for a full one."""
        del now_ms
        return self.unready.get(node, _NEVER_MS)

    def send(self, request: Any, now_ms: int) -> None:
        """A request is on its way."""
        del now_ms
        if isinstance(request, self.producing.InitProducerIdRequest):
            self.ids.send(request)
            return
        self.sent.append(request)
        self.open.append(request)

    def least_loaded_node(self, now_ms: int) -> int | None:
        """A node to ask for a producer id."""
        del now_ms
        return None if self.ids.takes("no node") else 0

    def connect(self, node: int, now_ms: int) -> bool:
        """Whether it can be asked."""
        del node, now_ms
        return not self.ids.takes("no connection")

    def send_and_receive(self, request: Any, now_ms: int) -> Any:
        """Its answer, which is waited for."""
        del now_ms
        self.ids.send(request)
        answer = self.ids.answer(self.producing)
        self.ids.open = None
        if answer is not None:
            return answer
        self.ids.waited_for += 1
        return self.producing.InitProducerIdResponse(0, LAST_ID + self.ids.waited_for - 1, 0)

    def sleep(self, ms: int) -> None:
        """The sender does nothing."""
        self.ids.slept_ms += ms

    def poll_ids(self) -> None:
        """Give the sender what has come of its request for a producer id."""
        request = self.ids.open
        if request is None:
            return
        answer = self.ids.answer(self.producing)
        if answer is not None:
            self.ids.open = None
            self.producer.sender.handle_init_producer_id_response(request, answer)

    def wakeup(self) -> None:
        """The sender is woken."""
        self._woken = True

    def completed(self, index: int) -> Any:
        """The callback of the record of a step."""

        throws = self.refuses == CALLBACK

        def tell(partition: int, offset: int, error: Any) -> None:
            del partition
            self._told.append([index, outcome_of(offset, error)])
            if throws:
                raise self._errors.JavaIllegalStateError("told to")

        return tell

    def _tell(self, told: list[Any]) -> None:
        self._told.append(told)

    # Metadata.

    def use(self, operation: Operation) -> None:
        """The metadata that a step sees."""
        self.epoch = operation["epoch"]
        self._use(operation["metadata"])

    def _use(self, index: int) -> None:
        if index != self._known:
            self._update(index)

    def _update(
        self, index: int, unauthorized: Sequence[str] = (), invalid: Sequence[str] = ()
    ) -> None:
        """Metadata have come; whether others are wanted is told by what the producer asks for."""
        metadata, wanted = self.metadata, self.metadata.update_requested
        self._known = index
        metadata.update(
            self.clusters[index],
            unauthorized=unauthorized,
            invalid=(*self._invalid_topics, *invalid),
        )
        metadata.update_requested = wanted

    def _leader_epoch(self, topic: str, partition: int) -> int | None:
        there = self.epoch >= 0 and self.clusters.has(self._known, topic, partition)
        return self.epoch if there else None

    def _wait_for_metadata(self, topic: str, deadline_ms: int) -> int | None:
        del topic
        if not self.arrivals or self.arrivals[0][0] > deadline_ms:
            return None
        now_ms, index, *error = self.arrivals.pop(0)
        self._update(index, **({error[0]: error[1:]} if error else {}))
        return int(now_ms)

    # What is seen.

    def state(self, observes: tuple[str, ...]) -> dict[str, Answer]:
        """What :data:`STATE` names, and what else is observed after a step."""
        producer, metadata, accumulator = self.producer, self.metadata, self.producer.accumulator
        values = (
            *(producer.pool.available_memory, int(accumulator.has_undrained)),
            *(int(accumulator.has_incomplete), len(self.open), producer.sender.in_flight_count),
            *(int(metadata.update_requested), int(self._woken), *self._owner()),
        )
        metadata.update_requested = self._woken = False
        state: dict[str, Answer] = dict(zip(STATE, values, strict=True))
        for observed in observes:
            if observed == LOADS:
                state[LOADS] = loads_of(producer.accumulator, self.topics) if self.chooses else []
            else:
                any_order = observed == ENDED or self.in_any_order
                state[observed] = sorted(self._told, key=text_of) if any_order else self._told
                self._told, self.in_any_order = [], False
        return state

    def _owner(self) -> tuple[int, int]:
        transactions = self.producer.transactions
        return (-1, -1) if transactions is None else tuple(transactions.producer_id_and_epoch)

    def requests(self) -> list[Answer]:
        """The requests of a pass, as both sides tell them."""
        seen: list[Answer] = []
        for request in self.sent:
            batches = sorted((owned(batch) for batch in request.batches), key=_place)
            seen.append([*terms_of(request), batches])
        return seen


def terms_of(request: Any) -> list[Answer]:
    """A request without its batches, as both sides tell it."""
    waits_ms = request.timeout_ms  # for replicas, and the client for the node
    return [request.node, int(request.expects_response), request.acks, waits_ms, waits_ms]


def owned(batch: Any) -> list[Answer]:
    """A batch as both sides tell it, and whose it is, if anybody's."""
    return [*seen_of(batch), *owner_of(batch)]


def owner_of(batch: Any) -> list[Answer]:
    """A batch's producer id, epoch and first sequence; nothing of one that is nobody's."""
    producer_id, epoch = batch.producer_id_and_epoch
    if producer_id == -1 and batch.base_sequence == -1:
        return []
    return [int64(producer_id), epoch, batch.base_sequence]


def text_of(told: list[Any]) -> bytes:
    """A callback as Java writes it down, to sort by where several may end in any order."""
    shown = ", ".join(str(one.value) if hasattr(one, "value") else str(one) for one in told)
    return utf16(f"[{shown}]")


def _place(batch: Any) -> tuple[Any, int]:
    return utf16(batch[0]), batch[1]
