"""Records of a log segment per second and core: as Arrow columns, by Java, by two libraries.

    python bench/records.py

A segment of 100-byte records in batches of 16 KiB (a key of 10 bytes, a value of 77), without
compression, with lz4 and with zstd. All contenders read it in this process, on one thread, in
turn, and check each checksum: from a file ``read_segment`` and Java's ``FileRecords``, from memory
``read_records``, Java's ``MemoryRecords`` and two libraries. Java iterates over the batches of
kafka-clients 3.8.0 as a consumer does, and looks at each record's offset, time, key and value.
kafka-python has no lz4 or zstd of its own. Then the other way round: a batch of 100 records from
Python objects, and batches of 16 KiB from columns.
"""

import argparse
import gc
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jpype
import numpy as np
import pyarrow as pa
from aiokafka.record.memory_records import (  # type: ignore[import-untyped]  # no type information
    MemoryRecords as AiokafkaRecords,
)
from kafka.record.default_records import (  # type: ignore[import-untyped]
    DefaultRecordBatchBuilder,
)
from kafka.record.memory_records import (  # type: ignore[import-untyped]
    MemoryRecords as KafkaPythonRecords,
)

from conformance.clients.versions import client_named
from conformance.jars.store import JarStore
from conformance.oracle.kafka_classes import RECORDS
from conformance.subjects.java_client import JavaSubject
from python_impl import kafka_3_8_0
from python_impl.records import read_records, read_segment, write_records

JAVA_SOURCE = """
package org.apache.kafka.common.record;

import java.nio.ByteBuffer;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.utils.CloseableIterator;

public class RecordLoops {
    public static byte[][] split(byte[] data, int size) {
        byte[][] parts = new byte[data.length / size][];
        for (int i = 0; i < parts.length; i++)
            parts[i] = java.util.Arrays.copyOfRange(data, i * size, (i + 1) * size);
        return parts;
    }

    public static long write(byte[][] keys, byte[][] values) {
        long written = 0;
        ByteBuffer buffer = ByteBuffer.allocate(16384);
        MemoryRecordsBuilder batch = null;
        for (int i = 0; i < keys.length; i++) {
            if (batch == null || !batch.hasRoomFor(i, keys[i], values[i], Record.EMPTY_HEADERS)) {
                if (batch != null)
                    written += batch.build().sizeInBytes();
                buffer.clear();
                batch = MemoryRecords.builder(buffer, RecordBatch.MAGIC_VALUE_V2, Compression.NONE,
                    TimestampType.CREATE_TIME, i);
            }
            batch.append(i, keys[i], values[i]);
        }
        return written + batch.build().sizeInBytes();
    }

    public static long read(byte[] data) {
        return read(MemoryRecords.readableRecords(ByteBuffer.wrap(data)));
    }

    public static long readFile(String path) throws java.io.IOException {
        try (FileRecords file = FileRecords.open(new java.io.File(path), false)) {
            return read(file);
        }
    }

    private static long read(Records all) {
        long seen = 0;
        BufferSupplier buffers = BufferSupplier.create();
        for (RecordBatch batch : all.batches()) {
            batch.ensureValid();
            try (CloseableIterator<Record> records = batch.streamingIterator(buffers)) {
                while (records.hasNext()) {
                    Record record = records.next();
                    seen += record.offset() ^ record.timestamp();
                    seen += record.key().remaining() + record.value().remaining();
                }
            }
        }
        return seen;
    }
}
"""
_BATCH = 16384
_KEY, _VALUE = 10, 77
_DISTINCT = 50
"""Batches that a segment repeats."""


@dataclass(frozen=True)
class Contender:
    """Something that handles ``records`` records each time it is called."""

    name: str
    records: int
    run: Callable[[], object]

    def seconds_per_record(self) -> float:
        """Without Python's collector of garbage, as timeit has it: it makes Java collect, too."""
        gc.collect()
        gc.disable()
        start = time.perf_counter()
        self.run()
        seconds = time.perf_counter() - start
        gc.enable()
        return seconds / self.records


def segment(codec: str, size: int, seed: int) -> tuple[bytes, int]:
    """At least so many bytes of batches before compression, and how many records they have."""
    rng = np.random.default_rng(seed)
    parts, records = [], 0
    for _ in range(_DISTINCT):
        batch = kafka_3_8_0.MemoryRecordsBuilder(compression=codec, write_limit=_BATCH)
        while not batch.is_full:
            # Digits, so that there is something to compress.
            value = b"%0*d" % (_VALUE, rng.integers(0, 10**18))
            batch.append(1_700_000_000_000 + batch.num_records, b"%0*d" % (_KEY, records), value)
            records += 1
        parts.append(batch.build())
    times = size // (_BATCH * _DISTINCT) + 1
    return b"".join(parts) * times, records * times


