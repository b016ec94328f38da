"""The producer's memory, watched: who waits for it, and how much of it was ever in use."""

from python_impl.producer.buffer_pool import BufferPool, TimingOutBufferPool


class WatchedPool(BufferPool):
    """A :class:`BufferPool` for which somebody waits, or nobody."""

    def __init__(self, total_memory: int, poolable_size: int) -> None:
        super().__init__(total_memory, poolable_size)
        self.waiting = False
        """Whether the application waits for memory; then batches do not linger."""
        self.wanted = 0
        """The bytes that were asked for last."""
        self.most_used = 0
        """The most bytes that were in use at a time."""

    @property
    def queued(self) -> int:
        """How many threads wait for memory."""
        return int(self.waiting)

    @property
    def used(self) -> int:
        """Bytes in use."""
        return self.total_memory - self.available_memory

    def allocate(self, size: int) -> int:
        """See :class:`BufferPool`."""
        self.wanted = size
        allocated = super().allocate(size)
        self.most_used = max(self.most_used, self.used)
        return allocated


class WatchedTimingOutPool(WatchedPool, TimingOutBufferPool):
    """The same of 2.3.1."""


def watched_pool(kind: type[BufferPool]) -> type[WatchedPool]:
    """The watched kind of a release's pool."""
    return WatchedTimingOutPool if issubclass(kind, TimingOutBufferPool) else WatchedPool
