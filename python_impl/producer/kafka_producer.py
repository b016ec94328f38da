"""A producer: records go into its accumulator, and its sender takes batches out.

Follows ``org.apache.kafka.clients.producer.KafkaProducer`` (3.8.0, 4.4.0) without transactions;
earlier ones are in :mod:`.partition_producer`. Time is an argument, in ms. Nothing runs by itself:
whoever has a producer calls its sender, and tells it what nodes answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from ..cluster import Cluster
from ..errors import (
    JavaApiError,
    JavaError,
    JavaIllegalArgumentError,
    JavaIllegalStateError,
    JavaInvalidTopicError,
    JavaNullPointerError,
    JavaRecordTooLargeError,
    JavaSerializationError,
    JavaTimeoutError,
)
from ..randomness import random_int32
from ..records.batch import estimate_batch_size_upper_bound
from ..records.record import Headers
from .buffer_pool import BufferPool
from .interceptors import Call, Completed, Interceptor, intercepted
from .keyed import partition_for_key
from .late_returning_sender import LateReturningSender
from .produce_request import KafkaClient
from .producer_metadata import ProducerMetadata
from .producer_record import UNKNOWN_PARTITION, ProducerRecord, check_record
from .producer_settings import ProducerSettings
from .record_accumulator import RecordAccumulator, RecordAppendResult
from .sender import Sender
from .topic_accumulator import RackAwareAccumulator, TopicAccumulator
from .transaction_manager import LaterTransactionManager, TransactionManager

WaitForMetadata = Callable[[str, int], int | None]
"""Told a topic and a deadline (ms), lets time pass until metadata have come; answers when they did
(ms), or None if they did not."""

Serializer = Callable[[str, Any], bytes | None]
"""Makes bytes of a key or a value of a topic. It raises a :class:`JavaError` to refuse one; its
``TypeError`` is taken for Java's ``ClassCastException``."""


def _none_come(topic: str, deadline_ms: int) -> None:
    """Metadata that never come."""
    del topic, deadline_ms


class Partitioner(Protocol):
    """A ``partitioner.class``; ``on_new_batch`` is called if there is one (2.4 to 3.9)."""

    def partition(self, topic: str | None, key: bytes | None, cluster: Cluster | None) -> int:
        """The partition of a record."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a record at once: its partition, or why it was not taken.

    ``waited_ms`` is for how long its sender waited for metadata.
    """

    partition: int
    error: JavaApiError | None = None
    waited_ms: int = 0
    result: RecordAppendResult | None = None


