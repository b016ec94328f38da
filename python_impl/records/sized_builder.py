"""A batch of which nobody needs the bytes: as large as a real one, and cheaper."""

from .batch import RECORD_BATCH_OVERHEAD
from .builder import MemoryRecordsBuilder
from .record import Headers, record_size


class SizedRecordsBuilder(MemoryRecordsBuilder):
    """A :class:`MemoryRecordsBuilder` that counts bytes and keeps none, for many records.

    It says of itself what the other one would, and refuses the same. Only without compression:
    what a codec makes of records is not known without them.
    """

    def __init__(self, *, write_limit: int, compression: str = "none") -> None:
        if compression != "none":
            raise ValueError(f"sizes alone do not tell what {compression} makes of records")
        super().__init__(write_limit=write_limit)
        self._closed = False

    @property
    def is_closed(self) -> bool:
        """Whether its size is final."""
        return self._closed

    @property
    def is_full(self) -> bool:
        """Whether no record can be appended."""
        written = RECORD_BATCH_OVERHEAD + self._uncompressed_size
        return not self._open or (self._records > 0 and self._write_limit <= written)

    @property
    def estimated_size_in_bytes(self) -> int:
        """Bytes of the batch; none of an empty one that is closed."""
        if self._closed and self._records == 0:
            return 0
        return RECORD_BATCH_OVERHEAD + self._uncompressed_size

    def close_for_record_appends(self) -> None:
        """End the records."""
        self._open = False

    def close(self) -> None:
        """Make the size final; raises what the other's does."""
        self._check_close()
        if not self._closed:
            self._producer_state.check(self._is_control_batch)
            self._open = False
            self._closed = True

    def reopen_and_rewrite_producer_state(
        self, producer_id: int, producer_epoch: int, base_sequence: int, is_transactional: bool
    ) -> None:
        """Let a closed batch get other producer state; raises what the other's does."""
        super().reopen_and_rewrite_producer_state(
            producer_id, producer_epoch, base_sequence, is_transactional
        )
        self._closed = False

    def build(self) -> bytes:
        """Raises ``TypeError``: there are no bytes."""
        raise TypeError("a batch that counts its bytes has none to be sent")

    def _write_record(
        self,
        offset_delta: int,
        timestamp_delta: int,
        key: bytes | None,
        value: bytes | None,
        headers: Headers | None,
    ) -> int:
        return record_size(offset_delta, timestamp_delta, key, value, headers)
