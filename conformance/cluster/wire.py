"""The few requests of Kafka's protocol that a cluster needs: who is there, and a new topic.

Written by hand, because a client is what others try on the cluster: none of them has to work for
it. Versions of requests are the last before tagged fields; field names are those of Kafka's
``MetadataRequest.json`` and ``CreateTopicsRequest.json``.
"""

import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

HOST: Final = "127.0.0.1"
_METADATA: Final = (3, 4)
_CREATE_TOPICS: Final = (19, 2)
_CORRELATION: Final = 7
_CLIENT: Final = "kafka-conformance"
_MOST_BYTES: Final = 2**24
_BAD_ARGUMENTS: Final = frozenset((17, 36, 37, 38, 39, 40, 42, 44))
"""INVALID_TOPIC, exists, INVALID_PARTITIONS, _REPLICATION_FACTOR, _REPLICA_ASSIGNMENT, _CONFIG,
_REQUEST, POLICY_VIOLATION."""


class WireError(Exception):
    """No answer, or none that can be read: nobody listens, or it is no broker, or not yet."""


@dataclass(frozen=True)
class Metadata:
    """What a broker knows of its cluster: live brokers' addresses by id, leaders by partition."""

    cluster_id: str | None
    brokers: Mapping[int, tuple[str, int]]
    leaders: Mapping[tuple[str, int], int]


@dataclass(frozen=True)
class Refusal:
    """What a broker says against a new topic; ``is_mistake`` if others would say so, too."""

    code: int
    message: str

    @property
    def is_mistake(self) -> bool:
        """Whether it is about what was asked for, and not about the state of the cluster."""
        return self.code in _BAD_ARGUMENTS


def ask_metadata(port: int, topics: Sequence[str] = (), seconds: float = 2.0) -> Metadata:
    """What the broker at a port knows of its cluster and of these topics.

    In KRaft mode the brokers are those that the controller has registered and does not fence
    (``KRaftMetadataCache.getAliveBrokerNodes``). Raises :class:`WireError`.
    """
    body = _array([_text(topic) for topic in topics]) + b"\0"  # allow_auto_topic_creation: no
    try:
        return _metadata(_Answer(_ask(port, _METADATA, body, seconds)))
    except (OSError, struct.error, UnicodeDecodeError, ValueError) as error:
        raise WireError(str(error)) from error


def create_topic(
    port: int, name: str, replicas: Mapping[int, Sequence[int]], configs: Mapping[str, str]
) -> Refusal | None:
    """Ask the broker at a port for a topic; None if it was made.

    ``replicas`` has the brokers of each partition, its preferred leader first. Raises
    :class:`WireError`.
    """
    seconds = 30.0
    try:
        assignments = [
            struct.pack(">i", partition) + _array([struct.pack(">i", one) for one in brokers])
            for partition, brokers in replicas.items()
        ]
        settings = [_text(key) + _text(value) for key, value in configs.items()]
        # With assignments, num_partitions and replication_factor are -1.
        topic = _text(name) + struct.pack(">ih", -1, -1) + _array(assignments) + _array(settings)
        body = _array([topic]) + struct.pack(">i?", round(seconds * 1000), False)
        answer = _Answer(_ask(port, _CREATE_TOPICS, body, seconds + 5))
        answer.number("i")  # throttle_time_ms
        answer.number("i")
        answer.text()
        code, message = answer.number("h"), answer.text()
    except (OSError, struct.error, UnicodeDecodeError, ValueError) as error:
        raise WireError(str(error)) from error
    return None if code == 0 else Refusal(code, message or f"error {code}")


def _ask(port: int, request: tuple[int, int], body: bytes, seconds: float) -> bytes:
    """The answer's body; raises :class:`OSError` or :class:`ValueError`."""
    header = struct.pack(">hhi", *request, _CORRELATION) + _text(_CLIENT)
    with socket.create_connection((HOST, port), seconds) as connection:
        connection.sendall(struct.pack(">i", len(header) + len(body)) + header + body)
        (size,) = struct.unpack(">i", _read(connection, 4))
        if not 4 <= size <= _MOST_BYTES:
            raise ValueError(f"an answer of {size} bytes")
        answer = _read(connection, size)
    if struct.unpack(">i", answer[:4]) != (_CORRELATION,):
        raise ValueError("an answer to another request")
    return answer[4:]


def _read(connection: socket.socket, size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        data = connection.recv(size - len(found))
        if not data:
            raise ConnectionResetError("the connection was closed before the answer was complete")
        found += data
    return bytes(found)


def _metadata(answer: "_Answer") -> Metadata:
    answer.number("i")  # throttle_time_ms
    brokers = {}
    for _ in range(answer.number("i")):
        node, host, port = answer.number("i"), answer.text(), answer.number("i")
        answer.text()  # rack
        brokers[node] = (host or "", port)
    cluster_id = answer.text()
    answer.number("i")  # controller_id: any live broker, in KRaft mode
    leaders = {}
    for _ in range(answer.number("i")):
        answer.number("h")  # error_code: a topic that is not there has no partitions
        name = answer.text() or ""
        answer.number("b")  # is_internal
        for _ in range(answer.number("i")):
            answer.number("h")
            partition, leader = answer.number("i"), answer.number("i")
            for _ in ("replica_nodes", "isr_nodes"):
                for _ in range(answer.number("i")):
                    answer.number("i")
            leaders[name, partition] = leader
    return Metadata(cluster_id, brokers, leaders)


class _Answer:
    """Reads fields one after the other; raises :class:`struct.error` beyond the end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def number(self, form: str) -> int:
        """A big-endian integer of one of ``struct``'s forms."""
        (found,) = struct.unpack_from(f">{form}", self._data, self._at)
        self._at += struct.calcsize(form)
        return int(found)

    def text(self) -> str | None:
        """A nullable string."""
        size = self.number("h")
        if size < 0:
            return None
        if self._at + size > len(self._data):
            raise ValueError("an answer that ends in the middle of a text")
        self._at += size
        return self._data[self._at - size : self._at].decode("utf-8")


def _text(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return struct.pack(">h", len(data)) + data


def _array(parts: Sequence[bytes]) -> bytes:
    return struct.pack(">i", len(parts)) + b"".join(parts)