class KafkaProducer:
    """A producer of 3.8.0.

    Without a serializer keys or values are bytes or None. ``partitioner`` None is the built-in one.
    ``random`` answers int32, ``jitter`` numbers from 0 to 1, for backoffs. ``pool`` makes the
    memory, and ``builder`` what writes batches, as :class:`RecordAccumulator` says.
    """

    pool_class: ClassVar[type[BufferPool]] = BufferPool
    accumulator_class: ClassVar[type[RecordAccumulator]] = TopicAccumulator
    sender_class: ClassVar[type[Sender]] = Sender
    transactions_class: ClassVar[type[TransactionManager]] = TransactionManager
    asks_again: ClassVar[bool] = True
    """Whether a record that would open a batch makes the producer ask its partitioner anew."""
    takes_any_answer: ClassVar[bool] = False
    """Whether a partitioner may answer a partition below 0."""
    least_batch_size: ClassVar[int] = 1  # bytes; a smaller batch.size counts as this

    def __init__(
        self,
        settings: ProducerSettings,
        metadata: ProducerMetadata,
        client: KafkaClient,
        *,
        partitioner: Partitioner | None = None,
        interceptors: Sequence[Interceptor] = (),
        key_serializer: Serializer | None = None,
        value_serializer: Serializer | None = None,
        random: Callable[[], int] = random_int32,
        jitter: Callable[[], float] | None = None,
        wait_for_metadata: WaitForMetadata = _none_come,
        pool: BufferPool | None = None,
        **accumulator_settings: Any,
    ) -> None:
        self.settings = settings
        self.metadata = metadata
        self._client = client
        self._interceptors = interceptors
        self._key_serializer = key_serializer
        self._value_serializer = value_serializer
        self._wait_for_metadata = wait_for_metadata
        self._partitioner = self._partitioner_of(partitioner, random)
        batch_size = max(self.least_batch_size, settings.batch_size)
        self.pool = self.pool_class(settings.buffer_memory, batch_size) if pool is None else pool
        self.transactions = self.transactions_class() if settings.idempotent else None
        self.accumulator: Any = self.accumulator_class(
            self.pool,
            batch_size=batch_size,
            compression=settings.compression_type,
            linger_ms=min(settings.linger_ms, 2**31 - 1),
            retry_backoff_ms=settings.retry_backoff_ms,
            delivery_timeout_ms=settings.delivery_timeout,
            transactions=self.transactions,
            **self._of_version(random, jitter),
            **accumulator_settings,
        )
        self.sender = self.sender_class(
            client,
            metadata,
            self.accumulator,
            max_in_flight=settings.max_in_flight_requests_per_connection,
            max_request_size=settings.max_request_size,
            acks=settings.acks,
            retries=settings.retries,
            request_timeout_ms=settings.request_timeout_ms,
            retry_backoff_ms=settings.retry_backoff_ms,
            transactions=self.transactions,
        )

    def _partitioner_of(
        self, partitioner: Partitioner | None, random: Callable[[], int]
    ) -> Partitioner | None:
        del random
        return partitioner

    def _of_version(
        self, random: Callable[[], int], jitter: Callable[[], float] | None
    ) -> dict[str, Any]:
        """Settings of an accumulator that chooses partitions."""
        settings = self.settings
        return {
            "retry_backoff_max_ms": settings.retry_backoff_max_ms,
            "adaptive": self._partitioner is None
            and settings.partitioner_adaptive_partitioning_enable,
            "availability_timeout_ms": settings.partitioner_availability_timeout_ms,
            "random": random,
            "jitter": jitter,
        }

    def send(
        self,
        topic: str,
        partition: int | None,
        key: Any,
        value: Any,
        headers: Headers = (),
        *,
        now_ms: int,
        timestamp: int | None = None,
        completed: Completed | None = None,
    ) -> Sent:
        """Send a record, which is taken into a batch or not at all.

        Its timestamp is the time at which it was taken, unless it has one. An error that Java hands
        to the callback and the future is answered; others, such as
        :class:`JavaIllegalStateError` of a closed producer, or :class:`JavaSerializationError`, are
        raised, and what a partitioner raises, and :class:`JavaIllegalArgumentError` for a partition
        or a timestamp below 0, :class:`JavaNullPointerError` if the last interceptor hands on None.
        Memory that is not free is not waited for: the answer then is the error that the pool
        raises.
        """
        check_record(topic, partition, timestamp)
        to: str | None = topic
        if self._interceptors:
            given = ProducerRecord(topic, partition, key, value, headers, timestamp)
            record = intercepted(self._interceptors, given)
            to = None
            if record is not None:
                to, partition, key = record.topic, record.partition, record.key
                value, headers, timestamp = record.value, record.headers, record.timestamp
        call = Call(to, partition, completed, self._interceptors)
        try:
            if not self.sender.running:
                raise JavaIllegalStateError(
                    "Cannot perform operation after producer has been closed"
                )
            if to is None:
                raise JavaNullPointerError("the last interceptor handed on no record")
            waited_ms = self._wait_on_metadata(to, partition, now_ms)
            if self._key_serializer is not None:
                key = _serialized(self._key_serializer, to, key)
            if self._value_serializer is not None:
                value = _serialized(self._value_serializer, to, value)
            taken_ms = now_ms + waited_ms
            result = self._append(call, partition, key, value, headers, taken_ms, timestamp)
        except JavaApiError as error:
            call.refuse(error)
            if self.transactions is not None:
                self.transactions.handle_refused_record(error)
            # Without its frames, which hold this call, so that the memory is free at once.
            return Sent(call.partition, error.with_traceback(None))
        except Exception as error:
            call.refuse(error)
            raise
        if result.batch_is_full or result.new_batch_created:
            self._client.wakeup()
        return Sent(result.partition, waited_ms=waited_ms, result=result)

    def _append(
        self,
        call: Call,
        named: int | None,
        key: bytes | None,
        value: bytes | None,
        headers: Headers,
        now_ms: int,
        timestamp: int | None,
    ) -> RecordAppendResult:
        cluster = self.metadata.cluster
        partition = self._partition(call, named, key, cluster)
        self._check_size(estimate_batch_size_upper_bound(key, value, headers))
        record = now_ms if timestamp is None else timestamp, key, value, headers
        asks_again = self.asks_again and self._partitioner is not None
        result = self._append_to(call, partition, record, now_ms, cluster, abort=asks_again)
        if result.abort_for_new_batch:
            on_new_batch = getattr(self._partitioner, "on_new_batch", None)
            if on_new_batch is not None:
                on_new_batch(call.topic, cluster, partition)
            partition = self._partition(call, named, key, cluster)
            result = self._append_to(call, partition, record, now_ms, cluster, abort=False)
        if self.transactions is not None:
            self.transactions.fail_with_error()
        return result

    def _append_to(
        self,
        call: Call,
        partition: int,
        record: tuple[Any, ...],
        now_ms: int,
        cluster: Cluster,
        *,
        abort: bool,
    ) -> RecordAppendResult:
        result: RecordAppendResult = self.accumulator.append(
            call.topic,
            self._chosen(partition),
            *record,
            now_ms=now_ms,
            abort_on_new_batch=abort,
            callback=call.on_completion,
            **self._for_choice(call, cluster),
        )
        return result

    def _chosen(self, partition: int) -> int | None:
        """The partition as an accumulator takes it; None if it is to choose one."""
        return None if partition == UNKNOWN_PARTITION else partition

    def _for_choice(self, call: Call, cluster: Cluster) -> dict[str, Any]:
        """What an accumulator that chooses partitions is told beside the record."""
        return {"cluster": cluster, "set_partition": call.set_partition}

    def _partition(self, call: Call, named: int | None, key: bytes | None, cluster: Cluster) -> int:
        """The partition that a record names, or is given; -1 if the accumulator is to choose."""
        if named is not None:
            return named
        if self._partitioner is not None:
            partition = self._partitioner.partition(call.topic, key, cluster)
            if partition < 0 and not self.takes_any_answer:
                what = f"The partitioner generated an invalid partition number: {partition}."
                raise JavaIllegalArgumentError(what)
            return partition
        if key is None or self.settings.partitioner_ignore_keys:
            return UNKNOWN_PARTITION
        return partition_for_key(key, len(cluster.partitions_for_topic(call.topic)))

    def _check_size(self, size: int) -> None:
        for most, setting in (
            (self.settings.max_request_size, "max.request.size"),
            (self.settings.buffer_memory, "buffer.memory"),
        ):
            if size > most:
                what = f"The record is {size} bytes when serialized, more than {setting} of {most}"
                raise JavaRecordTooLargeError(what)

    def _wait_on_metadata(self, topic: str, partition: int | None, now_ms: int) -> int:
        """For how long (ms) metadata of a topic had to be waited for, and of the partition."""
        metadata, most = self.metadata, self.settings.max_block_ms
        if topic in metadata.invalid_topics:
            raise JavaInvalidTopicError(f"Invalid topics: [{topic}]")
        metadata.add(topic)
        waited_ms = 0
        while True:
            count = len(metadata.cluster.partitions_for_topic(topic))
            if count and (partition is None or partition < count):
                return waited_ms
            metadata.add(topic)
            metadata.request_update()
            self._client.wakeup()
            come = self._wait_for_metadata(topic, now_ms + most)
            if come is None or come - now_ms >= most:
                raise JavaTimeoutError(f"Topic {topic} not present in metadata after {most} ms.")
            metadata.raise_for_topic(topic)
            waited_ms = come - now_ms

    def run_once(self, now_ms: int) -> int:
        """A pass of its sender; see :meth:`.Sender.run_once`."""
        return self.sender.run_once(now_ms)


def _serialized(serializer: Serializer, topic: str, data: Any) -> bytes | None:
    try:
        return serializer(topic, data)
    except JavaError:
        raise
    except TypeError as error:
        if data is None:  # Java asks it for its class, to name that
            raise JavaNullPointerError("a serializer does not take null") from error
        what = f"Can't convert a key or value of class {type(data).__name__}"
        raise JavaSerializationError(what) from error


class RackAwareKafkaProducer(KafkaProducer):
    """The same of 4.4.0: a partitioner's answer is taken, and buffers are returned later."""

    accumulator_class = RackAwareAccumulator
    sender_class = LateReturningSender
    transactions_class = LaterTransactionManager
    asks_again = False
