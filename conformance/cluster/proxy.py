"""A proxy on loopback before a broker, which takes its time with each request."""

import asyncio
import struct
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final

from conformance.cluster.wire import HOST
from conformance.errors import ClusterError

_MOST_BYTES: Final = 128 * 2**20
"""Of a request; a broker takes 100 MiB at most."""
_START_SECONDS: Final = 10.0


class DelayingProxies:
    """Proxies before brokers, each at a port of its own, in one thread.

    A request (a size of four bytes, and so many more) is handed on whole, a delay after it came or
    after the one before it on its connection was handed on, whichever is later: so a connection is
    served by somebody who takes that long for each request, one at a time, as a broker serves it.
    Answers go back at once. Use it as a context manager; entering raises :class:`ClusterError` if
    a port is taken.
    """

    def __init__(self, targets: dict[int, int]) -> None:
        """``targets`` has the broker's port by that of its proxy."""
        self._targets = targets
        self._delays_ms = dict.fromkeys(targets, 0.0)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxies", daemon=True)
        self._servers: list[asyncio.Server] = []
        self._connections: set[asyncio.Task[None]] = set()

    def set_delay(self, port: int, delay_ms: float) -> None:
        """From now on a request through that port takes so long; those that wait keep theirs."""
        self._delays_ms[port] = delay_ms

    def __enter__(self) -> "DelayingProxies":
        self._thread.start()
        try:
            self._in_loop(self._listen())
        except OSError as error:
            self.__exit__()
            raise ClusterError(
                f"A proxy cannot listen: {error.strerror or error}.",
                "Somebody took its port before it could; start again, with other ports.",
            ) from error
        return self

    def __exit__(self, *_: object) -> None:
        self._in_loop(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _in_loop(self, what: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(what, self._loop).result(_START_SECONDS)

    async def _listen(self) -> None:
        for port, target in self._targets.items():
            self._servers.append(
                await asyncio.start_server(self._handler(port, target), HOST, port)
            )

    async def _close(self) -> None:
        for server in self._servers:
            server.close()
        for connection in [*self._connections]:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _handler(self, port: int, target: int) -> Any:
        async def handle(client: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            self._connections.add(task)
            try:
                await self._serve(port, target, client, answers)
            except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass  # one of the two has gone, which the other is told by the end of its own
            finally:
                self._connections.discard(task)
                answers.close()

        return handle

    async def _serve(
        self, port: int, target: int, client: asyncio.StreamReader, answers: asyncio.StreamWriter
    ) -> None:
        broker, requests = await asyncio.open_connection(HOST, target)
        back = asyncio.ensure_future(_copied(broker, answers))
        forth = asyncio.ensure_future(self._delayed(port, client, requests))
        try:
            # Whoever ends first ends both: half a connection is of no use to anybody.
            await asyncio.wait({back, forth}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            requests.close()
            for one in (back, forth):
                one.cancel()
            await asyncio.gather(back, forth, return_exceptions=True)

    async def _delayed(
        self, port: int, client: asyncio.StreamReader, requests: asyncio.StreamWriter
    ) -> None:
        while True:
            size = await client.readexactly(4)
            (count,) = struct.unpack(">i", size)
            if not 0 <= count <= _MOST_BYTES:
                return
            request = await client.readexactly(count)
            delay_ms = self._delays_ms[port]
            if delay_ms:
                await asyncio.sleep(delay_ms / 1e3)
            requests.write(size + request)
            await requests.drain()


async def _copied(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await source.read(2**16):
            sink.write(data)
            await sink.drain()
