"""``RecordAccumulator``: batches that open, fill, wait, leave, and come back.

Vocabulary of a case. All times are ms on a clock that starts at 0, all sizes bytes:

- ``config``: ``batch_size``, ``linger_ms``, ``buffer_memory``, ``backoff_ms`` and
  ``backoff_max_ms``, ``delivery_timeout_ms``; and, of versions that choose partitions,
  ``adaptive`` and ``availability_timeout_ms`` (0: off).
- ``{"op": "append", "topic", "partition", "key", "size", "abort", "now", "metadata", "draw"}``: a
  record with a value of ``size`` bytes (null: none); ``partition`` null leaves the choice to the
  accumulator. ``abort``: it is not to open a batch; ``told``: it has a callback. Answers where it
  went, whether that batch is full, whether it is new, whether the record was not appended, and by
  how many bytes its batch grew. With ``meanwhile`` other threads append these records at the same
  time, perhaps with other ``metadata``, always with a callback, and never with ``abort``. Thread 0
  has the record of the step itself. A thread pauses at ``partition`` (its partition has been
  chosen, and its queue not been looked at; from 3.3 on, if the record has a callback), ``wait for
  memory`` and ``have memory``. ``order`` tells which thread begins, and which goes on after each
  pause and each end. A number that has ended is passed over; when the order is used up, the lowest
  that has not ended goes on. The answer is a list of such answers, or Java classes of errors, one
  for each thread; and a list of all pauses and ends, ``[thread, where]``.
- ``{"op": "ready", "now", "metadata", "epoch", "draw"}`` answers the nodes that are ready, for how
  long no other is, and the topics that have batches for no leader. All leaders have ``epoch``
  (-1: none is known).
- ``{"op": "drain", "nodes" or "of", "max_size", ...}`` answers what is taken for each node, or for
  the nodes that the step ``of`` found ready: topic, partition, records, bytes and checksum of each
  batch.
- ``{"op": "complete", "of", "number"}``, ``fail``, ``retry`` and ``split``: what becomes of a batch
  of the drain in step ``of``; null if it is no longer in flight. ``split`` answers into how many;
  with ``twice``, what is complete is forgotten once more than it may be. ``again`` gives a batch
  that has ended another end, ``how`` (``complete``, ``fail`` or ``abort``): whether that counts,
  and how the batch has ended.
- ``{"op": "expire", "now", "reset"}`` answers the batches that were too old, and when the next one
  will be, of those seen since the last ``reset``;
  ``mute``, ``unmute``,
  ``latency`` and ``waiting`` (threads wait for memory), ``flush`` and ``end flush``, ``close``,
  ``abort incomplete`` and ``abort undrained``.

After each step ``state`` has the free memory, and the part of it that is in no buffer; whether
batches wait, and whether any has not ended; where batches can end, what callbacks were told (step,
then offset or error); and after ``ready`` the load stats of each topic.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import ClassVar, Final

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.partitioning.keyed import has_default_partitioner
from conformance.behaviours.producing.accumulator_labels import (
    CLASSES,
    OF_CHOICE,
    OF_LEADERS,
    accumulator_labels,
)
from conformance.behaviours.producing.accumulator_operations import OPERATIONS
from conformance.behaviours.producing.accumulator_runs import (
    STATE,
    JavaRun,
    PortRun,
    Symbols,
    let_go,
)
from conformance.behaviours.producing.dimensions import DIMENSIONS
from conformance.behaviours.producing.histories import JavaHistories, on_port, tells_of
from conformance.model.behaviour import Behaviour, JavaPerformer, PortPerformer
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.port import AccumulatorRelease, Port, release_of
from conformance.model.program import Linker
from conformance.model.trace import Trace
from conformance.model.ways import Member, Way
from conformance.oracle.kafka_classes import ACCUMULATOR
from conformance.strategies.producing.accumulator_cases import accumulator_cases

_NEW_LEADERS: Final = Way(f"{ACCUMULATOR}.ready", (), "3.7")
"""Since KIP-951 a batch does not wait before it is sent to a new leader."""


class Accumulator(Behaviour):
    """A producer's batches between the record and the request."""

    name = "accumulator"
    summary = "batches that open, fill, linger, leave, are retried, split, expire; memory; load"
    ways = (
        Way(
            f"{ACCUMULATOR}.append", (Member(ACCUMULATOR, "resetNextBatchExpiryTime"),), since="2.1"
        ),
    )
    arrived = "asked since 2.1, which brought delivery.timeout.ms (KIP-91)"
    meaning = (
        "Batches leave at other times or with other records than Java's: latency, memory and, "
        "since 2.4, the partitions of records without key differ."
    )
    operations = tuple(OPERATIONS)
    tells = tells_of(OPERATIONS)
    only_with: ClassVar[Mapping[str, Member]] = {
        "latency": Member(ACCUMULATOR, "updateNodeLatencyStats")
    }
    typed = True
    for_testees = False  # it is about the Java producer's own parts
    weight = 0.75
    interesting = CLASSES
    dimensions = DIMENSIONS

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Histories on one clock."""
        chooses = client.shows("built-in")
        aborts = client.shows("round-robin") and has_default_partitioner(client)
        return accumulator_cases(chooses=chooses, aborts=aborts)

    def classes_of(self, client: ClientVersion) -> Collection[str]:
        """See :class:`Behaviour`: up to 3.2 it chooses no partition; 2.4 to 3.9 it may abort."""
        chooses = client.shows("built-in")
        aborts = client.shows("round-robin") and has_default_partitioner(client)
        without = set() if chooses else {*OF_CHOICE}
        if _NEW_LEADERS.is_later_than(client.version):
            without |= {*OF_LEADERS}
        return [
            name
            for name in self.interesting
            if name not in without and (aborts or name != "not appended")
        ]

    def java_method(self, client: ClientVersion, operation: Operation) -> str:
        return f"{ACCUMULATOR}.{OPERATIONS[operation['op']].java_method}"

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        return accumulator_labels(case, trace)

    def java(self, client: ClientVersion, link: Linker) -> JavaPerformer:
        return JavaHistories(OPERATIONS, STATE, partial(JavaRun, Symbols(link, OPERATIONS)))

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        release: AccumulatorRelease = release_of(implementation, client)

        def perform(case: Case) -> Trace:
            run = PortRun(implementation, release, case)
            trace = on_port(OPERATIONS, run, case)
            let_go(run)
            return trace

        return perform
