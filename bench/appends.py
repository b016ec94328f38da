"""What appending a record to an accumulator costs.

    python bench/appends.py

The same records go to the port's accumulator (3.8.0), which writes them or only counts their bytes,
and to kafka-python's, which writes them; to a partition in turn, and to the one that the port
chooses, which kafka-python's leaves to its producer. Nothing is drained. The rounds alternate.
"""

import argparse
import gc
import statistics
import time
from collections.abc import Callable
from functools import partial

from kafka.producer.record_accumulator import RecordAccumulator as KafkaPythonAccumulator
from kafka.structs import TopicPartition

from python_impl import Cluster, PartitionInfo, kafka_3_8_0
from python_impl.records import SizedRecordsBuilder
from python_impl.records.builder import MemoryRecordsBuilder

PARTITIONS = 10
TOPIC = "orders"
VALUE = bytes(36)
MEMORY = 1 << 34
"""Bytes, so that no record waits for any."""
PEER = "kafka-python, in turn"


def ours(builder: type[MemoryRecordsBuilder], in_turn: bool, records: int) -> None:
    """Append to the port's."""
    pool = kafka_3_8_0.BufferPool(MEMORY, 16384)
    accumulator = kafka_3_8_0.RecordAccumulator(pool, batch_size=16384, builder=builder)
    cluster = Cluster([PartitionInfo(TOPIC, number, 0) for number in range(PARTITIONS)])
    for number in range(records):
        to = number % PARTITIONS if in_turn else None
        accumulator.append(TOPIC, to, number, None, VALUE, (), cluster=cluster, now_ms=number)


def kafka_pythons(records: int) -> None:
    """Append to kafka-python's."""
    accumulator = KafkaPythonAccumulator(batch_size=16384, message_version=2)
    partitions = [TopicPartition(TOPIC, number) for number in range(PARTITIONS)]
    for number in range(records):
        to = partitions[number % PARTITIONS]
        accumulator.append(to, number, None, VALUE, [], now=number)


CONTENDERS: dict[str, Callable[[int], None]] = {
    PEER: kafka_pythons,
    "ours, in turn": partial(ours, MemoryRecordsBuilder, True),
    "ours, in turn, sizes only": partial(ours, SizedRecordsBuilder, True),
    "ours, its choice": partial(ours, MemoryRecordsBuilder, False),
    "ours, its choice, sizes only": partial(ours, SizedRecordsBuilder, False),
}


def main() -> None:
    """Print the medians, and the ratios to the peer with their ranges."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    taken: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    for _ in range(arguments.rounds):
        for name, append in CONTENDERS.items():
            gc.collect()  # or one would pay for what the one before it left behind
            started = time.process_time()
            append(arguments.records)
            taken[name].append((time.process_time() - started) * 1e6 / arguments.records)
    for name, rounds in taken.items():
        ratios = sorted(peer / own for peer, own in zip(taken[PEER], rounds, strict=True))
        spread = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        print(f"{name:<30} {statistics.median(rounds):6.2f} us a record {spread:>22}")


if __name__ == "__main__":
    main()
