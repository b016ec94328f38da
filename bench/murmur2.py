"""Keys hashed per second and core: key columns with Numba and without, Java, two libraries.

    python bench/murmur2.py

All contenders run in this process, on one thread, in turn, on the same keys: random bytes,
(a) of 0 to 64 bytes in random order and (b) of 36 bytes. The Java contender is a loop over a
``byte[][]`` that calls ``Utils.murmur2`` of kafka-clients 3.8.0 in the oracle's JVM, warmed up.
A ratio is formed within a round, so a slow moment of the machine hits both sides.
"""

import argparse
import statistics
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jpype
import mmh3
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from kafka.partitioner.default import (  # type: ignore[import-untyped]  # no type information
    murmur2 as kafka_python_murmur2,
)

from conformance.clients.versions import client_named
from conformance.jars.store import JarStore
from conformance.subjects.java_client import JavaSubject
from python_impl.columns import murmur2_column

JAVA_SOURCE = """
import org.apache.kafka.common.utils.Utils;

public class Loop {
    public static byte[][] split(byte[] data, int[] offsets) {
        byte[][] keys = new byte[offsets.length - 1][];
        for (int i = 0; i < keys.length; i++)
            keys[i] = java.util.Arrays.copyOfRange(data, offsets[i], offsets[i + 1]);
        return keys;
    }

    public static int hash(byte[][] keys) {
        int all = 0;
        for (int i = 0; i < keys.length; i++)
            all ^= Utils.murmur2(keys[i]);
        return all;
    }
}
"""
WARM_UP = 20


@dataclass(frozen=True)
class Contender:
    """Something that hashes ``keys`` keys each time it is called."""

    name: str
    keys: int
    run: Callable[[], object]

    def seconds_per_key(self) -> float:
        start = time.perf_counter()
        self.run()
        return (time.perf_counter() - start) / self.keys


def java_loop() -> Any:
    """The class of ``JAVA_SOURCE``, compiled against the client; starts the JVM."""
    client = JavaSubject(JarStore()).client(client_named("3.8.0"), assertions=False)
    return client.helper(JAVA_SOURCE, "Loop")


def contenders(loop: Any, lengths: npt.NDArray[np.int64], seed: int) -> list[Contender]:
    """Ours first. The slow ones hash fewer of the keys."""
    offsets = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    data = np.random.default_rng(seed).integers(0, 256, offsets[-1], dtype=np.uint8)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    column = pa.Array.from_buffers(pa.binary(), len(lengths), buffers)
    java_keys = loop.split(jpype.JArray(jpype.JByte)(data.view(np.int8)), offsets)
    fewer = column.slice(0, len(column) // 5)
    keys = fewer.to_pylist()
    few = keys[: len(keys) // 10]
    for _ in range(WARM_UP):
        java_hash = loop.hash(java_keys)
    if java_hash != np.bitwise_xor.reduce(murmur2_column(column).to_numpy()):
        raise SystemExit("the column and Java do not agree")
    return [
        Contender("murmur2_column", len(column), lambda: murmur2_column(column)),
        Contender("Java loop", len(column), lambda: loop.hash(java_keys)),
        Contender("without Numba", len(fewer), lambda: murmur2_column(fewer, compiled=False)),
        Contender("mmh3 (murmur3) in a loop", len(keys), lambda: [mmh3.hash(k) for k in keys]),
        Contender(
            "kafka-python in a loop", len(few), lambda: [kafka_python_murmur2(k) for k in few]
        ),
    ]


def scratch_bytes(run: Callable[[], object]) -> int:
    """Peak memory during ``run`` beyond its result: Python's, NumPy's, Numba's and Arrow's."""
    arrow_before = pa.total_allocated_bytes()
    tracemalloc.start()
    result = run()
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    arrow = pa.total_allocated_bytes() - arrow_before
    del result
    return int(peak - kept + arrow)


def report(title: str, entries: list[Contender], rounds: int) -> None:
    times: list[list[float]] = [[] for _ in entries]
    for number in range(rounds):
        for turn in range(len(entries)):
            index = (turn + number) % len(entries)
            times[index].append(entries[index].seconds_per_key())
    print(f"\n{title}, {entries[0].keys:,} keys, {rounds} rounds")
    print(f"{'':26}{'million keys/s':>15}{'ns/key':>10}   murmur2_column is faster by")
    for entry, taken in zip(entries, times, strict=True):
        ratios = [other / ours for other, ours in zip(taken, times[0], strict=True)]
        middle = statistics.median(taken)
        print(
            f"{entry.name:26}{1e-6 / middle:15.2f}{middle * 1e9:10.2f}   "
            f"{statistics.median(ratios):7.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        )
    scratch = scratch_bytes(entries[0].run)
    print(
        f"scratch of murmur2_column: {scratch:,} bytes in all,"
        f" {scratch / entries[0].keys:.3f} per key; result: 4 per key"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    loop = java_loop()
    rng = np.random.default_rng(1)
    mixed = rng.integers(0, 64, options.keys, endpoint=True)
    report("(a) 0 to 64 bytes, mixed", contenders(loop, mixed, 2), options.rounds)
    equal = np.full(options.keys, 36)
    report("(b) 36 bytes", contenders(loop, equal, 3), options.rounds)


if __name__ == "__main__":
    main()
