"""The producer's memory, watched: who waits for it, and how much of it was ever in use."""

from python_impl.producer.buffer_pool import BufferPool, TimingOutBufferPool
from python_impl.producer.waiting_pool import Waiter, WaitingPool


class WatchedPool(WaitingPool):
    """A :class:`WaitingPool` for one thread, the application's.

    A send without memory is refused, and tried again when its memory is there, or when its time has
    passed; as long as it waits, batches do not linger.
    """

    def __init__(self, total_memory: int, poolable_size: int) -> None:
        super().__init__(total_memory, poolable_size)
        self.most_used = 0
        """The most bytes that were in use at a time."""
        self._waiter: Waiter | None = None

    @property
    def used(self) -> int:
        """Bytes in use, those that the application has got and waits for more included."""
        return self.total_memory - self.available_memory

    @property
    def has_memory(self) -> bool:
        """Whether there is what the application waits for."""
        return self._waiter is not None and self._waiter.has_memory

    def allocate(self, size: int) -> int:
        """See :class:`BufferPool`; who is refused waits from then on."""
        waiter, self._waiter = self._waiter, None
        if waiter is None:
            waiter = self.request(size)
        if not waiter.has_memory:
            self._waiter = waiter
            raise self.exhausted(f"{size} bytes are not free")
        self.most_used = max(self.most_used, self.used)
        return size

    def stop_waiting(self) -> None:
        """The application does not wait any longer."""
        if self._waiter is not None:
            self.give_up(self._waiter)
            self._waiter = None


class WatchedTimingOutPool(WatchedPool, TimingOutBufferPool):
    """The same of 2.3.1."""


def watched_pool(kind: type[BufferPool]) -> type[WatchedPool]:
    """The watched kind of a release's pool."""
    return WatchedTimingOutPool if issubclass(kind, TimingOutBufferPool) else WatchedPool
