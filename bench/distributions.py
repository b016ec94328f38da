"""Distributions on Spark against Spark itself, as ratios within one run on local[2].

    python bench/distributions.py            # all four; about ten minutes
    python bench/distributions.py --only generated --records 5M

generated  Keys made, partitioned by the real Java client and by the port, compared record by
           record and counted; against Spark making the same keys with SQL functions and counting
           its own hash().
parquet    The same with keys read from a Parquet file; against Spark's hash() and groupBy on it.
scale      The time of ten times as many records; the memory of the workers meanwhile.
udf        Against what one would otherwise write: a PySpark UDF around kafka-python's murmur2.

The sides take turns, and a ratio is formed within a round, so a slow moment hits both.
"""

import argparse
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import IntegerType

from conformance.clients.versions import client_named
from conformance.commands.shared import parse_records
from conformance.distributions.key_families import KEY_FAMILIES
from conformance.distributions.key_file import KeyFile
from conformance.distributions.keyed import Keyed
from conformance.jars.lock import jars_of_clients
from conformance.jars.store import JarStore
from conformance.model.distribution import Block
from conformance.sampling.blocks import DIFFERENCES, Key, Order
from conformance.sampling.order import make_order
from conformance.spark.executor import beside_java
from conformance.spark.job import run_order
from conformance.spark.session import spark_session

CLIENTS = ("2.3.1", "3.2.3", "3.8.0")
CLIENT = client_named("3.8.0")
UUIDS = next(family for family in KEY_FAMILIES if family.name == "uuid")
PARTITIONS = 12


def ours(session: SparkSession, distribution: Keyed, records: int) -> float:
    """Seconds that a whole comparison of one distribution takes, Java and port."""
    order = Order(
        (distribution,), {distribution.name: records}, {distribution.name: (CLIENT,)}, seed=0
    )
    start = time.perf_counter()
    totals = run_order(session.sparkContext, order, beside_java("port"))
    seconds = time.perf_counter() - start
    measures = totals[Key(distribution.name, CLIENT.version, 1)]
    if measures.records != records or measures.counts[DIFFERENCES][0]:
        raise SystemExit(f"not the comparison that was meant: {measures}")
    return seconds


def mix64(number: Column) -> Column:
    """``key_families.mix64`` in SQL, whose int64 wraps in the same way when ANSI mode is off."""

    def signed(value: int) -> Column:
        return f.lit(value - 2**64 if value >= 2**63 else value)

    def folded(value: Column, bits: int) -> Column:
        return value.bitwiseXOR(f.shiftrightunsigned(value, bits))

    z = number + signed(0x9E3779B97F4A7C15)
    z = folded(z, 30) * signed(0xBF58476D1CE4E5B9)
    z = folded(z, 27) * signed(0x94D049BB133111EB)
    return folded(z, 31)


def uuid_keys(session: SparkSession, records: int) -> DataFrame:
    """The keys of the uuid family, made by Spark."""
    high = mix64(f.col("id")).bitwiseAND(~0xF000).bitwiseOR(0x4000)
    low = mix64(f.bitwise_not(f.col("id"))).bitwiseAND(2**62 - 1).bitwiseOR(f.lit(-(2**63)))
    words = session.range(0, records, 1, 64).select(
        f.lower(f.lpad(f.hex(high), 16, "0")).alias("h"),
        f.lower(f.lpad(f.hex(low), 16, "0")).alias("l"),
    )
    parts = [
        f.substring("h", 1, 8),
        f.substring("h", 9, 4),
        f.substring("h", 13, 4),
        f.substring("l", 1, 4),
        f.substring("l", 5, 12),
    ]
    return words.select(f.concat_ws("-", *parts).alias("key"))


def count_hash(keys: DataFrame) -> float:
    """Seconds of Spark's own hash() and groupBy over a column of keys."""
    start = time.perf_counter()
    keys.select(f.pmod(f.hash("key"), f.lit(PARTITIONS)).alias("p")).groupBy("p").count().collect()
    return time.perf_counter() - start


def count_udf(keys: DataFrame) -> float:
    """Seconds of what one would otherwise write."""
    # Imported here because only this benchmark has it.
    from kafka.partitioner.default import murmur2  # type: ignore[import-untyped]  # noqa: PLC0415

    def partition(key: str) -> int:
        return int((murmur2(key.encode()) & 0x7FFFFFFF) % PARTITIONS)

    start = time.perf_counter()
    keys.select(f.udf(partition, IntegerType())("key").alias("p")).groupBy("p").count().collect()
    return time.perf_counter() - start


@dataclass(frozen=True)
class Side:
    """One of two contenders: how many records it takes a round, and how long for them."""

    name: str
    records: int
    run: Callable[[], float]

    def rate(self) -> float:
        return self.records / self.run()


def compared(session: SparkSession, distribution: Keyed, records: int) -> Side:
    """Our side of each comparison but that of sizes."""
    return Side("Java and port, compared", records, lambda: ours(session, distribution, records))


