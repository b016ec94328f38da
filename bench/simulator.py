"""What a simulated record costs, by how many records there are.

    python bench/simulator.py                # three rounds; about ten minutes
    python bench/simulator.py --rounds 1

Each measurement is a process of its own, and the sizes take turns. A record's cost is the time of
the run by its records; it and the memory should be the same for 10,000 records and for 10,000,000.
Beside it the port alone: the same records sent and answered without any simulator around it.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time

from conformance.simulation.answers import simulate
from conformance.simulation.arrivals import Load, Pace
from conformance.simulation.brokers import TOPIC, ClusterPlan
from conformance.simulation.scenario import Scenario
from python_impl import kafka_3_8_0
from python_impl.producer.produce_request import PartitionResponse, ProduceRequest, ProduceResponse
from python_impl.producer.producer_metadata import ProducerMetadata
from python_impl.producer.producer_settings import ProducerSettings
from python_impl.records import SizedRecordsBuilder

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
ALONE = 100_000
PER_MS = 10
SETTINGS = {"linger.ms": "5"}


def simulated(records: int) -> float:
    """Microseconds a record in a simulation of 10,000 records a second on four brokers."""
    scenario = Scenario(Load(records, Pace(PER_MS / 1000)), settings=SETTINGS)
    start = time.perf_counter()
    answer = simulate(scenario)
    seconds = time.perf_counter() - start
    if answer.figures["delivered"] != records:
        raise SystemExit(f"not the run that was meant: {answer.figures}")
    return seconds * 1e6 / records


class Prompt:
    """A network that takes everything; its answers are given after each pass."""

    def __init__(self) -> None:
        self.requests: list[ProduceRequest] = []

    def ready(self, node: int, now_ms: int) -> bool:
        """Always."""
        del node, now_ms
        return True

    def poll_delay_ms(self, node: int, now_ms: int) -> int:
        """None."""
        del node, now_ms
        return 0

    def send(self, request: ProduceRequest, now_ms: int) -> None:
        """Keep it."""
        del now_ms
        self.requests.append(request)

    def wakeup(self) -> None:
        """A pass follows each send that needs one."""


def alone(records: int) -> float:
    """Microseconds a record of the port, which does the same without brokers and measures."""
    network = Prompt()
    producer = kafka_3_8_0.KafkaProducer(
        ProducerSettings.of({**SETTINGS, "enable.idempotence": "false"}, "3.8.0"),
        ProducerMetadata(ClusterPlan().metadata()),
        network,
        builder=SizedRecordsBuilder,
    )
    value, wake = bytes(100), 0
    start = time.perf_counter()
    for number in range(records):
        now = number // PER_MS
        result = producer.send(TOPIC, None, None, value, now_ms=now, completed=_told).result
        if now >= wake or result is None or result.new_batch_created or result.batch_is_full:
            wake = now + producer.run_once(now)
            for request in network.requests:
                batches = {
                    (one.topic, one.partition): PartitionResponse() for one in request.batches
                }
                producer.sender.handle_produce_response(request, ProduceResponse(batches), now)
            network.requests.clear()
    return (time.perf_counter() - start) * 1e6 / records


def _told(partition: int, offset: int, error: Exception | None) -> None:
    """The callback of a record."""


def measured(what: str, records: int) -> tuple[float, float]:
    """Microseconds a record and the most MiB, in a process of its own."""
    command = [sys.executable, __file__, "--one", what, str(records)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    cost, memory = json.loads(told)
    return float(cost), float(memory)


def main() -> None:
    """Measure, or be one measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        cost = {"simulated": simulated, "alone": alone}[options.one[0]](int(options.one[1]))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps([cost, memory]))
        return
    found: dict[str, list[tuple[float, float]]] = {}
    for _ in range(options.rounds):
        for size in SIZES:
            found.setdefault(f"{size:,}", []).append(measured("simulated", size))
        found.setdefault("port alone", []).append(measured("alone", ALONE))
    first = found[f"{SIZES[0]:,}"]
    print("records        us a record    times 10,000's        MiB")
    for name, rounds in found.items():
        ratios = sorted(one[0] / other[0] for one, other in zip(rounds, first, strict=True))
        cost = statistics.median(one[0] for one in rounds)
        spread = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        memory = statistics.median(one[1] for one in rounds)
        print(f"{name:>10} {cost:>15.1f} {spread:>23} {memory:>8.0f}")


if __name__ == "__main__":
    main()
