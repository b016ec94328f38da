"""Ways to make brokers of a cluster slow, for a while; each says what it is."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from conformance.cluster.cluster import Cluster
from conformance.errors import ClusterError, UsageError

_PERIOD_MS: Final = 100.0
_GROUP: Final = "kafka-conformance"
_QUOTA_PERIOD_US: Final = 100_000


class Slowness(Protocol):
    """A way to be slow."""

    @property
    def described(self) -> str:
        """What it is, for reports."""

    def slowed(self, cluster: Cluster, brokers: Sequence[int]) -> AbstractContextManager[None]:
        """While in there these brokers are slow."""

    def check(self, cluster: Cluster, brokers: Sequence[int]) -> None:
        """Raises :class:`UsageError` where that cannot be, sooner than in mid-run."""


@dataclass(frozen=True, slots=True)
class Delay:
    """A proxy on loopback takes so long for each request to a broker, one at a time."""

    ms: Mapping[int, float]
    """By broker."""

    @property
    def described(self) -> str:
        told = ", ".join(f"broker {one} {ms:g} ms" for one, ms in self.ms.items())
        return f"a proxy takes its time for each request, one at a time: {told}"

    @contextmanager
    def slowed(self, cluster: Cluster, brokers: Sequence[int]) -> Iterator[None]:
        for broker in brokers:
            cluster.delay(broker, self.ms[broker])
        try:
            yield
        finally:
            for broker in brokers:
                cluster.delay(broker, 0)

    def check(self, cluster: Cluster, brokers: Sequence[int]) -> None:
        """See :class:`Slowness`."""
        with self.slowed(cluster, brokers):
            pass


@dataclass(frozen=True, slots=True)
class DutyCycle:
    """A broker's process runs for some part of each 100 ms, and stands still for the rest.

    The brokers' phases are apart. It stops an idle broker, too, which a quota does not.
    """

    shares: Mapping[int, float]
    """By broker, more than 0 and less than 1."""

    @property
    def described(self) -> str:
        told = ", ".join(f"broker {one} {share:g}" for one, share in self.shares.items())
        return f"the process runs for a part of each {_PERIOD_MS:g} ms (SIGSTOP, SIGCONT): {told}"

    @contextmanager
    def slowed(self, cluster: Cluster, brokers: Sequence[int]) -> Iterator[None]:
        ended = threading.Event()
        threads = [
            threading.Thread(
                target=self._cycle,
                args=(cluster, broker, at * _PERIOD_MS / len(brokers), ended),
                name=f"duty cycle of broker {broker}",
                daemon=True,
            )
            for at, broker in enumerate(brokers)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            ended.set()
            for thread in threads:
                thread.join()

    def check(self, cluster: Cluster, brokers: Sequence[int]) -> None:
        """See :class:`Slowness`: a process can always be stopped and continued."""

    def _cycle(
        self, cluster: Cluster, broker: int, phase_ms: float, ended: threading.Event
    ) -> None:
        running_s = self.shares[broker] * _PERIOD_MS / 1e3
        ended.wait(phase_ms / 1e3)
        try:
            while not ended.is_set():
                cluster.pause(broker)
                ended.wait(_PERIOD_MS / 1e3 - running_s)
                cluster.resume(broker)
                ended.wait(running_s)
        finally:
            cluster.resume(broker)


@dataclass(frozen=True, slots=True)
class Quota:
    """A broker's process gets so much of a CPU, by a cgroup (v1 or v2) of its own.

    Entering raises :class:`UsageError` where no cgroup with CPU quotas can be written.
    """

    shares: Mapping[int, float]
    """By broker, in CPUs."""
    root: Path = Path("/sys/fs/cgroup")

    @property
    def described(self) -> str:
        told = ", ".join(f"broker {one} {share:g}" for one, share in self.shares.items())
        return f"a quota of a CPU (cgroups): {told}"

    @contextmanager
    def slowed(self, cluster: Cluster, brokers: Sequence[int]) -> Iterator[None]:
        with ExitStack() as groups:
            for broker in brokers:
                groups.enter_context(self._limited(cluster.pid(broker), self.shares[broker]))
            yield

    def check(self, cluster: Cluster, brokers: Sequence[int]) -> None:
        """See :class:`Slowness`."""
        with self.slowed(cluster, brokers):
            pass

    @contextmanager
    def _limited(self, pid: int, share: float) -> Iterator[None]:
        above = self._parent()
        group = above / f"{_GROUP}-{pid}"
        quota = max(1000, int(share * _QUOTA_PERIOD_US))
        try:
            group.mkdir()
            try:
                if (above / "cgroup.controllers").exists():
                    (group / "cpu.max").write_text(f"{quota} {_QUOTA_PERIOD_US}")
                else:
                    (group / "cpu.cfs_period_us").write_text(str(_QUOTA_PERIOD_US))
                    (group / "cpu.cfs_quota_us").write_text(str(quota))
                (group / "cgroup.procs").write_text(str(pid))
            except OSError:
                group.rmdir()
                raise
        except OSError as error:
            raise _no_quota(f"{group}: {error.strerror or error}") from error
        try:
            yield
        finally:
            with suppress(OSError):  # the process may have ended, and the group is empty then
                (above / "cgroup.procs").write_text(str(pid))
            try:
                group.rmdir()
            except OSError as error:
                raise ClusterError(
                    f"The cgroup {group} cannot be removed: {error.strerror or error}.",
                    "Remove it by hand (rmdir) when its process has ended.",
                ) from error

    def _parent(self) -> Path:
        """The folder of v2, or of v1's CPU controller."""
        try:
            if "cpu" in (self.root / "cgroup.controllers").read_text("utf-8").split():
                return self.root
        except OSError:
            pass
        if (self.root / "cpu" / "cpu.cfs_quota_us").exists() or (
            self.root / "cpu" / "cgroup.procs"
        ).exists():
            return self.root / "cpu"
        raise _no_quota(f"there is no CPU controller in {self.root}")


def _no_quota(why: str) -> UsageError:
    return UsageError(
        f"No CPU quota can be set: {why}.",
        "It takes cgroups that this user may write. Use a delaying proxy or a duty cycle instead.",
    )


def check_share(share: float) -> float:
    """A part of a CPU or of time; raises :class:`UsageError` if it is none."""
    if not 0 < share < 1:
        raise UsageError(f"A broker cannot run for {share:g} of the time.", "More than 0, below 1.")
    return share
