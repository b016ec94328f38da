"""Just enough of a Kafka broker for librdkafka to send batches to, and to fetch bytes from.

It listens on the loopback interface and has one topic with one partition. Its versions are old, so
that no header has tags, but new enough for zstd. librdkafka's own mock broker would be no help: it
writes base offsets anew, and hands out only what was produced to it.
"""

import socket
import struct
import threading
from contextlib import suppress
from queue import SimpleQueue

TOPIC = "t"
_PRODUCE, _FETCH, _METADATA, _FIND_COORDINATOR, _API_VERSIONS = 0, 1, 3, 10, 18
# Key, lowest and highest version. librdkafka compresses by lz4 only where groups have coordinators.
_VERSIONS = (
    (_PRODUCE, 3, 7),
    (_FETCH, 4, 10),
    (_METADATA, 1, 1),
    (_FIND_COORDINATOR, 0, 0),
    (_API_VERSIONS, 0, 0),
)
_UNSUPPORTED_VERSION, _NO_COORDINATOR = 35, 15
_END = 2**63 - 1  # of the partition: whatever offset a consumer has reached, there is more
_NONE = struct.pack(">i", -1)


def _text(text: str) -> bytes:
    return struct.pack(">h", len(text)) + text.encode()


class _Request:
    """The fields of a request, one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def number(self, form: str) -> int:
        (number,) = struct.unpack_from(">" + form, self._data, self._at)
        self._at += struct.calcsize(">" + form)
        return int(number)

    def skip_text(self) -> None:
        size = self.number("h")
        self._at += max(0, size)

    def data(self) -> bytes:
        size = self.number("i")
        self._at += size
        return self._data[self._at - size : self._at]


class Broker:
    """It hands over what is produced, and hands out what it is given."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self._port = self._server.getsockname()[1]
        self.address = f"127.0.0.1:{self._port}"
        self.produced: SimpleQueue[bytes] = SimpleQueue()
        self.is_read = threading.Event()
        """Set when a consumer asks for more than it was given: it is through with all of that."""
        self._to_fetch: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=self._accept, daemon=True).start()

    def hand_out(self, data: bytes) -> None:
        """Give these bytes to the consumer that asks next, whatever the offset."""
        self.is_read.clear()
        self._to_fetch.put(data)

    def _accept(self) -> None:
        while True:
            connection, _ = self._server.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._converse, args=(connection,), daemon=True).start()

    def _converse(self, connection: socket.socket) -> None:
        """Until the client hangs up, which may be while it is answered."""
        with suppress(OSError), connection, connection.makefile("rb") as requests:
            while len(size := requests.read(4)) == 4:
                request = _Request(requests.read(*struct.unpack(">i", size)))
                api, version = request.number("h"), request.number("h")
                correlation = struct.pack(">i", request.number("i"))
                request.skip_text()  # the client's id
                answer = self._answer(api, version, request)
                if answer is not None:
                    size = struct.pack(">i", len(correlation) + len(answer))
                    connection.sendall(size + correlation + answer)

    def _answer(self, api: int, version: int, request: _Request) -> bytes | None:
        if api == _API_VERSIONS:
            error = 0 if version == 0 else _UNSUPPORTED_VERSION
            known = [struct.pack(">hhh", *numbers) for numbers in _VERSIONS]
            return struct.pack(">hi", error, len(known)) + b"".join(known)
        if api == _METADATA:
            return self._metadata()
        if api == _PRODUCE:
            return self._produce(version, request)
        if api == _FETCH:
            return self._fetch(version)
        assert api == _FIND_COORDINATOR
        return struct.pack(">hihi", _NO_COORDINATOR, -1, 0, 0)

    def _metadata(self) -> bytes:
        """One broker, number 0, which leads all there is."""
        brokers = struct.pack(">ii", 1, 0) + _text("127.0.0.1") + struct.pack(">ih", self._port, -1)
        partition = struct.pack(">ihiiiiii", 1, 0, 0, 0, 1, 0, 1, 0)
        topics = struct.pack(">iih", 0, 1, 0) + _text(TOPIC) + b"\0" + partition
        return brokers + topics

    def _produce(self, version: int, request: _Request) -> bytes:
        request.skip_text()  # a transaction's id
        request.number("h"), request.number("i")  # acks, timeout
        for _ in range(request.number("i")):
            request.skip_text()  # the topic
            for _ in range(request.number("i")):
                request.number("i")  # the partition
                self.produced.put(request.data())
        offsets = struct.pack(">qq", 0, -1) + (struct.pack(">q", 0) if version >= 5 else b"")
        taken = struct.pack(">i", 1) + _text(TOPIC) + struct.pack(">iih", 1, 0, 0) + offsets
        return taken + struct.pack(">i", 0)

    def _fetch(self, version: int) -> bytes | None:
        """The bytes to be handed out; nothing, for ever, to who asks for more."""
        if self._to_fetch.empty():
            self.is_read.set()
            return None
        data = self._to_fetch.get()
        session = struct.pack(">hi", 0, 0) if version >= 7 else b""
        partition = struct.pack(">iihqq", 1, 0, 0, _END, _END)
        partition += (struct.pack(">q", 0) if version >= 5 else b"") + _NONE
        head = struct.pack(">i", 0) + session + struct.pack(">i", 1) + _text(TOPIC) + partition
        return head + struct.pack(">i", len(data)) + data
