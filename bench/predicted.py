"""The simulator beside the real producer, on the same schedule: what differs, and what each takes.

    python bench/predicted.py                     # 20,000 records in each run; about three minutes
    python bench/predicted.py --records 2000 --rounds 1 --client 3.8.0

Each run of the simulator is written down as a case of ``producer`` and put to the real
``KafkaProducer`` with its real ``Sender``; docs/simulator.md says what is compared. Times are of
the simulator without writing anything down, and of the real client's steps without reading what
they answered. The service time is constant.
"""

import argparse
import statistics
import time
from collections.abc import Iterator

from conformance.clients.versions import client_named
from conformance.engine.plan import behaviour_named
from conformance.jars.store import JarStore
from conformance.model.trace import Trace
from conformance.predictions.held import Held, held
from conformance.predictions.recorded import Recording, recorded
from conformance.simulation.answers import simulate
from conformance.simulation.arrivals import Keys, Load, Pace
from conformance.simulation.brokers import ClusterPlan, Service, Stop
from conformance.simulation.scenario import Scenario
from conformance.subjects.java_client import JavaSubject

VERSIONS = ("2.3.1", "3.2.3", "3.8.0", "4.4.0")
_MS = 1000


def scenarios(records: int, client: str) -> Iterator[tuple[str, Scenario]]:
    """By name; each record is 100 bytes, or 10 to 1000."""
    evenly, mixed = Load(records, Pace(0.01)), Load(records, Pace(0.01, poisson=True), 10, 1000)
    keyed = Load(records, Pace(0.002, poisson=True), 50, 500, Keys("zipf", 1000))
    late = {"request.timeout.ms": "200", "delivery.timeout.ms": "1500", "retries": "5"}
    for name, load, cluster, settings in (
        ("linger 0", evenly, ClusterPlan(), {"linger.ms": "0"}),
        ("linger 50", mixed, ClusterPlan(12, 3), {"linger.ms": "50"}),
        ("keys, linger 5", keyed, ClusterPlan(), {"linger.ms": "5"}),
        ("slow broker", mixed, ClusterPlan(12, slow={0: Service(100 * _MS)}), {"linger.ms": "0"}),
        (
            *("stopped broker", mixed),
            ClusterPlan(12, stops={1: [Stop(200 * _MS, 1200 * _MS)]}),
            {"linger.ms": "5", **late},
        ),
    ):
        yield name, Scenario(load, cluster, client, settings)


class Real:
    """The real producer of a version."""

    def __init__(self, java: JavaSubject, version: str) -> None:
        behaviour, client = behaviour_named("producer"), client_named(version)
        self._client = java.client(client, assertions=False)
        self._performer = behaviour.java(client, self._client)

    def run(self, recording: Recording) -> tuple[float, Trace]:
        """Seconds that the steps took, and what they answered."""
        program = self._performer.program(recording.case)
        start = time.perf_counter()
        results = self._client.run(program)
        seconds = time.perf_counter() - start
        return seconds, self._performer.trace(recording.case, results)


def compared(real: Real, scenario: Scenario, rounds: int) -> tuple[Held, list[float]]:
    """What differs, and the ratios of time, simulator to real client."""
    recording = recorded(scenario)
    ratios = []
    for _ in range(rounds):
        start = time.perf_counter()
        simulate(scenario)
        simulated = time.perf_counter() - start
        seconds, trace = real.run(recording)
        ratios.append(simulated / seconds)
    return held(recording, trace), ratios


def main() -> None:
    """A row for each version and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--client", choices=VERSIONS, help="Only this version.")
    options = parser.parse_args()
    java = JavaSubject(JarStore())
    print("client  run             records batches requests  steps differences simulator:real")
    differences = 0
    for version in [options.client] if options.client else VERSIONS:
        real = Real(java, version)
        for name, scenario in scenarios(options.records, version):
            found, ratios = compared(real, scenario, options.rounds)
            differences += found.differences
            counts = f"{found.records:>8} {found.batches:>7} {found.requests:>8} {found.steps:>6}"
            spread = f"{statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
            print(f"{version:<7} {name:<15} {counts} {found.differences:>11} {spread}", flush=True)
            for told in found.told:
                print(f"  {told}")
    if differences:
        raise SystemExit(f"{differences} differences")


if __name__ == "__main__":
    main()
