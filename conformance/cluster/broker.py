"""One broker: its settings, its process, its folder, and the end of its log."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.cluster.wire import HOST, Metadata, WireError, ask_metadata
from conformance.errors import ClusterError
from conformance.processes.endings import how_it_ended
from conformance.processes.log import LogTail
from conformance.processes.tree import ProcessTree

_JVM: Final = (
    "-XX:+UseSerialGC",
    # It starts in half the time, and a broker that serves one producer needs no more.
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-XX:+SuppressFatalErrorMessage",
    # Without it a broker lives on without some of its threads.
    "-XX:+ExitOnOutOfMemoryError",
    "-Dfile.encoding=UTF-8",
    "-Djava.awt.headless=true",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
)
_TAKEN: Final = "Address already in use"
_FULL: Final = "No space left on device"
_MEMORY: Final = ("insufficient memory", "Could not reserve enough space", "OutOfMemoryError")
_LOG_BYTES: Final = 2**17
_LAST_LINES: Final = 5
_ERROR_LINES: Final = 6
_STOP_SECONDS: Final = 30.0


@dataclass(frozen=True)
class Ports:
    """Where a broker listens on loopback, and what it tells clients."""

    clients: int
    brokers: int
    controller: int
    """Of the whole cluster: that of broker 0, which is the controller as well."""
    advertised: int
    """What clients connect to: its own port for them, or that of a proxy."""


@dataclass(frozen=True)
class Launch:
    """What all brokers of a cluster are started with."""

    java: Path
    class_path: Sequence[Path]
    heap_mib: int
    cluster_id: str
    run: str
    """What the marks of their processes begin with."""
    settings: Mapping[str, str]
    """Further ones, which win over those of the cluster."""


class Broker:
    """A broker of a cluster; broker 0 is the controller as well.

    It is *wanted* from its start until somebody stops or kills it: if it ends meanwhile, it has
    died by itself.
    """

    def __init__(self, number: int, folder: Path, ports: Ports, launch: Launch) -> None:
        self.id = number
        self.ports = ports
        self.wanted = False
        self.paused = False
        self.data = folder / "data"
        """Its folder of logs: one folder for each partition."""
        self._folder = folder
        self._launch = launch
        self._tree: ProcessTree | None = None
        self._log = folder / "broker.log"
        self._log_starts = 0

    def prepare(self, quorum: int) -> None:
        """Write what it reads when it starts; ``quorum`` is how many brokers there are.

        Raises :class:`OSError`.
        """
        self.data.mkdir(parents=True)
        # What ``kafka-storage format`` would write.
        meta = {"version": 1, "node.id": self.id, "cluster.id": self._launch.cluster_id}
        (self.data / "meta.properties").write_text(_properties(meta), "utf-8")
        settings = {**_settings(self.id, self.ports, quorum), **self._launch.settings}
        (self._folder / "server.properties").write_text(_properties(settings), "utf-8")

    def start(self) -> None:
        """Start its process; raises :class:`ClusterError` if there can be none."""
        launch = self._launch
        command = [
            # A large machine's first heap would be larger than what is needed.
            *(str(launch.java), f"-Xms{min(64, launch.heap_mib)}m", f"-Xmx{launch.heap_mib}m"),
            *_JVM,
            *("-cp", os.pathsep.join(str(jar) for jar in launch.class_path)),
            *("kafka.Kafka", "server.properties"),
        ]
        try:
            with self._log.open("ab") as log:
                self._log_starts = log.tell()
                self._tree = ProcessTree(
                    command,
                    run=launch.run,
                    folder=self._folder,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                )
        except OSError as error:
            raise ClusterError(
                f"Broker {self.id} cannot be started: {error.strerror or error}.",
                "Check free memory, and room in the folder for temporary files (TMPDIR).",
            ) from error
        self.wanted, self.paused = True, False

    @property
    def pid(self) -> int:
        """Of its process; 0 before its first start."""
        return 0 if self._tree is None else self._tree.process.pid

    @property
    def tree(self) -> ProcessTree | None:
        """Its process and what that may have started; None before its first start."""
        return self._tree

    @property
    def is_running(self) -> bool:
        """Whether it has a process, which may be paused."""
        return self._tree is not None and self._tree.is_running

    @property
    def has_died(self) -> bool:
        """Whether it has ended without being told to."""
        return self.wanted and not self.is_running

    @property
    def found_port_taken(self) -> bool:
        """Whether it ended because somebody else listens on a port of its own."""
        return self.has_died and _TAKEN in self._said()

    def metadata(self, topics: Sequence[str] = ()) -> Metadata | None:
        """What it knows of its cluster; None as long as it does not answer."""
        try:
            found = ask_metadata(self.ports.clients, topics)
        except WireError:
            return None
        # Somebody else's broker may listen there, and ours not have noticed yet.
        return found if found.cluster_id == self._launch.cluster_id else None

    def death(self) -> ClusterError:
        """How it ended by itself, with the end of its log."""
        assert self._tree is not None
        return self.explain(f"Broker {self.id} {how_it_ended(self._tree.wait())} by itself")

    def explain(self, what: str) -> ClusterError:
        """An error about it (``what`` without its full stop), with the end of its log."""
        said = self._said()
        log = LogTail()
        log.add("\n".join(_telling(said)).encode())
        return ClusterError(log.after(what), _remedy(said, self._folder))

    def pause(self) -> None:
        """Stop its process (SIGSTOP): it keeps its connections and answers nobody."""
        if self._tree is not None:
            self.paused = True
            self._tree.send(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on (SIGCONT)."""
        if self._tree is not None:
            self.paused = False
            self._tree.send(signal.SIGCONT)

    def stop(self) -> None:
        """Have it shut down in an orderly way, which moves its leaders; kill it after 30 s."""
        self.wanted = False
        if self._tree is not None:
            self.resume()
            self._tree.end(signal.SIGTERM, _STOP_SECONDS)

    def kill(self) -> None:
        """End it at once (SIGKILL), whatever it is about."""
        self.wanted = False
        if self._tree is not None:
            self._tree.end(signal.SIGKILL)

    def _said(self) -> str:
        """The end of its log since its last start."""
        try:
            with self._log.open("rb") as log:
                end = log.seek(0, os.SEEK_END)
                log.seek(max(self._log_starts, end - _LOG_BYTES))
                return log.read().decode("utf-8", "replace")
        except OSError:
            return ""


