"""A cluster of real brokers on loopback, for as long as it is wanted."""

import base64
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from conformance.cluster.broker import Broker, Launch, Ports, wait_for
from conformance.cluster.folders import HeldFolder, remove_left_behind
from conformance.cluster.ports import free_ports
from conformance.cluster.proxy import DelayingProxies
from conformance.cluster.room import check_room
from conformance.cluster.topics import check_topic, make_topic
from conformance.cluster.wire import HOST
from conformance.errors import ClusterError, UsageError
from conformance.jars.fetch import Progress
from conformance.jars.lock import jars_of_broker
from conformance.jars.store import JarStore
from conformance.java_home import find_java
from conformance.processes.ctrl_c import ctrl_c_kept_from_children
from conformance.processes.tree import end_all, end_run

MOST_BROKERS: Final = 100
HEAP_MIB: Final = 256
READY_SECONDS: Final = 120.0
"""How long brokers get to be ready; four took 5 to 8 s on two cores."""
_ATTEMPTS: Final = 4
"""With other ports each time."""

Ready = Callable[[int, int], None]
"""Told how many brokers are ready, and of how many, whenever one more is."""


class Cluster:
    """Brokers 0, 1, 2 ... of one KRaft cluster, started by ``with`` and removed at its end.

    Broker 0 is the controller as well. Their data is in a temporary folder. At the end of the
    block, whatever ended it, all processes are gone, and the folder. If this process is killed,
    the next cluster of this user ends and removes what is left.

    ``settings`` are further ones for every broker, such as ``{"log.retention.ms": "-1"}``. If it is
    ``proxied``, clients reach each broker through a proxy of this process, and :meth:`delay` makes
    it slow for them.

    Starting raises :class:`UsageError` for a number of brokers that cannot be,
    :class:`~conformance.errors.JarError` and :class:`~conformance.errors.JavaNotUsableError` for
    what is missing, and :class:`ClusterError` if brokers do not come up. The end of the block
    raises :class:`ClusterError` if a broker has ended by itself in the meantime.
    """

    def __init__(
        self,
        brokers: int = 4,
        *,
        store: JarStore | None = None,
        heap_mib: int = HEAP_MIB,
        settings: Mapping[str, str] | None = None,
        proxied: bool = False,
        fetching: Progress = lambda *_: None,
        ready: Ready = lambda *_: None,
        choose_ports: Callable[[int], list[int]] = free_ports,
    ) -> None:
        if not 1 <= brokers <= MOST_BROKERS:
            raise UsageError(
                f"A cluster of {brokers} brokers cannot be.",
                f"It has 1 to {MOST_BROKERS} brokers (--brokers).",
            )
        self._count = brokers
        self._store = store
        self._heap_mib = heap_mib
        self._settings = dict(settings or {})
        self._proxied = proxied
        self._proxies: DelayingProxies | None = None
        self._fetching = fetching
        self._ready = ready
        self._choose_ports = choose_ports
        self._folder: HeldFolder | None = None
        self._brokers: dict[int, Broker] = {}
        self.left_behind: list[Path] = []
        """Folders of earlier clusters that its start found and removed, with their brokers."""

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self.check()
        finally:
            self._end()

    @property
    def bootstrap_servers(self) -> str:
        """``host:port`` of every broker, for a client's ``bootstrap.servers``."""
        return ",".join(f"{HOST}:{one.ports.advertised}" for one in self._brokers.values())

    @property
    def broker_ids(self) -> list[int]:
        """The ids of all brokers, also of those that do not run."""
        return [*self._brokers]

    @property
    def run(self) -> str:
        """What the marks of its processes begin with; empty before its start.

        A further process that is given it (:class:`~conformance.processes.tree.ProcessTree`)
        ends with the cluster.
        """
        return "" if self._folder is None else self._folder.run

    def check(self) -> None:
        """Raise :class:`ClusterError`, with the end of its log, if a broker ended by itself."""
        for broker in self._brokers.values():
            if broker.has_died:
                raise broker.death()

    def dead(self) -> list[int]:
        """The brokers that do not run, whoever ended them."""
        return [one.id for one in self._brokers.values() if not one.is_running]

    def log_folder(self, broker_id: int) -> Path:
        """Where a broker has the folders of its partitions (``topic-0``), with their segments."""
        return self._broker(broker_id).data

    def pid(self, broker_id: int) -> int:
        """The process of a broker."""
        return self._broker(broker_id).pid

    def create_topic(
        self, name: str, leaders: Mapping[int, int], configs: Mapping[str, str] | None = None
    ) -> None:
        """Make a topic of which each partition is on one broker, which leads it.

        ``leaders`` has the broker's id by partition, from 0 on. When it returns, every running
        broker knows the leaders, and each leader has its log. Raises :class:`UsageError` for
        what no cluster would make, and :class:`ClusterError` if this one did not.
        """
        check_topic(name, leaders, self._brokers)
        make_topic(name, leaders, configs or {}, self._running())

    def stop_broker(self, broker_id: int) -> None:
        """Have a broker shut down in an orderly way; :meth:`restart_broker` starts it again."""
        self._broker(broker_id).stop()

    def kill_broker(self, broker_id: int) -> None:
        """End a broker at once, as a crash would."""
        self._broker(broker_id).kill()

    def restart_broker(self, broker_id: int) -> None:
        """Start a broker that was stopped or killed, or has died; with its data, port and id.

        A broker that was killed is let in again only when its session has ended, 9 s later.
        Raises :class:`UsageError` if it runs, :class:`ClusterError` if it does not come up.
        """
        broker = self._broker(broker_id)
        if broker.is_running:
            raise UsageError(
                f"Broker {broker_id} runs.", "Stop or kill it first (stop_broker, kill_broker)."
            )
        broker.start()
        self._await([broker])

    def pause(self, broker_id: int) -> None:
        """Stop the process of a broker where it is (SIGSTOP); after 9 s it counts as gone."""
        self._broker(broker_id).pause()

    def resume(self, broker_id: int) -> None:
        """Let a paused broker go on (SIGCONT)."""
        self._broker(broker_id).resume()

    def delay(self, broker_id: int, delay_ms: float) -> None:
        """From now on each request of a client to a broker takes so much longer; 0: none does.

        Requests of a connection are delayed one after the other. Raises :class:`UsageError` if the
        cluster is not ``proxied``, or for a delay below 0.
        """
        port = self._broker(broker_id).ports.advertised
        if self._proxies is None:
            raise UsageError("This cluster has no proxies.", "Start it with Cluster(proxied=True).")
        if delay_ms < 0:
            raise UsageError(f"A delay of {delay_ms:g} ms cannot be.", "It is 0 ms or more.")
        self._proxies.set_delay(port, delay_ms)

    def _broker(self, broker_id: int) -> Broker:
        if broker_id not in self._brokers:
            raise UsageError(
                f"There is no broker {broker_id}.", f"There are brokers 0 to {self._count - 1}."
            )
        return self._brokers[broker_id]

    def _running(self) -> list[Broker]:
        return [one for one in self._brokers.values() if one.is_running and not one.paused]

    def _start(self) -> None:
        if self._folder is not None:
            raise UsageError("This cluster has been started.", "Make another one.")
        self.left_behind = remove_left_behind()
        java = find_java().executable
        jars = (self._store or JarStore()).ensure(jars_of_broker(), self._fetching)
        self._folder = HeldFolder()
        check_room(self._count, self._folder.path)
        launch = Launch(
            java, jars, self._heap_mib, _new_cluster_id(), self._folder.run, self._settings
        )
        for attempt in range(_ATTEMPTS):
            self._start_brokers(launch, self._folder.path / f"brokers-{attempt}")
            try:
                self._start_proxies()
                self._await(self._brokers.values(), self._ready)
                return
            except ClusterError:
                taken = any(one.found_port_taken for one in self._brokers.values())
                taken = taken or (self._proxied and self._proxies is None)
                if not taken or attempt + 1 == _ATTEMPTS:
                    raise
                self._kill_all()

    def _start_brokers(self, launch: Launch, folder: Path) -> None:
        controller, *rest = self._choose_ports(1 + 3 * self._count)
        self._brokers = {}
        try:
            for number in range(self._count):
                clients, among, proxy = rest[3 * number : 3 * number + 3]
                advertised = proxy if self._proxied else clients
                ports = Ports(clients, among, controller, advertised)
                broker = Broker(number, folder / f"broker-{number}", ports, launch)
                broker.prepare(self._count)
                self._brokers[number] = broker
        except OSError as error:
            raise ClusterError(
                f"The settings of the brokers cannot be written: {error.strerror or error}.",
                "Make room in the folder for temporary files, or name another with TMPDIR.",
            ) from error
        for broker in self._brokers.values():
            broker.start()

    def _start_proxies(self) -> None:
        """So that what clients are told of is there; leaves none if a port is taken."""
        if self._proxied:
            ports = [one.ports for one in self._brokers.values()]
            proxies = DelayingProxies({one.advertised: one.clients for one in ports})
            self._proxies = proxies.__enter__()

    def _await(self, brokers: Iterable[Broker], ready: Ready = lambda *_: None) -> None:
        """Until each of them knows all that run as live: registered, and not fenced."""
        end = time.monotonic() + READY_SECONDS
        everybody = frozenset(
            one.id for one in self._brokers.values() if one.wanted and not one.paused
        )
        for number, broker in enumerate(brokers, start=1):
            wait_for(broker, everybody, end, self.check)
            ready(number, self._count)

    def _kill_all(self) -> None:
        if self._proxies is not None:
            self._proxies.__exit__()
            self._proxies = None
        for broker in self._brokers.values():
            broker.wanted = False
        end_all([one.tree for one in self._brokers.values() if one.tree is not None], seconds=0)

    def _end(self) -> None:
        """All processes and the folder, whatever is left of them; a Ctrl-C waits for that."""
        if self._folder is None:
            return
        with ctrl_c_kept_from_children():
            self._kill_all()
            end_run(self._folder.run)
            self._folder.remove()


def _new_cluster_id() -> str:
    """As Kafka's ``Uuid`` writes one; never with a dash in front, which its tools refuse."""
    return "A" + base64.urlsafe_b64encode(uuid.uuid4().bytes).decode("ascii").rstrip("=")[1:]
