"""What keeps a run from its end, where simulated time ends before all records have."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.simulation.loop import Simulation


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Where the records are that have not ended."""

    to_come: bool
    """Whether further records had not even come."""
    blocked: bool
    """Whether the application's thread waits for memory, with a record that no batch has."""
    behind: int
    """Records that have come since, which that thread has not sent."""
    lingering: int
    """Records whose batch waits for further ones, since linger.ms has not passed."""
    at_brokers: Mapping[int, int]
    """By broker, records whose batch waits until it takes a request, or is in flight."""


def unfinished_of(simulation: "Simulation") -> Unfinished | None:
    """What a simulation that is over was waiting for; None if all records have ended."""
    if simulation.has_ended:
        return None
    measures = simulation.measures
    lingering: dict[int, int] = {}
    # While a send waits for memory, batches do not linger.
    for batch in () if simulation.is_blocked else measures.not_sent:
        if batch.ready_us > simulation.until_us:
            lingering[batch.broker] = lingering.get(batch.broker, 0) + len(batch.records)
    others = {
        broker: backlog - lingering.get(broker, 0)
        for broker, backlog in enumerate(measures.broker_backlog)
    }
    return Unfinished(
        to_come=simulation.expects_records,
        blocked=simulation.is_blocked,
        behind=simulation.behind,
        lingering=sum(lingering.values()),
        at_brokers={broker: records for broker, records in others.items() if records},
    )
