"""The memory of a producer's batches (``buffer.memory``).

Follows ``org.apache.kafka.clients.producer.internals.BufferPool``. A buffer is its capacity in
bytes here: nobody looks into it. Nothing waits: where Java would block, ``allocate`` is refused, as
with ``max.block.ms`` of 0.
"""

from typing import ClassVar

from ..errors import (
    JavaBufferExhaustedError,
    JavaError,
    JavaIllegalArgumentError,
    JavaKafkaError,
    JavaTimeoutError,
)
from ..int32 import int32


class BufferPool:
    """Buffers of one size are kept for the next batch; others are returned at once .

    ``total_memory`` and ``poolable_size`` are bytes.
    """

    exhausted: ClassVar[type[JavaError]] = JavaBufferExhaustedError

    def __init__(self, total_memory: int, poolable_size: int) -> None:
        self.total_memory = total_memory
        self.poolable_size = poolable_size
        self._non_pooled = total_memory
        self._free = 0
        self._closed = False

    @property
    def available_memory(self) -> int:
        """Bytes that are not in use."""
        return self._non_pooled + self._free * self.poolable_size

    @property
    def unallocated_memory(self) -> int:
        """Bytes that are neither in use nor kept as buffers."""
        return self._non_pooled

    @property
    def queued(self) -> int:
        """How many threads wait for memory."""
        return 0

    def allocate(self, size: int) -> int:
        """A buffer of so many bytes (int32), which it answers.

        Raises :class:`JavaIllegalArgumentError` for more than there is in all, the error of
        :attr:`exhausted` for more than is free, and :class:`JavaKafkaError` if the pool is closed.
        """
        if size > self.total_memory:
            raise JavaIllegalArgumentError(
                f"Attempt to allocate {size} bytes, but there is a hard limit of "
                f"{self.total_memory} on memory allocations."
            )
        if self._closed:
            raise JavaKafkaError("Producer closed while allocating memory")
        if size == self.poolable_size and self._free:
            self._free -= 1
            return size
        if self._non_pooled + int32(self._free * self.poolable_size) < size:
            raise self.exhausted(
                f"Failed to allocate {size} bytes; {self.available_memory} are free"
            )
        while self._free and self._non_pooled < size:
            self._free -= 1
            self._non_pooled += self.poolable_size
        self._non_pooled -= size
        return size

    def deallocate(self, capacity: int, size: int | None = None) -> None:
        """Return a buffer of that capacity that was allocated with that size (by default the same).

        One that has grown since is not kept; nor is one of another size than the pool's.
        """
        size = capacity if size is None else size
        if size == self.poolable_size and size == capacity:
            self._free += 1
        else:
            self._non_pooled += size

    def close(self) -> None:
        """Refuse to allocate from now on."""
        self._closed = True


class TimingOutBufferPool(BufferPool):
    """The same in 2.3.1, which has no error of its own for it, and is never closed."""

    exhausted = JavaTimeoutError

    def close(self) -> None:
        """Does nothing: an accumulator that is closed takes no record before it asks for memory."""
