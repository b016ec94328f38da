"""What the tests of the simulator share: small scenarios, and a list of all records."""

from dataclasses import dataclass, field
from typing import Any

from conformance.simulation.answers import Answer, answer_of
from conformance.simulation.arrivals import Load, Pace
from conformance.simulation.brokers import ClusterPlan
from conformance.simulation.loop import Simulation
from conformance.simulation.measures import Record
from conformance.simulation.scenario import Scenario

VERSIONS = ("2.3.1", "3.2.3", "3.8.0", "4.4.0")


@dataclass
class Collected:
    """A sink that keeps all records; ``batches`` are numbers of theirs, or None."""

    records: list[Record] = field(default_factory=list)

    def begin(self, scenario: Scenario) -> None:
        """Nothing to remember."""

    def write(self, record: Record) -> None:
        """Keep it."""
        self.records.append(record)


def scenario(
    client: str = "3.8.0",
    *,
    records: int = 9,
    every_us: int = 5000,
    size: int = 100,
    seed: int = 0,
    cluster: ClusterPlan | None = None,
    **settings: Any,
) -> Scenario:
    """A scenario; settings have underscores for dots."""
    return Scenario(
        Load(records, Pace(1 / every_us), size, size),
        ClusterPlan(partitions=3, brokers=3) if cluster is None else cluster,
        client,
        {name.replace("_", "."): str(value) for name, value in settings.items()},
        seed=seed,
    )


def run(of: Scenario) -> tuple[Answer, Simulation, list[Record]]:
    """A run with all its records."""
    sink = Collected()
    simulation = Simulation(of, sink)
    simulation.run()
    return answer_of(of, simulation), simulation, sink.records
