"""``KafkaProducer`` and its ``Sender``: records that are sent, requests, answers, callbacks.

Vocabulary of a case. All times are ms on a clock that starts at 0, all sizes bytes:

- ``config``: settings under Kafka's names with underscores for dots; ``partitioner`` is the name of
  a class of Kafka's own, ``own`` for one that is not, or null for the built-in one (before 3.3:
  ``DefaultPartitioner``);
  ``estimated_percent`` is to how much of their size batches of a topic are thought to be compressed
  before the first one. ``invalid_topic`` is a topic whose name metadata call invalid, or null.
  ``idempotence`` is ``enable.idempotence``.
- ``{"op": "send", "topic", "partition", "key", "size", "now", "metadata", "epoch", "draw"}``: a
  record with a value of ``size`` bytes (null: none), perhaps with a ``timestamp`` of its own (an
  int64 as text), and a ``header`` of so many bytes. Answers the partition it went to, or the error
  that its callback and its future are told; and for how long it waited for metadata. ``arrivals``
  are ``[now, metadata]`` that come then, if somebody waits for them, perhaps with ``unauthorized``
  or ``invalid`` and the topic that they tell it of. ``replacements`` say what two interceptors do
  with the record, in turn: nothing (null), ``throws``, hand on null (``no record``) or a record
  with another ``topic``, ``partition`` and ``key``. ``answers`` are those of the ``own``
  partitioner, when it is asked and when it is asked again; null: it throws. ``refuses`` names the
  ``key`` or ``value`` that its serializer refuses, or the ``class of key`` or ``class of value``
  that it does not know, or the ``authorization of key`` that it lacks (a
  ``ClusterAuthorizationException``); with ``callback`` the record's callback throws. It may be null
  or missing.
- ``{"op": "pass", "now", "metadata", "epoch", "unready", "turns", "draw"}``: one pass of the loop.
  ``unready`` are nodes that cannot be sent to, each with how long to wait for it. ``turns`` are
  what comes of requests for a producer id, in turn: ``[kind, code, id, epoch]`` with the kinds
  ``answer``, ``disconnect``, ``mismatch``, ``no node`` to ask, and ``no connection`` to it. A node
  with ``max_in_flight`` requests on their way cannot be sent to, either. Answers for how long the
  sender would poll; the requests in their order: node, whether it answers, acks, for how long (ms)
  it may wait for replicas and the client for it, and of each batch topic, partition, records, bytes
  and checksum, and if it is numbered producer id, epoch and first sequence; how many requests for
  an id were sent; and for how long the sender slept.
- ``{"op": "respond", "number", "how", "codes", "offsets", "starts", "refused_of", "refused",
  "throttle", "now"}``: a request ends, the one of that number among those that have not. ``how`` is
  ``answer`` (each partition in turn gets the next code, first offset and start of its log; in the
  one at place ``refused_of`` the records of places ``refused`` are named as wrong),
  ``disconnect``, ``time out`` or ``mismatch``. Answers how many partitions it had; null if no
  request is on its way.
- ``{"op": "skip", "topic", "partition", "count"}``: as if that many records had been sent to a
  partition before, so that its sequences may wrap; null if the producer is not idempotent.
- ``flush`` and ``end flush``, ``close`` (no more records; passes go on) and ``force close``.

After each step ``state`` has the free memory, whether batches wait, whether any has not ended,
requests and batches on their way, whether metadata were asked for, whether the sender was woken,
and the producer's id and epoch; ``callbacks`` what was told: a record's step, then offset or error;
what an interceptor was told, ``acknowledged``, partition and offset or error; and what the ``own``
partitioner was told, ``new batch`` and the partition that was left (in the order of
their text after a pass of an idempotent producer, which may give up many batches at once); and
after ``pass`` the load stats of each topic.
"""