def wait_for(
    broker: Broker, everybody: frozenset[int], end: float, check: Callable[[], None]
) -> None:
    """Until a broker answers and knows all of ``everybody`` as live.

    ``end`` is of :func:`time.monotonic`. Raises :class:`ClusterError` if it takes longer, and what
    ``check`` raises, which is asked meanwhile.
    """
    while True:
        check()
        found = broker.metadata()
        if found is not None and everybody <= set(found.brokers):
            return
        if time.monotonic() > end:
            known = "it does not answer" if found is None else f"it knows {sorted(found.brokers)}"
            raise broker.explain(f"Broker {broker.id} is not ready in time: {known}")
        time.sleep(0.05)


def _settings(number: int, ports: Ports, quorum: int) -> dict[str, object]:
    listeners = f"CLIENTS://{HOST}:{ports.clients},BROKERS://{HOST}:{ports.brokers}"
    controller = f",CONTROLLER://{HOST}:{ports.controller}" if number == 0 else ""
    copies = min(3, quorum)
    return {
        "process.roles": "broker,controller" if number == 0 else "broker",
        "node.id": number,
        "controller.quorum.voters": f"0@{HOST}:{ports.controller}",
        "controller.listener.names": "CONTROLLER",
        "inter.broker.listener.name": "BROKERS",
        "listener.security.protocol.map": (
            "CLIENTS:PLAINTEXT,BROKERS:PLAINTEXT,CONTROLLER:PLAINTEXT"
        ),
        "listeners": f"{listeners}{controller}",
        "advertised.listeners": (
            f"CLIENTS://{HOST}:{ports.advertised},BROKERS://{HOST}:{ports.brokers}"
        ),
        # Relative to its working folder, so that no path can confuse the list that this is.
        "log.dirs": "data",
        # 128 MiB of each heap otherwise, which only larger compacted topics would need.
        "log.cleaner.dedupe.buffer.size": 8 * 2**20,
        "num.network.threads": 2,
        "num.io.threads": 4,
        "offsets.topic.replication.factor": copies,
        "offsets.topic.num.partitions": quorum,
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": 1,
        "transaction.state.log.num.partitions": quorum,
        "group.initial.rebalance.delay.ms": 0,
    }


def _properties(settings: Mapping[str, object]) -> str:
    """As ``java.util.Properties`` reads them."""
    return "".join(
        f"{name}={str(value).encode('unicode_escape').decode('ascii')}\n"
        for name, value in settings.items()
    )


def _telling(said: str) -> list[str]:
    """Lines of a log that say what was wrong: the last errors, then its end; no stack frames."""
    lines = [
        line
        for line in said.splitlines()
        if not line.startswith(("\tat ", "\t... ", "        at ")) and line.strip()
    ]
    last = lines[-_LAST_LINES:]
    errors = [
        line
        for line in lines[:-_LAST_LINES]
        if any(sign in line for sign in (" ERROR ", " FATAL ", "Exception", "Error:"))
    ]
    return [*errors[-_ERROR_LINES:], *last]


def _remedy(said: str, folder: Path) -> str:
    if _FULL in said:
        return f"Make room in {folder.parent.parent}, or name another folder with TMPDIR."
    if _TAKEN in said:
        return "End what listens there, or start it again: other ports are chosen then."
    if any(sign in said for sign in _MEMORY):
        return "Give it memory: start fewer brokers, or end other processes."
    return (
        "If the log does not tell, check free memory and room, and whether somebody else ended it."
    )
