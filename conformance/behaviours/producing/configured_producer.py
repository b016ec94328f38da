"""What a ``KafkaProducer`` makes of its settings: which it refuses, and what it tells its parts.

Vocabulary of a case:

- ``{"op": "configure", "settings", "partitioner"}``: a producer with these settings, by Kafka's
  names, each a text as a user writes it; what is not there is the version's default. With
  ``partitioner`` it also has a ``partitioner.class``. Answers ``"refused"``, or what its
  accumulator, its buffer pool, its sender, its connections and it itself go by, in the order of
  :data:`PARTS`; null for what the version does not have.

The constructor is the only place where the settings become numbers of the parts; cases of
``accumulator`` and ``producer`` make these parts themselves.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

from conformance.model.behaviour import Behaviour, JavaPerformer, PortPerformer, stateless
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.dimension import numbers
from conformance.model.port import Port, ProducerRelease, release_of
from conformance.model.program import NULL, Linker, Mode, Program, boolean
from conformance.model.trace import Answer, Trace
from conformance.model.values import int64, is_error
from conformance.model.ways import Member, Way
from conformance.oracle.internals import CONFIGURED_PRODUCER, add_configured_producer
from conformance.oracle.kafka_classes import ACCUMULATOR, KAFKA_PRODUCER, PRODUCER_METADATA
from conformance.strategies.integers import INT32_MAX
from conformance.strategies.producing.settings_cases import DELIVERY, settings_cases

PARTS: Final = (
    *("batch.size", "linger.ms", "delivery.timeout.ms", "compression.type"),
    *("retry.backoff.ms", "retry.backoff.max.ms"),
    *("partitioner.adaptive.partitioning.enable", "partitioner.availability.timeout.ms"),
    *("memory of the pool", "size of its buffers"),
    *("backoff of ids (null: not idempotent)", "one owner of ids"),
    *("one request at a time", "max.request.size", "acks", "retries", "request.timeout.ms"),
    *("retry.backoff.ms of the sender", "max.in.flight.requests.per.connection"),
    *("max.request.size of send", "buffer.memory", "max.block.ms", "partitioner.ignore.keys"),
)
"""What an answer tells, in its order: the setting or what follows from it."""
REFUSED: Final = "refused"
_LINGER, _DELIVERY, _COMPRESSION, _OF_IDS, _IN_ORDER = map(
    PARTS.index,
    (
        *("linger.ms", "delivery.timeout.ms", "compression.type"),
        *("backoff of ids (null: not idempotent)", "one request at a time"),
    ),
)
_DELIVERY_DEFAULT: Final = 120_000


class ConfiguredProducer(Behaviour):
    """``ProducerConfig``, and what ``KafkaProducer``'s constructor and ``newSender`` do with it."""

    name = "configured-producer"
    summary = "settings that a producer refuses, defaults, and what its parts are told"
    ways = (
        Way(
            f"{KAFKA_PRODUCER}.newSender",
            (Member(PRODUCER_METADATA, "awaitUpdate"), Member(ACCUMULATOR, "lingerMs")),
            since="2.3",
        ),
    )
    arrived = "asked since 2.3, as all of the producer"
    meaning = (
        "A producer goes by other settings than it was told, or takes what Java refuses: it waits "
        "longer or less, gives up earlier or later, or is not idempotent where Java's is."
    )
    operations = ("configure",)
    tells = {"configure": f"[{', '.join(PARTS)}]"}
    typed = True
    words = (REFUSED,)
    for_testees = False  # it is about the Java producer's own parts
    weight = 0.6
    interesting = {
        "defaults": "nothing is told",
        "made": "a producer with several settings",
        REFUSED: "settings that the client refuses",
        "idempotent": "a producer that numbers its records",
        "not idempotent": "one that does not, though nobody says so",
        "in order": "one request at a time",
        "linger of years": "linger.ms beyond int32",
        "no batches": "batch.size 0, which is 1 since 3.3",
        "grown": "a delivery.timeout.ms that nobody told, and that had to grow",
        "alone": "a single setting that is refused",
        "compressed": "a codec",
        "partitioner": "a partitioner.class",
        "blanks": "a setting with blanks around it that is taken",
    }
    dimensions = (
        numbers(
            "settings",
            "settings that a producer is told",
            (0, 1, 4, 8, 12, 16),
            lambda case: (len(step["settings"]) for step in case["steps"]),
        ),
    )

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """A few producers each."""
        return settings_cases()

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        for operation, step in zip(case["steps"], trace, strict=True):
            if not is_error(step["answer"]):
                yield from _labels(operation, step["answer"])

    def place(self, operation: Operation, expected: Answer, answered: Answer) -> str:
        """The first part that was told something else."""
        if not (isinstance(expected, list) and isinstance(answered, list)):
            return ""
        pairs = zip(PARTS, expected, answered, strict=False)
        return next((part for part, one, other in pairs if one != other), "")

    def java(self, client: ClientVersion, link: Linker) -> "_JavaConfigured":
        return _JavaConfigured(link)

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        release: ProducerRelease = release_of(implementation, client)

        def configure(operation: Operation) -> Answer:
            try:
                settings = implementation.producer.ProducerSettings.of(
                    operation["settings"], client.version
                )
            except implementation.errors.JavaConfigError:
                return REFUSED
            partitioner = object() if operation["partitioner"] else None
            return _parts_of_port(release, settings, partitioner)

        return stateless(configure)


