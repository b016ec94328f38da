"""A producer's memory for which threads wait, those that came first before all others.

Follows ``org.apache.kafka.clients.producer.internals.BufferPool.allocate`` where it blocks. Nothing
here blocks: whoever waits asks from time to time whether it has its memory.
"""

from collections import deque

from .buffer_pool import BufferPool


class Waiter:
    """A thread that asked for ``size`` bytes, and has ``taken`` so many of them.

    ``refused`` says that the pool was closed meanwhile.
    """

    __slots__ = ("refused", "size", "taken")

    def __init__(self, size: int) -> None:
        self.size = size
        self.taken = 0
        self.refused = False

    @property
    def has_memory(self) -> bool:
        """Whether it need not wait any longer."""
        return self.taken == self.size


class WaitingPool(BufferPool):
    """A :class:`BufferPool` with waiters.

    Of what is returned the first waiter takes what it needs, piece by piece. A thread that does not
    wait may overtake it with what is left.
    """

    def __init__(self, total_memory: int, poolable_size: int) -> None:
        super().__init__(total_memory, poolable_size)
        self._waiters: deque[Waiter] = deque()

    @property
    def queued(self) -> int:
        """See :class:`BufferPool`."""
        return len(self._waiters)

    def request(self, size: int) -> Waiter:
        """Ask for so many bytes (int32), and wait for them if they are not free.

        Raises as :meth:`BufferPool.allocate` does, but not for want of memory.
        """
        waiter = Waiter(size)
        try:
            super().allocate(size)
        except self.exhausted:
            # It takes nothing before something is returned.
            self._waiters.append(waiter)
        else:
            waiter.taken = size
            self._serve()
        return waiter

    def give_up(self, waiter: Waiter) -> None:
        """Let one go that has waited for too long; what it has taken is free again."""
        self._waiters.remove(waiter)
        self._non_pooled += waiter.taken
        waiter.taken = 0
        self._serve()

    def deallocate(self, capacity: int, size: int | None = None) -> None:
        """See :class:`BufferPool`."""
        super().deallocate(capacity, size)
        self._serve()

    def close(self) -> None:
        """See :class:`BufferPool`; all who wait are refused."""
        super().close()
        while self._closed and self._waiters:
            waiter = self._waiters.popleft()
            waiter.refused = True
            self._non_pooled += waiter.taken
            waiter.taken = 0

    def _serve(self) -> None:
        """Give waiters what is free: the first one all of it, or what it needs."""
        while self._waiters and (self._non_pooled or self._free):
            waiter = self._waiters[0]
            self._take(waiter)
            if not waiter.has_memory:
                return
            self._waiters.popleft()

    def _take(self, waiter: Waiter) -> None:
        if not waiter.taken and waiter.size == self.poolable_size and self._free:
            self._free -= 1
            waiter.taken = waiter.size
            return
        needed = waiter.size - waiter.taken
        while self._free and self._non_pooled < needed:
            self._free -= 1
            self._non_pooled += self.poolable_size
        got = min(needed, self._non_pooled)
        self._non_pooled -= got
        waiter.taken += got