def readers(codec: str, size: int, file: Path, loops: Any) -> dict[str, list[Contender]]:
    """Of a file and of memory, ours first. The slow ones read fewer of the batches."""
    data, records = segment(codec, size, 1)
    few, fewer = segment(codec, size // 20, 1)
    file.write_bytes(data)
    java_data = jpype.JArray(jpype.JByte)(data)
    libraries = [Contender("aiokafka, compiled", fewer, lambda: by_aiokafka(few))]
    if codec == "none":
        libraries.append(Contender("kafka-python", fewer, lambda: by_kafka_python(few)))
    from_file = [
        Contender("read_segment", records, lambda: _rows(read_segment(file))),
        Contender("Java, FileRecords", records, lambda: loops.readFile(str(file))),
    ]
    from_memory = [
        Contender("read_records", records, lambda: _rows(read_records(data))),
        Contender("Java, MemoryRecords", records, lambda: loops.read(java_data)),
    ]
    for ours, java in (from_file, from_memory):
        if ours.run() != records:
            raise SystemExit(f"{ours.name} reads {ours.run()} of {records} records")
        for _ in range(5):
            java.run()
    if any(one.run() != fewer for one in libraries) or from_file[1].run() != from_memory[1].run():
        raise SystemExit("the readers do not agree")
    return {"from a file": from_file, "from memory": [*from_memory, *libraries]}


def _rows(reader: pa.RecordBatchReader) -> int:
    return sum(piece.num_rows for piece in reader)


def by_kafka_python(data: bytes) -> int:
    """How many records it reads."""
    return _count(KafkaPythonRecords(data))


def by_aiokafka(data: bytes) -> int:
    """How many records it reads."""
    return _count(AiokafkaRecords(data))


def _count(records: Any) -> int:
    seen = 0
    while records.has_next():
        batch = records.next_batch()
        batch.validate_crc()
        for record in batch:
            seen += record.key is not None
    return seen


def writers() -> list[Contender]:
    """A batch of 100 records from Python objects; ours first."""
    rows = [(1000 + n, b"%010d" % n, b"%077d" % (n * 7919)) for n in range(100)]

    def ours() -> bytes:
        batch = kafka_3_8_0.MemoryRecordsBuilder()
        for row in rows:
            batch.append(*row)
        return batch.build()

    def theirs() -> bytes:
        batch = DefaultRecordBatchBuilder(
            magic=2,
            compression_type=0,
            is_transactional=False,
            producer_id=-1,
            producer_epoch=-1,
            base_sequence=-1,
            batch_size=1 << 20,
        )
        for offset, (timestamp, key, value) in enumerate(rows):
            batch.append(offset, timestamp, key, value, [])
        return bytes(batch.build())

    if ours()[61:] != theirs()[61:]:
        raise SystemExit("the writers do not agree")
    return [
        Contender(name, 100 * 50, lambda run=run: [run() for _ in range(50)])  # type: ignore[misc]
        for name, run in (("MemoryRecordsBuilder", ours), ("kafka-python", theirs))
    ]


def column_writers(loops: Any, records: int) -> list[Contender]:
    """Batches of 16 KiB from columns, and from as many arrays of bytes in Java; ours first."""
    rng = np.random.default_rng(2)
    keys, values = (rng.bytes(records * size) for size in (_KEY, _VALUE))
    columns = pa.table(
        {
            "timestamp": np.arange(records),
            "key": _fixed(keys, _KEY, records),
            "value": _fixed(values, _VALUE, records),
        }
    )
    java = [
        loops.split(jpype.JArray(jpype.JByte)(data), size)
        for data, size in ((keys, _KEY), (values, _VALUE))
    ]

    def ours() -> int:
        return sum(map(len, write_records(columns)))

    for _ in range(5):
        loops.write(*java)
    return [
        Contender("write_records", records, ours),
        Contender("Java, append", records, lambda: loops.write(*java)),
    ]


def _fixed(data: bytes, size: int, records: int) -> pa.Array:
    offsets = pa.py_buffer(np.arange(records + 1, dtype=np.int32) * np.int32(size))
    return pa.Array.from_buffers(pa.binary(), records, [None, offsets, pa.py_buffer(data)])


def report(title: str, entries: list[Contender], rounds: int) -> None:
    times: list[list[float]] = [[] for _ in entries]
    for number in range(rounds):
        for turn in range(len(entries)):
            index = (turn + number) % len(entries)
            times[index].append(entries[index].seconds_per_record())
    print(f"\n{title}, {entries[0].records:,} records, {rounds} rounds")
    print(f"{'':22}{'million records/s':>18}   {entries[0].name} is faster by")
    for entry, taken in zip(entries, times, strict=True):
        ratios = [other / ours for other, ours in zip(taken, times[0], strict=True)]
        print(
            f"{entry.name:22}{1e-6 / statistics.median(taken):18.2f}   "
            f"{statistics.median(ratios):7.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        )


def report_memory(file: Path) -> None:
    """How much the process grows when it reads a segment four times as long."""
    data, _ = segment("none", 16 << 20, 1)
    for times in (4, 16):
        file.write_bytes(data * times)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in read_segment(file):
            pass
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        size = file.stat().st_size >> 20
        print(f"a segment of {size} MiB: the process grows by {grown >> 10} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    client = JavaSubject(JarStore()).client(client_named("3.8.0"), assertions=False)
    loops = client.neighbour(JAVA_SOURCE, f"{RECORDS}.RecordLoops", f"{RECORDS}.TimestampType")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "0.log"
        report_memory(file)
        for codec in ("none", "lz4", "zstd"):
            for place, entries in readers(codec, options.megabytes << 20, file, loops).items():
                report(f"reading {place}, {codec}", entries, options.rounds)
    report("writing a batch of 100 records", writers(), options.rounds)
    report("writing columns", column_writers(loops, 500_000), options.rounds)


if __name__ == "__main__":
    main()
