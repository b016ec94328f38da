"""What to warn of before a run: what was asked for and changes nothing, or less than it seems."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from conformance.errors import UsageError
from conformance.simulation.partitioners import PARTITIONER_CLASS
from conformance.simulation.scenario import RANDOM_SHARE, RELEASES, Scenario
from python_impl.producer.producer_settings import ARRIVED, knows

_ADAPTIVE: Final = "partitioner.adaptive.partitioning.enable"
_AVAILABILITY: Final = "partitioner.availability.timeout.ms"
_BUILT_IN: Final = ("partitioner.ignore.keys", _ADAPTIVE, _AVAILABILITY)
"""Settings of the partitioner that is built in since 3.3."""


def warnings_of(scenarios: Sequence[Scenario]) -> list[str]:
    """One sentence or two for each cause.

    Raises :class:`UsageError` for a setting that no client of the comparison knows, and for values
    to compare that mean the same.
    """
    found = _ignored_settings(scenarios)
    for one, other in combinations(scenarios, 2):
        if one.means == other.means:
            raise UsageError(
                f"--compare: {one.name} and {other.name} mean the same.", "Name values that differ."
            )
    found += dict.fromkeys(text for one in scenarios for text in _without_effect(one))
    settings = [one.producer_settings() for one in scenarios]
    said = any(one.random_share != RANDOM_SHARE for one in scenarios)
    if said and all(one.compression_type == "none" for one in settings):
        found.append("--random-share changes nothing without compression (compression.type).")
    if any(one.acks == 0 for one in settings):
        found.append(
            "With acks=0 a record is delivered as soon as it is sent, whatever its broker does. A "
            "real client is held up when its sockets are full, which is not simulated."
        )
    if scenarios[0].compared == "acks" and len({one.acks for one in settings} - {0}) > 1:
        found.append(
            "Brokers take as long for acks=1 as for acks=all here: replicas are not simulated. Say "
            "with --service what each of them takes."
        )
    return found


def _ignored_settings(scenarios: Sequence[Scenario]) -> list[str]:
    """What to warn of: settings that some of the clients ignore, since they arrived later.

    Raises :class:`UsageError` for one that no client knows: it would change nothing.
    """
    warnings = []
    clients = dict.fromkeys(one.client for one in scenarios)
    for name in dict.fromkeys(name for one in scenarios for name in one.settings):
        without = [client for client in clients if not knows(client, name)]
        if not without:
            continue
        is_one = len(without) == 1
        told = f"Client {', '.join(without)} {'does' if is_one else 'do'} not know {name}"
        arrived = f"It arrived in {'.'.join(map(str, ARRIVED[name]))}"
        if len(without) == len(clients):
            later = ", ".join(release for release in RELEASES if knows(release, name))
            raise UsageError(
                f"{told}, and would ignore it. {arrived}.",
                f"Leave it out, or choose a later client: {later}.",
            )
        warnings.append(f"{told}, and {'ignores' if is_one else 'ignore'} it. {arrived}.")
    return warnings


def _without_effect(scenario: Scenario) -> Iterator[str]:
    given = scenario.settings
    if PARTITIONER_CLASS in given:
        for name in _BUILT_IN:
            if name in given and knows(scenario.client, name):
                yield f"{name} changes nothing where there is a {PARTITIONER_CLASS}."
    elif (
        _AVAILABILITY in given
        and knows(scenario.client, _AVAILABILITY)
        and not scenario.producer_settings().partitioner_adaptive_partitioning_enable
    ):
        yield f"{_AVAILABILITY} changes nothing if {_ADAPTIVE} is false."
