"""A batch that is being written: what fits into it, how large it will be, its bytes.

Follows ``org.apache.kafka.common.record.MemoryRecordsBuilder`` for magic 2 (2.3.1 to 4.4.0).
"""

from operator import index
from typing import Final

from ..errors import JavaIllegalArgumentError, JavaIllegalStateError
from ..int32 import INT32_MAX, int32
from .batch import (
    NO_PARTITION_LEADER_EPOCH,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    RECORD_BATCH_OVERHEAD,
    BatchHeader,
    TimestampType,
    check_numbers,
)
from .compression import codec_called
from .control_record import ControlRecordType, end_transaction_marker
from .float32 import float32, int_of
from .producer_state import ProducerState
from .record import Headers, record_size, written_record
from .varints import INT64_MAX, int64

COMPRESSION_RATE_ESTIMATION_FACTOR: Final = float32(1.05)


class MemoryRecordsBuilder:
    """Writes the records of one batch.

    ``write_limit`` is in bytes; a first record may exceed it. ``base_offset``, times (ms) and
    ``producer_id`` are int64, the epoch int16, all else int32; -1 stands for none. Records can be
    appended until the batch is closed, and its producer state can be set until then.

    ``compression_level`` is there since 3.8 (KIP-390), ``delete_horizon_ms``, with which brokers
    compact, since 3.1 (KIP-534). All releases share this class, so those before take both, too: a
    batch is made the same way. Raises :class:`JavaIllegalArgumentError` for a codec or a level
    that Kafka does not have, ``ValueError`` for a level of a codec without levels and, as each
    method does, for a number beyond its type, and ``TypeError`` for what is no number or no
    :class:`.TimestampType`.
    """

    def __init__(
        self,
        *,
        compression: str = "none",
        compression_level: int | None = None,
        timestamp_type: TimestampType = TimestampType.CREATE_TIME,
        base_offset: int = 0,
        log_append_time: int = NO_TIMESTAMP,
        producer_id: int = NO_PRODUCER_ID,
        producer_epoch: int = NO_PRODUCER_EPOCH,
        base_sequence: int = NO_SEQUENCE,
        is_transactional: bool = False,
        is_control_batch: bool = False,
        partition_leader_epoch: int = NO_PARTITION_LEADER_EPOCH,
        write_limit: int = INT32_MAX,
        delete_horizon_ms: int = NO_TIMESTAMP,
    ) -> None:
        if not isinstance(timestamp_type, TimestampType):
            raise TypeError(f"timestamp_type is a TimestampType, not {timestamp_type!r}")
        numbers = check_numbers(
            "qqqii",
            base_offset=base_offset,
            log_append_time=log_append_time,
            delete_horizon_ms=delete_horizon_ms,
            partition_leader_epoch=partition_leader_epoch,
            write_limit=write_limit,
        )
        self._base_offset, self._log_append_time, delete_horizon_ms = numbers[:3]
        self._partition_leader_epoch, self._write_limit = numbers[3:]
        self._most_offset = min(self._base_offset + INT32_MAX, INT64_MAX)
        self._codec = codec_called(compression, compression_level)
        self._timestamp_type = timestamp_type
        self._producer_state = ProducerState.of(
            producer_id, producer_epoch, base_sequence, is_transactional
        )
        self._is_control_batch = is_control_batch
        self._estimated_ratio = 1.0
        self._actual_ratio = 1.0
        self._written: list[bytes] = []
        self._compressed: bytes | None = None
        self._uncompressed_size = 0
        self._records = 0
        self._max_timestamp = NO_TIMESTAMP
        self._has_delete_horizon = delete_horizon_ms >= 0
        self._base_timestamp = delete_horizon_ms if self._has_delete_horizon else None
        self._last_offset: int | None = None
        self._open = True
        self._aborted = False
        self._built: bytes | None = None

    @property
    def num_records(self) -> int:
        """How many records it has."""
        return self._records

    @property
    def uncompressed_bytes_written(self) -> int:
        """Bytes of header and records before compression."""
        return RECORD_BATCH_OVERHEAD + self._uncompressed_size

    @property
    def compression_ratio(self) -> float:
        """Compressed bytes for each byte of records (a float32), once the batch is closed."""
        return self._actual_ratio

    @property
    def is_closed(self) -> bool:
        """Whether its bytes are final."""
        return self._built is not None

    @property
    def is_full(self) -> bool:
        """Whether no record can be appended: it is closed for them, or has reached its limit."""
        return not self._open or (
            self._records > 0 and self._write_limit <= self._estimated_bytes_written()
        )

    @property
    def estimated_size_in_bytes(self) -> int:
        """Bytes of the batch: exact once it is closed, or without compression."""
        return self._estimated_bytes_written() if self._built is None else len(self._built)

    def set_estimated_compression_ratio(self, ratio: float) -> None:
        """Say how well its records will be compressed (a float32)."""
        self._estimated_ratio = ratio

    def has_room_for(
        self, timestamp: int, key: bytes | None, value: bytes | None, headers: Headers | None
    ) -> bool:
        """Whether one more record fits, not compressed itself; a first record always does.

        Raises :class:`JavaIllegalArgumentError` for headers of None if it has to look at them.
        """
        if self.is_full:
            return False
        if self._records == 0:
            return True
        assert self._base_timestamp is not None  # it has records
        offset_delta = int32(self._next_offset() - self._base_offset)
        timestamp_delta = int64(index(timestamp) - self._base_timestamp)
        size = record_size(offset_delta, timestamp_delta, key, value, headers)
        return self._write_limit >= self._estimated_bytes_written() + size

    def append(
        self,
        timestamp: int,
        key: bytes | None,
        value: bytes | None,
        headers: Headers | None = (),
    ) -> None:
        """Append a record at the next offset; raises what :meth:`append_with_offset` does."""
        self.append_with_offset(self._next_offset(), timestamp, key, value, headers)

    def append_if_room(
        self, timestamp: int, key: bytes | None, value: bytes | None, headers: Headers | None
    ) -> bool:
        """Append a record at the next offset if :meth:`has_room_for` it; raises what both do."""
        timestamp, last = index(timestamp), self._last_offset
        if (
            last is None
            or not self._records
            or not self._open
            or self._is_control_batch
            or not 0 <= timestamp < INT64_MAX
            or not self._base_offset <= last < self._most_offset
        ):
            if not self.has_room_for(timestamp, key, value, headers):
                return False
            self.append(timestamp, key, value, headers)
            return True
        # Only its contents can be wrong, so it is written and measured at once.
        assert self._base_timestamp is not None  # it has records
        written = self._estimated_bytes_written()
        if self._write_limit <= written:
            return False
        delta, since_base = last + 1 - self._base_offset, timestamp - self._base_timestamp
        size = self._write_record(delta, since_base, key, value, headers)
        if self._write_limit < written + size:
            del self._written[-1:]  # of which there is none if sizes are all that is kept
            return False
        self._record_written(last + 1, timestamp, size)
        return True

    def append_with_offset(
        self,
        offset: int,
        timestamp: int,
        key: bytes | None,
        value: bytes | None,
        headers: Headers | None = (),
    ) -> None:
        """Append a record at an offset (int64), created at that time (ms).

        Raises :class:`JavaIllegalArgumentError` for a record in a control batch, an offset that
        does not follow the last one or is more than 2^31 - 1 beyond the first, a negative time
        other than -1, and headers of None; :class:`JavaIllegalStateError` if it is closed.
        """
        self._append(offset, timestamp, key, value, headers, control=False)

    def append_end_txn_marker(
        self, timestamp: int, outcome: ControlRecordType, coordinator_epoch: int
    ) -> None:
        """Append the end of a transaction (``EndTransactionMarker``) to a control batch.

        Raises :class:`JavaIllegalArgumentError` unless it is a transactional control batch with a
        producer id, and as :meth:`append_with_offset` does.
        """
        if self._producer_state.producer_id == NO_PRODUCER_ID:
            raise JavaIllegalArgumentError("End transaction marker requires a valid producerId")
        if not self._producer_state.is_transactional:
            raise JavaIllegalArgumentError(
                "End transaction marker depends on batch transactional flag being enabled"
            )
        key, value = end_transaction_marker(outcome, coordinator_epoch)
        self._append(self._next_offset(), timestamp, key, value, (), control=True)

    def set_producer_state(
        self, producer_id: int, producer_epoch: int, base_sequence: int, is_transactional: bool
    ) -> None:
        """Set what a batch gets when it is drained; :class:`JavaIllegalStateError` if closed."""
        if self.is_closed:
            raise JavaIllegalStateError(
                "Trying to set producer state of an already closed batch. This indicates a bug on "
                "the client."
            )
        self._producer_state = ProducerState.of(
            producer_id, producer_epoch, base_sequence, is_transactional
        )

    def override_last_offset(self, last_offset: int) -> None:
        """Say where the batch ends; :class:`JavaIllegalStateError` if it is closed."""
        if self.is_closed:
            raise JavaIllegalStateError(
                "Cannot override the last offset after the records have been built"
            )
        [self._last_offset] = check_numbers("q", last_offset=last_offset)

    def close_for_record_appends(self) -> None:
        """End the records; only the header can still change."""
        if self._open:
            self._open = False
            self._compressed = self._codec.compress(b"".join(self._written))
            self._written.clear()

    def abort(self) -> None:
        """Give the batch up: it can no longer be closed or built."""
        self.close_for_record_appends()
        self._aborted = True

    def reopen_and_rewrite_producer_state(
        self, producer_id: int, producer_epoch: int, base_sequence: int, is_transactional: bool
    ) -> None:
        """Let a closed batch get other producer state.

        Raises :class:`JavaIllegalStateError` if it was aborted.
        """
        if self._aborted:
            raise JavaIllegalStateError("Should not reopen a batch which is already aborted.")
        self._built = None
        self._producer_state = ProducerState.of(
            producer_id, producer_epoch, base_sequence, is_transactional
        )

    def close(self) -> None:
        """Make the bytes final.

        Raises :class:`JavaIllegalStateError` if it was aborted, :class:`JavaIllegalArgumentError`
        for producer state that no broker takes.
        """
        self._check_close()
        if self._built is not None:
            return
        self._producer_state.check(self._is_control_batch)
        self.close_for_record_appends()
        if self._records == 0:
            self._built = b""
            return
        data = self._compressed or b""
        self._built = self._header().with_records(data)
        self._actual_ratio = float32(float32(len(data)) / float32(self._uncompressed_size))

    def _check_close(self) -> None:
        if self._aborted:
            raise JavaIllegalStateError(
                "Cannot close MemoryRecordsBuilder as it has already been aborted"
            )

    def build(self) -> bytes:
        """The bytes of the batch, none if it has no records; raises what :meth:`close` does."""
        if self._aborted:
            raise JavaIllegalStateError("Attempting to build an aborted record batch")
        self.close()
        return self._built or b""

    def _append(
        self,
        offset: int,
        timestamp: int,
        key: bytes | None,
        value: bytes | None,
        headers: Headers | None,
        *,
        control: bool,
    ) -> None:
        offset, timestamp = index(offset), index(timestamp)
        if control != self._is_control_batch:
            raise JavaIllegalArgumentError(
                "Control records can only be appended to control batches"
            )
        if self._last_offset is not None and offset <= self._last_offset:
            raise JavaIllegalArgumentError(
                f"Illegal offset {offset} following previous offset {self._last_offset} "
                "(Offsets must increase monotonically)."
            )
        if timestamp < 0 and timestamp != NO_TIMESTAMP:
            raise JavaIllegalArgumentError(f"Invalid negative timestamp {timestamp}")
        if timestamp > INT64_MAX or offset > INT64_MAX:
            check_numbers("qq", timestamp=timestamp, offset=offset)
        if self._base_timestamp is None:
            self._base_timestamp = timestamp
        if not self._open:
            raise JavaIllegalStateError(
                "Tried to append a record, but MemoryRecordsBuilder is closed for record appends"
            )
        deltas = int32(offset - self._base_offset), int64(timestamp - self._base_timestamp)
        size = self._write_record(*deltas, key, value, headers)
        self._record_written(offset, timestamp, size)

    def _write_record(
        self,
        offset_delta: int,
        timestamp_delta: int,
        key: bytes | None,
        value: bytes | None,
        headers: Headers | None,
    ) -> int:
        """Keep a record; answers its size in bytes."""
        data, size = written_record(offset_delta, timestamp_delta, key, value, headers)
        self._written.append(data)
        return size

    def _record_written(self, offset: int, timestamp: int, size: int) -> None:
        # As in Java, the record's bytes stay where they are if this refuses it.
        if offset - self._base_offset > INT32_MAX:
            raise JavaIllegalArgumentError(
                f"Maximum offset delta exceeded, base offset: {self._base_offset}, "
                f"last offset: {offset}"
            )
        self._records += 1
        self._uncompressed_size += size
        self._last_offset = offset
        self._max_timestamp = max(self._max_timestamp, timestamp)

    def _next_offset(self) -> int:
        if self._last_offset == INT64_MAX:
            return int64(self._last_offset + 1)  # it is refused, as Java does
        return self._base_offset if self._last_offset is None else self._last_offset + 1

    def _estimated_bytes_written(self) -> int:
        if self._codec.id == 0:
            return RECORD_BATCH_OVERHEAD + self._uncompressed_size
        estimate = float32(float32(self._uncompressed_size) * self._estimated_ratio)
        estimate = float32(estimate * COMPRESSION_RATE_ESTIMATION_FACTOR)
        return int32(RECORD_BATCH_OVERHEAD + int_of(estimate))

    def _header(self) -> BatchHeader:
        assert self._last_offset is not None  # it has records
        assert self._base_timestamp is not None
        by_broker = self._timestamp_type is TimestampType.LOG_APPEND_TIME
        producer = self._producer_state
        return BatchHeader(
            base_offset=self._base_offset,
            last_offset_delta=int32(self._last_offset - self._base_offset),
            compression=self._codec.id,
            timestamp_type=self._timestamp_type,
            base_timestamp=self._base_timestamp,
            max_timestamp=self._log_append_time if by_broker else self._max_timestamp,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            base_sequence=producer.base_sequence,
            is_transactional=producer.is_transactional,
            is_control_batch=self._is_control_batch,
            partition_leader_epoch=self._partition_leader_epoch,
            records=self._records,
            has_delete_horizon=self._has_delete_horizon,
        )
