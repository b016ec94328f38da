"""Where an experiment runs: brokers of our own, or a cluster of the user's."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from conformance.cluster.cluster import Cluster
from conformance.cluster.slowness import Slowness
from conformance.errors import UsageError
from conformance.experiments.admin import Topics
from conformance.jars.lock import broker_version
from conformance.text import counted


class Site(Protocol):
    """Brokers, and what can be done to them. Whatever fails raises a ``SuiteError``."""

    @property
    def bootstrap_servers(self) -> str:
        """For clients."""

    @property
    def brokers(self) -> Sequence[int]:
        """Their ids, sorted."""

    @property
    def is_ours(self) -> bool:
        """Whether brokers may be slowed down, paused and killed."""

    @property
    def described(self) -> str:
        """For reports: what it is."""

    @property
    def how_slow(self) -> str:
        """For reports: how its brokers are made slow; empty if they are not by us."""

    def create(self, names: Sequence[str], leaders: Sequence[int]) -> None:
        """Make topics of which each partition is led by one of the brokers, as named."""

    def delete(self, names: Sequence[str]) -> None:
        """Delete them, where they would stay otherwise."""

    def log_folders(self, topic: str, leaders: Mapping[int, int]) -> Mapping[int, Path] | None:
        """Where the segments of each partition are; None if that cannot be seen."""

    def slowed(self, brokers: Sequence[int]) -> AbstractContextManager[None]:
        """While in there these brokers are slow."""

    def pause(self, broker: int) -> None:
        """Stop a broker where it is."""

    def resume(self, broker: int) -> None:
        """Let it go on."""

    def kill(self, broker: int) -> None:
        """End a broker as a crash would."""

    def restart(self, broker: int) -> None:
        """Start it again; answers when it is back."""

    def check(self) -> None:
        """Raises an error if a broker has ended by itself."""

    def revive(self) -> None:
        """Start whatever brokers have ended by themselves."""


class OwnSite:
    """Brokers of our own, of which some can be made slow in the way of ``slowness``."""

    is_ours = True

    def __init__(self, cluster: Cluster, slowness: Slowness) -> None:
        self._cluster = cluster
        self._slowness = slowness
        self.brokers: Sequence[int] = cluster.broker_ids
        self.described = (
            f"{counted(len(self.brokers), 'broker')} of Kafka {broker_version()} on this machine"
        )
        self.how_slow = slowness.described

    @property
    def bootstrap_servers(self) -> str:
        """See :class:`Site`."""
        return self._cluster.bootstrap_servers

    def create(self, names: Sequence[str], leaders: Sequence[int]) -> None:
        """See :class:`Site`; brokers write down when they append."""
        for name in names:
            configs = {"message.timestamp.type": "LogAppendTime"}
            self._cluster.create_topic(name, dict(enumerate(leaders)), configs)

    def delete(self, names: Sequence[str]) -> None:
        """See :class:`Site`: all of it goes with the cluster."""

    def log_folders(self, topic: str, leaders: Mapping[int, int]) -> Mapping[int, Path]:
        """See :class:`Site`."""
        return {
            partition: self._cluster.log_folder(leader) / f"{topic}-{partition}"
            for partition, leader in leaders.items()
        }

    def slowed(self, brokers: Sequence[int]) -> AbstractContextManager[None]:
        """See :class:`Site`."""
        return self._slowness.slowed(self._cluster, brokers)

    def pause(self, broker: int) -> None:
        """See :class:`Site`."""
        self._cluster.pause(broker)

    def resume(self, broker: int) -> None:
        """See :class:`Site`."""
        self._cluster.resume(broker)

    def kill(self, broker: int) -> None:
        """See :class:`Site`."""
        self._cluster.kill_broker(broker)

    def restart(self, broker: int) -> None:
        """See :class:`Site`."""
        self._cluster.restart_broker(broker)

    def check(self) -> None:
        """See :class:`Site`."""
        self._cluster.check()

    def revive(self) -> None:
        """See :class:`Site`."""
        for broker in self._cluster.dead():
            self._cluster.restart_broker(broker)


class UsersSite:
    """A cluster of the user's, of which brokers ``slow`` are slow, if any: nobody disturbs it.

    ``topic`` is one that exists and that all runs write to; without it the runs make their own,
    and delete them. Making this asks the cluster, and raises :class:`UsageError` if it does not
    answer, or has no such topic.
    """

    is_ours = False
    how_slow = ""

    def __init__(self, bootstrap_servers: str, topics: Topics, topic: str = "") -> None:
        self.bootstrap_servers = bootstrap_servers
        self.topic = topic
        self._topics = topics
        self.brokers: Sequence[int] = topics.brokers()
        self.described = f"the cluster at {bootstrap_servers}, {len(self.brokers)} brokers"
        if topic:
            leaders = topics.leaders(topic)
            if min(leaders.values()) < 0:
                raise UsageError(
                    f"Topic {topic} has a partition without a leader.",
                    "Wait until its brokers are back, or name another topic.",
                )

    def create(self, names: Sequence[str], leaders: Sequence[int]) -> None:
        """See :class:`Site`; the leaders are as wanted."""
        self._topics.create(names, leaders)

    def delete(self, names: Sequence[str]) -> None:
        """See :class:`Site`."""
        self._topics.delete(names)

    def log_folders(self, topic: str, leaders: Mapping[int, int]) -> None:
        """See :class:`Site`: its disks are not ours to read."""
        del topic, leaders

    @contextmanager
    def slowed(self, brokers: Sequence[int]) -> Iterator[None]:
        """See :class:`Site`: they are slow already, or they are not."""
        del brokers
        yield

    def pause(self, broker: int) -> None:
        """See :class:`Site`."""
        raise _not_ours(f"pause broker {broker}")

    def resume(self, broker: int) -> None:
        """See :class:`Site`."""
        raise _not_ours(f"resume broker {broker}")

    def kill(self, broker: int) -> None:
        """See :class:`Site`."""
        raise _not_ours(f"kill broker {broker}")

    def restart(self, broker: int) -> None:
        """See :class:`Site`."""
        raise _not_ours(f"restart broker {broker}")

    def check(self) -> None:
        """See :class:`Site`: its clients will say so."""

    def revive(self) -> None:
        """See :class:`Site`."""


def _not_ours(what: str) -> UsageError:
    return UsageError(
        f"The experiment would {what} of a cluster that is not the suite's own.",
        "Leave out --bootstrap-servers: then it starts brokers of its own.",
    )