class _JavaConfigured(JavaPerformer):
    def __init__(self, link: Linker) -> None:
        add_configured_producer(link)
        texts = "[Ljava.lang.String;"
        self._parts = link.method(CONFIGURED_PRODUCER, "parts", texts, texts, "boolean")

    def program(self, case: Case) -> Program:
        program = Program()
        for operation in case["steps"]:
            settings = operation["settings"]
            told = program.texts([*settings]), program.texts([*settings.values()])
            partitioned = boolean(operation["partitioner"])
            program.call(self._parts, NULL, *told, partitioned, mode=Mode.ANSWER)
        return program


def _parts_of_port(release: Any, settings: Any, partitioner: object) -> Answer:
    """What the port's producer tells its parts: each of them tells what it was told.

    The sender's time is also that of requests for ids, and what no part is told is in the settings.
    """
    told: dict[str, dict[str, Any]] = {}

    def telling(part: str) -> Any:
        made: Callable[..., Any] = getattr(release.KafkaProducer, part)

        def make(*arguments: Any, **named: Any) -> Any:
            told[part] = named | {"arguments": arguments}
            return made(*arguments, **named)

        return staticmethod(make)

    parts = "pool_class", "accumulator_class", "sender_class"
    watched = type("Watched", (release.KafkaProducer,), {part: telling(part) for part in parts})
    producer: Any = watched(settings, None, None, partitioner=partitioner)
    pool, accumulator, sender = (told[part] for part in parts)
    owner = producer.transactions
    adaptive = accumulator.get("adaptive")
    backoff_ms, most_ms, available_ms = _backoff_of(producer.accumulator, accumulator)
    return [
        *(accumulator["batch_size"], accumulator["linger_ms"]),
        *(accumulator["delivery_timeout_ms"], accumulator["compression"]),
        *(int64(backoff_ms), most_ms),
        *(None if adaptive is None else int(adaptive), available_ms),
        *(int64(pool["arguments"][0]), pool["arguments"][1]),
        None if owner is None else int64(sender["retry_backoff_ms"]),
        int(owner is accumulator["transactions"] and owner is sender["transactions"]),
        int(sender["max_in_flight"] == 1),
        *(sender["max_request_size"], sender["acks"], sender["retries"]),
        *(sender["request_timeout_ms"], int64(sender["retry_backoff_ms"])),
        *(sender["max_in_flight"], settings.max_request_size, int64(settings.buffer_memory)),
        int64(settings.max_block_ms),
        None if adaptive is None else int(settings.partitioner_ignore_keys),
    ]


def _backoff_of(made: Any, told: dict[str, Any]) -> tuple[int, Answer, Answer]:
    """How long an accumulator waits before a retry, at most, and for a node that is late (ms)."""
    if "availability_timeout_ms" not in told:
        return told["retry_backoff_ms"], None, None
    backoff = made.retry_backoff
    available_ms = told["availability_timeout_ms"]
    return backoff.initial_ms, int64(backoff.max_ms), int64(available_ms)


def _labels(operation: Operation, answer: Answer) -> Iterator[str]:
    settings = operation["settings"]
    if answer == REFUSED:
        yield REFUSED
        if len(settings) == 1:
            yield "alone"
    else:
        yield from _labels_of_made(operation, answer)


def _labels_of_made(operation: Operation, answer: Answer) -> Iterator[str]:
    settings = operation["settings"]
    yield from _labels_of_numbers(settings, answer)
    if len(settings) > 1:
        yield "made"
    if not settings:
        yield "defaults"
    if answer[_OF_IDS] is not None:
        yield "idempotent"
    elif "enable.idempotence" not in settings:
        yield "not idempotent"
    if answer[_IN_ORDER]:
        yield "in order"
    if answer[_COMPRESSION] != "none":
        yield "compressed"
    if operation["partitioner"]:
        yield "partitioner"
    if any(text != text.strip() for text in settings.values()):
        yield "blanks"


def _labels_of_numbers(settings: dict[str, str], answer: Answer) -> Iterator[str]:
    # A text that is taken has zeros and digits after blanks, a sign, or characters that are none.
    if answer[_LINGER] == INT32_MAX and str(INT32_MAX) not in settings["linger.ms"]:
        yield "linger of years"
    if not settings.get("batch.size", "1").strip("\x01\x1f\t +0"):
        yield "no batches"
    if DELIVERY not in settings and answer[_DELIVERY] > _DELIVERY_DEFAULT:
        yield "grown"
