"""A new topic with leaders as wanted, and its wait until every broker knows them."""

import re
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from conformance.cluster.broker import Broker
from conformance.cluster.wire import WireError, create_topic
from conformance.errors import ClusterError, UsageError
from conformance.text import inert

_NAME: Final = re.compile(r"(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}")
"""As ``org.apache.kafka.common.internals.Topic.validate`` has it."""
_SECONDS: Final = 60.0


def check_topic(name: str, leaders: Mapping[int, int], brokers: Collection[int]) -> None:
    """Raise :class:`UsageError` for a topic that no cluster of these brokers can have."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{inert(name)[:300]!r} is not a name of a topic.",
            "Use 1 to 249 ASCII letters, digits, dots, underscores and hyphens.",
        )
    if sorted(leaders) != [*range(len(leaders))] or not leaders:
        raise UsageError(
            f"The partitions of {name} are {sorted(leaders)}.",
            "Number them from 0 on without a gap; there must be one at least.",
        )
    strange = sorted(set(leaders.values()) - set(brokers))
    if strange:
        raise UsageError(
            f"{name} is to be led by brokers that are not there: {strange}.",
            f"There are brokers {min(brokers)} to {max(brokers)}.",
        )


def make_topic(
    name: str, leaders: Mapping[int, int], configs: Mapping[str, str], running: Sequence[Broker]
) -> None:
    """Have the cluster make it, and wait until each of the running brokers knows its leaders.

    Raises :class:`UsageError` for what Kafka calls invalid, :class:`ClusterError` otherwise.
    """
    if not running:
        raise ClusterError(
            f"No broker runs that could make topic {name}.", "Start one (restart_broker)."
        )
    try:
        replicas = {partition: [leader] for partition, leader in leaders.items()}
        refusal = create_topic(running[0].ports.clients, name, replicas, configs)
    except WireError as error:
        raise running[0].explain(
            f"Broker {running[0].id} did not make topic {name} ({error})"
        ) from error
    if refusal is not None:
        told = f"Topic {name} was not made: {inert(refusal.message).rstrip('.')}."
        if refusal.is_mistake:
            raise UsageError(told, "Ask for another name or other settings.")
        raise ClusterError(told, "Do all brokers run, broker 0 (the controller) above all?")
    _await_leaders(name, leaders, running)


def _await_leaders(name: str, leaders: Mapping[int, int], running: Sequence[Broker]) -> None:
    end = time.monotonic() + _SECONDS
    for broker in running:
        own = [partition for partition, leader in leaders.items() if leader == broker.id]
        while not (_knows(broker, name, leaders) and _has(broker, name, own)):
            if broker.has_died:
                raise broker.death()
            if time.monotonic() > end:
                raise broker.explain(f"Broker {broker.id} does not lead topic {name} as wanted")
            time.sleep(0.02)


def _knows(broker: Broker, name: str, leaders: Mapping[int, int]) -> bool:
    found = broker.metadata([name])
    return found is not None and found.leaders == {
        (name, partition): leader for partition, leader in leaders.items()
    }


def _has(broker: Broker, name: str, partitions: Sequence[int]) -> bool:
    """Whether the logs are there: a broker knows of a leader before it leads."""
    return all((broker.data / f"{name}-{partition}").is_dir() for partition in partitions)
