"""What becomes of each record and batch, added up while it happens.

A record's latency has four parts, which add up to it exactly:

* ``blocked``: from when it came until a batch took it: the application waited for memory;
* ``linger``: until its batch was full, or had lingered, or was sent before;
* ``queue``: until its batch was sent: its broker had as many requests as it may have;
* ``flight``: until it was answered, with all attempts.
"""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

from conformance.simulation.brokers import ClusterPlan
from conformance.simulation.course import Course
from conformance.simulation.histogram import Histogram
from conformance.simulation.quantities import MILLISECOND, NEVER, Micros
from conformance.simulation.scenario import Scenario
from python_impl.errors import JavaError
from python_impl.producer.produce_request import ProduceRequest
from python_impl.producer.producer_batch import ProducerBatch
from python_impl.producer.record_accumulator import RecordAppendResult
from python_impl.records.batch import RECORD_BATCH_OVERHEAD

PARTS: Final = ("blocked", "linger", "queue", "flight")
LOGGED_RECORDS: Final = 500
"""A run of at most so many records is small: all that happens is kept, to be drawn."""


class Batch:
    """A batch as the simulator sees it."""

    __slots__ = (
        *("broker", "count", "created_us", "ended", "ended_us", "key", "number", "partition"),
        *("ready_us", "records", "sent_us", "size", "told"),
    )

    def __init__(
        self, number: int, partition: int, broker: int, created_us: Micros, ready_us: Micros
    ) -> None:
        self.number = number
        self.partition = partition
        self.broker = broker
        self.created_us = created_us
        self.ready_us = ready_us
        """When it need not wait for further records any longer."""
        self.sent_us: Micros | None = None
        self.ended_us: Micros | None = None
        self.records: list[Record] = []
        """Those that have not ended."""
        self.count = 0
        """How many it ever had."""
        self.told = 0
        """How many of its records have been told of its end."""
        self.ended = False
        self.size = 0
        self.key = 0
        """Under which the producer's own batch is known."""


class Record:
    """A record on its way, and the callback that the producer tells its end."""

    __slots__ = ("_measures", "arrived_us", "batch", "ended_us", "error", "size", "taken_us")

    def __init__(self, measures: "Measures", arrived_us: Micros, size: int) -> None:
        self._measures = measures
        self.arrived_us = arrived_us
        self.size = size
        """Bytes of key and value."""
        self.taken_us: Micros = arrived_us
        self.batch: Batch | None = None
        self.ended_us: Micros = arrived_us
        self.error: JavaError | None = None

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        """All but the measures of its run, which are of no use where this is pickled."""
        return None, {name: getattr(self, name) for name in self.__slots__ if name != "_measures"}

    def __call__(self, partition: int, offset: int, error: JavaError | None) -> None:
        """The producer's word; of a record that no batch has the answer of ``send`` tells."""
        del partition, offset
        batch = self.batch
        if batch is not None:
            batch.told += 1
            if batch.told == len(batch.records):
                self._measures.ended(batch, error)

    @property
    def parts(self) -> tuple[Micros, ...] | None:
        """Its :data:`PARTS`, if it was sent."""
        batch = self.batch
        if batch is None or batch.sent_us is None:
            return None
        waited = min(max(batch.ready_us, self.taken_us), batch.sent_us)
        return (
            self.taken_us - self.arrived_us,
            waited - self.taken_us,
            batch.sent_us - waited,
            self.ended_us - batch.sent_us,
        )


class Sink(Protocol):
    """Is told of each record that has ended."""

    def begin(self, scenario: Scenario) -> None:
        """Records of this scenario follow."""

    def write(self, record: Record) -> None:
        """It will not change any more."""


@dataclass(slots=True)
class LoggedRequest:
    """A request of a small run."""

    broker: int
    sent_us: Micros
    batches: int
    ended_us: Micros | None = None


