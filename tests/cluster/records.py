"""Records to a broker and back, by two requests written by hand and the port's batches."""

import socket
import struct
from pathlib import Path

import psutil

from conformance.cluster.wire import HOST
from python_impl.kafka_3_8_0 import MemoryRecordsBuilder
from python_impl.records import read_batches


def address_of(bootstrap_servers: str, broker_id: int) -> int:
    """The port at which clients find a broker."""
    return int(bootstrap_servers.split(",")[broker_id].rpartition(":")[2])


def produce(port: int, topic: str, partition: int, value: bytes) -> int:
    """Append one record with acks=all; its offset."""
    builder = MemoryRecordsBuilder()
    builder.append(1_000, b"key", value, [])
    batch = builder.build()
    answer = _call(
        port,
        (0, 3),
        struct.pack(">hhi", -1, -1, 10_000)
        + _one_partition(topic, partition)
        + struct.pack(">i", len(batch))
        + batch,
    )
    # One topic's name, one partition: index, error code, base offset.
    error, offset = struct.unpack_from(">hq", answer, 4 + 2 + len(topic) + 4 + 4)
    assert error == 0, f"error {error}"
    return int(offset)


def fetch(port: int, topic: str, partition: int) -> list[bytes | None]:
    """The values of all records of a partition."""
    answer = _call(
        port,
        (1, 4),
        struct.pack(">iiiib", -1, 1_000, 1, 2**20, 0)
        + _one_partition(topic, partition)
        + struct.pack(">qi", 0, 2**20),
    )
    at = 4 + 4 + 2 + len(topic) + 4
    _, error, _, _, aborted, size = struct.unpack_from(">ihqqii", answer, at)
    assert (error, aborted) == (0, -1)
    return values(answer[-size:])


def values(data: bytes) -> list[bytes | None]:
    """The values of the records in some batches."""
    return [record.value for batch in read_batches(data) for record in batch]


def segment(log_folder: Path, topic: str, partition: int) -> bytes:
    """The bytes of the only segment of a partition."""
    [path] = (log_folder / f"{topic}-{partition}").glob("*.log")
    return path.read_bytes()


def brokers_below(folder: Path) -> list[psutil.Process]:
    """The brokers that run in a folder."""
    found = []
    for process in psutil.process_iter():
        try:
            if "kafka.Kafka" in process.cmdline() and process.cwd().startswith(str(folder)):
                found.append(process)
        except psutil.Error:
            continue
    return found


def _one_partition(topic: str, partition: int) -> bytes:
    name = topic.encode()
    return struct.pack(f">ih{len(name)}sii", 1, len(name), name, 1, partition)


def _call(port: int, request: tuple[int, int], body: bytes) -> bytes:
    """The answer's body, behind the correlation id."""
    header = struct.pack(">hhih", *request, 1, -1)
    with socket.create_connection((HOST, port), 30) as connection:
        connection.sendall(struct.pack(">i", len(header) + len(body)) + header + body)
        with connection.makefile("rb") as file:
            (size,) = struct.unpack(">i", file.read(4))
            return file.read(size)[4:]