def compare(title: str, mine: Side, other: Side, rounds: int) -> None:
    """Print both rates and the ratio of each round."""
    mine.rate(), other.rate()  # a round to warm up: JIT compilers, workers, file caches
    rates = []
    for number in range(rounds):
        sides = (mine, other) if number % 2 == 0 else (other, mine)
        taken = {side.name: side.rate() for side in sides}
        rates.append((taken[mine.name], taken[other.name]))
    ratios = [ours / theirs for ours, theirs in rates]
    print(f"\n{title}, {rounds} rounds")
    for side, values in zip((mine, other), zip(*rates, strict=True), strict=True):
        print(f"  {side.name:52} {statistics.median(values) / 1e6:8.3f} M/s")
    print(f"  ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


def generated(session: SparkSession, records: int, rounds: int) -> None:
    """Keys made on the spot."""
    spark_keys = uuid_keys(session, 1000).toPandas()["key"].tolist()
    our_keys = UUIDS.keys(Block(0, 0, 1000, (0,))).cast(pa.string()).to_pylist()
    if spark_keys != our_keys:
        raise SystemExit("Spark does not make the same keys")
    distribution = Keyed(UUIDS, partitions=PARTITIONS)
    compare(
        f"generated: {records:,} keys of 36 bytes",
        compared(session, distribution, records),
        Side("Spark's hash()", records, lambda: count_hash(uuid_keys(session, records))),
        rounds,
    )


def parquet(session: SparkSession, records: int, rounds: int) -> None:
    """Keys from a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "keys.parquet"
        write_keys(path, records)
        distribution = KeyFile.of(str(path), None, partitions=PARTITIONS)
        compare(
            f"parquet: {records:,} keys of 36 bytes, {path.stat().st_size / 1e6:.0f} MB",
            compared(session, distribution, records),
            Side("Spark's hash()", records, lambda: count_hash(session.read.parquet(str(path)))),
            rounds,
        )


def write_keys(path: Path, records: int, step: int = 1_000_000) -> None:
    """The keys of the uuid family as text, in row groups of a million."""
    with pq.ParquetWriter(path, pa.schema([("key", pa.string())])) as writer:
        for number, first in enumerate(range(0, records, step)):
            keys = UUIDS.keys(Block(number, first, min(step, records - first), (0,)))
            writer.write_table(pa.table({"key": keys.cast(pa.string())}))


def udf(session: SparkSession, records: int, rounds: int) -> None:
    """A Python function for each row."""
    few = records // 40
    distribution = Keyed(UUIDS, partitions=PARTITIONS)
    compare(
        f"udf: {records:,} keys, {few:,} for the UDF",
        compared(session, distribution, records),
        Side("UDF, kafka-python", few, lambda: count_udf(uuid_keys(session, few))),
        rounds,
    )


def scale(session: SparkSession, records: int, rounds: int) -> None:
    """A whole run of every distribution, and one of ten times its size."""
    del rounds

    def run(size: int) -> tuple[float, float]:
        order, _ = make_order(clients=CLIENTS, records=size)
        start = time.perf_counter()
        with peak_of_workers() as peak:
            run_order(session.sparkContext, order, beside_java("port"))
        return time.perf_counter() - start, max(peak)

    run(records)
    print(f"\nscale: all distributions, {records:,} and {10 * records:,} records")
    (few_seconds, few_peak), (many_seconds, many_peak) = run(records), run(10 * records)
    print(f"  {few_seconds:.1f} s and {many_seconds:.1f} s, ratio {many_seconds / few_seconds:.2f}")
    print(f"  largest Python worker: {few_peak:,.0f} MiB and {many_peak:,.0f} MiB")


@contextmanager
def peak_of_workers() -> Iterator[list[float]]:
    """Watch the resident memory of the largest Python worker, its JVM included (MiB)."""
    seen = [0.0]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.5):
            for process in psutil.Process().children(recursive=True):
                with suppress(psutil.Error):  # it may have ended
                    if "pyspark.daemon" in " ".join(process.cmdline()):
                        seen.append(process.memory_info().rss / 2**20)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        done.set()
        thread.join()


BENCHMARKS: dict[str, tuple[Callable[[SparkSession, int, int], None], str]] = {
    "generated": (generated, "20M"),
    "parquet": (parquet, "20M"),
    "udf": (udf, "8M"),
    "scale": (scale, "10M"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", choices=BENCHMARKS, action="append")
    parser.add_argument("--records", help="instead of each benchmark's own number")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    jars: list[Any] = JarStore().ensure(jars_of_clients(CLIENTS))
    with spark_session("local[2]", list(dict.fromkeys(jars))) as context:
        session = SparkSession(context)
        session.conf.set("spark.sql.ansi.enabled", "false")
        for name in options.only or BENCHMARKS:
            run, records = BENCHMARKS[name]
            run(session, parse_records(options.records or records), options.rounds)


if __name__ == "__main__":
    main()