from collections.abc import Collection, Iterator
from functools import partial
from typing import Final

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.partitioning.keyed import has_default_partitioner
from conformance.behaviours.producing.accumulator_runs import let_go
from conformance.behaviours.producing.dimensions import PRODUCER_DIMENSIONS
from conformance.behaviours.producing.histories import JavaHistories, on_port, tells_of
from conformance.behaviours.producing.producer_labels import (
    CLASSES,
    OF_CHOICE,
    OF_EPOCHS,
    OF_RECORD_ERRORS,
    OF_STATES,
    producer_labels,
)
from conformance.behaviours.producing.producer_operations import OPERATIONS
from conformance.behaviours.producing.producer_runs import STATE, JavaRun, PortRun, Symbols
from conformance.model.behaviour import Behaviour, JavaPerformer, PortPerformer
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.port import Port, ProducerRelease, release_of
from conformance.model.program import Linker
from conformance.model.trace import Trace
from conformance.model.ways import Member, Way
from conformance.oracle.kafka_classes import (
    KAFKA_PRODUCER,
    PRODUCER_METADATA,
    REQUESTS,
    SENDER,
    TRANSACTION_MANAGER,
)
from conformance.strategies.producing.producer_cases import producer_cases

_LATER: Final = (
    (
        OF_RECORD_ERRORS,
        Way(f"{REQUESTS}.ProduceResponse$PartitionResponse.recordErrors", (), "2.4"),
    ),
    (OF_EPOCHS, Way(f"{TRANSACTION_MANAGER}.bumpIdempotentEpochAndResetIdIfNeeded", (), "2.5")),
    (OF_STATES, Way(f"{TRANSACTION_MANAGER}.maybeAddPartition", (), "3.1")),
)
"""Classes of cases that only later releases can belong to, by what those have."""


class Producer(Behaviour):
    """A producer from a record to its callback."""

    name = "producer"
    summary = "send, the sender's passes, requests, retries, splits, expiry, callbacks"
    ways = (Way(f"{SENDER}.runOnce", (Member(PRODUCER_METADATA, "awaitUpdate"),), since="2.3"),)
    arrived = "asked since 2.3, which gave producers metadata of their own"
    meaning = (
        "A producer sends other requests than Java's, or at other times, or tells its callbacks "
        "something else: records are late, out of order, lost without an error, or sent twice."
    )
    operations = tuple(OPERATIONS)
    tells = tells_of(OPERATIONS)
    typed = True
    for_testees = False  # it is about the Java producer's own parts
    weight = 0.6
    interesting = CLASSES
    dimensions = PRODUCER_DIMENSIONS

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Histories on one clock."""
        return producer_cases(partitioners=partitioners_of(client))

    def classes_of(self, client: ClientVersion) -> Collection[str]:
        """See :class:`Behaviour`: up to 3.2 the accumulator chooses no partition."""
        without: set[str] = set() if client.shows("built-in") else {*OF_CHOICE}
        if not client.shows("sticky"):  # 2.4 to 3.9
            without.add("asked again")
        for classes, way in _LATER:
            if way.is_later_than(client.version):
                without |= {*classes}
        return [name for name in self.interesting if name not in without]

    def java_method(self, client: ClientVersion, operation: Operation) -> str:
        of_producer = operation["op"] == "send"
        owner = KAFKA_PRODUCER if of_producer else SENDER
        return f"{owner}.{OPERATIONS[operation['op']].java_method}"

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        return producer_labels(case, trace)

    def java(self, client: ClientVersion, link: Linker) -> JavaPerformer:
        return JavaHistories(OPERATIONS, STATE, partial(JavaRun, Symbols(link, OPERATIONS)))

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        release: ProducerRelease = release_of(implementation, client)

        def perform(case: Case) -> Trace:
            run = PortRun(implementation, release, case)
            trace = on_port(OPERATIONS, run, case)
            let_go(run)
            return trace

        return perform


def partitioners_of(client: ClientVersion) -> tuple[str, ...]:
    """Kafka's own classes that can be a ``partitioner.class``, beside the default."""
    named = []
    if client.shows("round-robin"):
        named.append("org.apache.kafka.clients.producer.RoundRobinPartitioner")
    if client.shows("uniform-sticky"):
        named.append("org.apache.kafka.clients.producer.UniformStickyPartitioner")
    if client.shows("built-in") and has_default_partitioner(client):
        named.append("org.apache.kafka.clients.producer.internals.DefaultPartitioner")
    return tuple(named)