class Measures:
    """All that is counted in a run."""

    def __init__(self, cluster: ClusterPlan, linger_us: Micros, sink: Sink | None = None) -> None:
        self.now_us: Micros = 0
        self.cluster = cluster
        self.arrived = self.delivered = self.payload_bytes = 0
        self.batches = self.batched_records = self.batch_bytes = self.resent = 0
        self.sent_bytes = 0
        self.raw_bytes = self.compressed_bytes = 0.0
        self.blocked_sends = 0
        self.blocked_us: Micros = 0
        self.errors: Counter[str] = Counter()
        self.latency = Histogram()
        self.parts = [Histogram() for _ in PARTS]
        self.partition_records = [0] * cluster.partitions
        self.partition_bytes = [0] * cluster.partitions
        self.partition_batches = [0] * cluster.partitions
        self.partition_sent = [0] * cluster.partitions
        self.partition_backlog = [0] * cluster.partitions
        self.partition_most = [0] * cluster.partitions
        self.broker_requests = [0] * cluster.brokers
        self.broker_backlog = [0] * cluster.brokers
        self.broker_most = [0] * cluster.brokers
        self.gauges = [f"backlog {broker}" for broker in range(cluster.brokers)]
        self.course = Course(
            sums=("taken", "ended", "latency_us", "sent_bytes"),
            tops=("latest_us",),
            gauges=("memory", *self.gauges),
        )
        self.records_log: list[Record] = []
        self.batches_log: list[Batch] = []
        self.requests_log: list[LoggedRequest] = []
        self._in_flight: dict[int, LoggedRequest] = {}
        self._linger_us = linger_us
        self._sink = sink
        self._untold: list[Record] = []
        self._waiting: list[deque[Batch]] = [deque() for _ in range(cluster.partitions)]
        self._sent: dict[int, Batch] = {}
        self._just_ended: dict[int, Batch] = {}
        self._given_up: set[int] = set()
        self._made = 0
        self._newly_taken = 0

    @property
    def on_their_way(self) -> int:
        """Records that a batch has taken and that have not ended."""
        return sum(self.broker_backlog)

    @property
    def not_sent(self) -> Iterator[Batch]:
        """Batches that were never sent, and have not ended."""
        for waiting in self._waiting:
            yield from (batch for batch in waiting if not batch.ended)

    @property
    def is_small(self) -> bool:
        """Whether all that happened has been kept."""
        return self.arrived <= LOGGED_RECORDS

    def record(self, arrived_us: Micros, size: int) -> Record:
        """A record has come."""
        self.arrived += 1
        self.payload_bytes += size
        record = Record(self, arrived_us, size)
        if self.is_small:
            self.records_log.append(record)
        elif self.records_log:
            self.records_log, self.batches_log, self.requests_log = [], [], []
        return record

    def taken(self, record: Record, result: RecordAppendResult, *, is_full: bool) -> None:
        """A batch has taken a record, and may take no other."""
        now_us, partition = self.now_us, result.partition
        waiting = self._waiting[partition]
        if result.new_batch_created:
            if waiting:
                waiting[-1].ready_us = min(waiting[-1].ready_us, now_us)
            waiting.append(self._new_batch(partition))
        batch = waiting[-1]
        if is_full:
            batch.ready_us = min(batch.ready_us, now_us)
        batch.records.append(record)
        batch.count += 1
        self._newly_taken += 1
        record.batch = batch
        record.taken_us = now_us
        self.partition_records[partition] += 1
        self.partition_bytes[partition] += record.size
        self._grow(self.partition_backlog, self.partition_most, partition)
        self._grow(self.broker_backlog, self.broker_most, batch.broker)

    @staticmethod
    def _grow(backlog: list[int], most: list[int], place: int) -> None:
        backlog[place] += 1
        most[place] = max(most[place], backlog[place])

    def _new_batch(self, partition: int) -> Batch:
        self._made += 1
        # The producer's clock has no more than ms.
        created_us = self.now_us - self.now_us % MILLISECOND
        ready_us = min(NEVER, created_us + self._linger_us)
        broker = self.cluster.leader(partition)
        batch = Batch(self._made, partition, broker, self.now_us, max(ready_us, self.now_us))
        if self.is_small:
            self.batches_log.append(batch)
        return batch

    def sent(self, request: ProduceRequest) -> list[Batch]:
        """A request is sent; answers its batches."""
        self.broker_requests[request.node] += 1
        if self.is_small:
            logged = LoggedRequest(request.node, self.now_us, len(request.batches))
            self.requests_log.append(logged)
            self._in_flight[id(request)] = logged
        size = 0
        batches = []
        for batch in request.batches:
            size += batch.estimated_size_in_bytes
            known = self._sent.get(id(batch))
            if known is None and batch.is_done and batch.attempts:
                known = self._just_ended.get(id(batch))  # it ran out of time in this very pass
            if known is None:
                known = self._sent_first(batch)
            else:
                self.resent += 1
            batches.append(known)
        self.sent_bytes += size
        self.course.add(self.now_us, "sent_bytes", size)
        return batches

    def answered(self, request: ProduceRequest) -> None:
        """A request has ended."""
        logged = self._in_flight.pop(id(request), None)
        if logged is not None:
            logged.ended_us = self.now_us

    def _sent_first(self, batch: ProducerBatch) -> Batch:
        waiting = self._waiting[batch.partition]
        # In the very pass that sends it others may have run out of time, or it itself.
        while waiting[0].ended and not batch.is_done:
            waiting.popleft()
        own = waiting.popleft()
        own.sent_us = self.now_us
        own.size = batch.estimated_size_in_bytes
        own.key = id(batch)
        if not batch.is_done:
            self._sent[own.key] = own
        self.batches += 1
        self.batched_records += own.count
        self.batch_bytes += own.size
        self.partition_batches[own.partition] += 1
        self.partition_sent[own.partition] += own.count
        content = own.size - RECORD_BATCH_OVERHEAD
        self.compressed_bytes += content
        self.raw_bytes += content / (batch.compression_ratio or 1.0)
        return own

    def ended(self, batch: Batch, error: JavaError | None) -> None:
        """The producer has said of all records of a batch what became of them: the same of each."""
        now_us, records = self.now_us, batch.records
        self.partition_backlog[batch.partition] -= len(records)
        self.broker_backlog[batch.broker] -= len(records)
        batch.ended, batch.ended_us = True, now_us
        if batch.sent_us is None:
            self._given_up.add(batch.partition)
        if self._sent.pop(batch.key, None) is not None:
            self._just_ended[batch.key] = batch
        for record in records:
            record.ended_us = now_us
        if error is None and batch.sent_us is not None:
            self._delivered(batch, batch.sent_us)
        elif error is not None:
            self.errors[_name_of(error)] += len(records)
        for record in records:
            record.error = error
        if self._sink is not None:
            self._untold += records
        batch.records = []  # they name their batch, and would keep each other in memory

    def _delivered(self, batch: Batch, sent_us: Micros) -> None:
        now_us, records = self.now_us, batch.records
        ready_us = min(batch.ready_us, sent_us)
        latencies = [now_us - record.arrived_us for record in records]
        ready = [max(ready_us, record.taken_us) for record in records]
        taken = [record.taken_us for record in records]
        blocked, linger, queue, flight = self.parts
        blocked.extend([record.taken_us - record.arrived_us for record in records])
        linger.extend([end - begin for end, begin in zip(ready, taken, strict=True)])
        queue.extend([sent_us - end for end in ready])
        flight.extend([now_us - sent_us] * len(records))
        self.latency.extend(latencies)
        self.delivered += len(records)
        self.course.add(now_us, "ended", len(records))
        self.course.add(now_us, "latency_us", sum(latencies))
        self.course.top(now_us, "latest_us", max(latencies))

    def refused(self, record: Record, error: JavaError) -> None:
        """No batch takes a record."""
        record.ended_us = self.now_us
        record.error = error
        self.errors[_name_of(error)] += 1
        if self._sink is not None:
            self._untold.append(record)
            if len(self._untold) == 1:  # nobody waits for the end of a pass
                self.tell_sink()

    def tell_sink(self) -> None:
        """Tell the sink of records that have ended, in that order.

        Not at once: a batch may run out of time in the very pass that sends it, and is told that
        it was sent only then.
        """
        if self._sink is not None:
            for record in self._untold:
                self._sink.write(record)
            self._untold = []

    def look(self, memory: int) -> None:
        """After each pass of the sender: how much there is of what comes and goes."""
        self.tell_sink()
        self.course.add(self.now_us, "taken", self._newly_taken)
        self._newly_taken = 0
        self._just_ended.clear()
        while self._given_up:
            waiting = self._waiting[self._given_up.pop()]
            while waiting and waiting[0].ended:
                waiting.popleft()
        self.course.see(self.now_us, "memory", memory)
        for name, backlog in zip(self.gauges, self.broker_backlog, strict=True):
            self.course.see(self.now_us, name, backlog)


def _name_of(error: JavaError) -> str:
    """The class of Java's exception, without its package."""
    return error.java_class.rpartition(".")[2]
