"""Slow brokers: the proxy before a server of ours, the files of a cgroup, and real brokers."""

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from conformance.cluster.cluster import Cluster
from conformance.cluster.ports import free_ports
from conformance.cluster.proxy import DelayingProxies
from conformance.cluster.slowness import Delay, DutyCycle, Quota, check_share
from conformance.cluster.wire import HOST
from conformance.errors import ClusterError, UsageError
from conformance.jars.store import JarStore
from tests.cli.running import wait_until
from tests.cluster.records import address_of, produce
from tests.landing import nightly

DELAY_MS = 60.0


@contextmanager
def _echo() -> Iterator[int]:
    """A server that answers each request with itself, as soon as it has come."""
    server = socket.create_server((HOST, 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                while data := connection.recv(2**16):
                    connection.sendall(data)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield server.getsockname()[1]
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def _frame(body: bytes) -> bytes:
    return struct.pack(">i", len(body)) + body


def _answered_s(connection: socket.socket, data: bytes) -> float:
    """Seconds until all of it has come back."""
    began = time.monotonic()
    connection.sendall(data)
    came = b""
    while len(came) < len(data):
        came += connection.recv(2**16)
    assert came == data
    return time.monotonic() - began


def test_a_proxy_delays_each_request_and_those_behind_it_wait() -> None:
    with _echo() as target:
        [port] = free_ports(1)
        with (
            DelayingProxies({port: target}) as proxies,
            socket.create_connection((HOST, port)) as connection,
        ):
            one, large = _frame(b"a request"), _frame(bytes(300_000))
            _answered_s(connection, one)
            proxies.set_delay(port, DELAY_MS)
            assert _answered_s(connection, one) >= DELAY_MS / 1e3
            # One at a time: three requests at once take three delays.
            assert _answered_s(connection, one * 3) >= 3 * DELAY_MS / 1e3
            assert _answered_s(connection, large) >= DELAY_MS / 1e3
            proxies.set_delay(port, 60_000)
            proxies.set_delay(port, 0)
            assert _answered_s(connection, one) < 60


def test_an_end_on_one_side_is_an_end_on_the_other() -> None:
    with _echo() as target:
        [port] = free_ports(1)
        with DelayingProxies({port: target}):
            with socket.create_connection((HOST, port)) as connection:
                connection.sendall(struct.pack(">i", -5))  # no size of a request
                connection.settimeout(10)
                assert connection.recv(1) == b""
            with socket.create_connection((HOST, port)) as connection:
                _answered_s(connection, _frame(b"the next one is served"))


def test_a_port_that_is_taken_is_told_and_no_proxy_is_left() -> None:
    with socket.create_server((HOST, 0)) as taken:
        [port] = free_ports(1)
        proxies = DelayingProxies({port: 1, taken.getsockname()[1]: 1})
        with pytest.raises(ClusterError, match="A proxy cannot listen"):
            proxies.__enter__()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((HOST, port))


class _OneProcess:
    """What a quota asks of a cluster."""

    def pid(self, broker_id: int) -> int:
        return 1000 + broker_id


def _cgroup(root: Path, version: int) -> Path:
    if version == 2:
        root.mkdir()
        (root / "cgroup.controllers").write_text("cpu memory\n")
        return root
    above = root / "cpu"
    above.mkdir(parents=True)
    (above / "cgroup.procs").write_text("")
    return above


@pytest.mark.parametrize("version", [1, 2])
def test_a_quota_is_written_where_cgroups_are(
    tmp_path: Path, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A folder of ours keeps its files; a cgroup's go with it.
    monkeypatch.setattr(Path, "rmdir", lambda folder: [one.unlink() for one in folder.iterdir()])
    above = _cgroup(tmp_path / "cgroup", version)
    quota = Quota({1: 0.2, 3: 0.05}, root=tmp_path / "cgroup")
    with quota.slowed(cast(Cluster, _OneProcess()), [1, 3]):
        for broker, share in ((1, 20_000), (3, 5_000)):
            group = above / f"kafka-conformance-{1000 + broker}"
            assert (group / "cgroup.procs").read_text() == str(1000 + broker)
            if version == 2:
                assert (group / "cpu.max").read_text() == f"{share} 100000"
            else:
                assert (group / "cpu.cfs_quota_us").read_text() == str(share)
    assert (above / "cgroup.procs").read_text() == "1001"  # both are back, the last one last
    assert not any([*group.iterdir()] for group in above.glob("kafka-conformance-*"))


def test_no_cgroup_is_told(tmp_path: Path) -> None:
    quota = Quota({1: 0.2}, root=tmp_path)
    with pytest.raises(UsageError, match="there is no CPU controller"):
        quota.check(cast(Cluster, _OneProcess()), [1])


class _Paused:
    """A cluster that writes down what is done to it."""

    def __init__(self) -> None:
        self.said: list[tuple[str, int]] = []

    def pause(self, broker_id: int) -> None:
        self.said.append(("pause", broker_id))

    def resume(self, broker_id: int) -> None:
        self.said.append(("resume", broker_id))


def test_a_duty_cycle_ends_with_every_broker_running() -> None:
    cluster: Any = _Paused()
    with DutyCycle({1: 0.5, 3: 0.5}).slowed(cluster, [1, 3]):
        wait_until(lambda: cluster.said.count(("pause", 1)) >= 2, "two pauses of one broker")
        wait_until(lambda: cluster.said.count(("pause", 3)) >= 2, "two pauses of the other")
    for broker in (1, 3):
        assert [what for what, which in cluster.said if which == broker][-1] == "resume"


@pytest.mark.parametrize("share", [0, 1, -0.1, 2, float("nan")])
def test_a_share_is_a_part(share: float) -> None:
    with pytest.raises(UsageError):
        check_share(share)


@nightly
def test_real_brokers_are_slow_for_a_while(store: JarStore) -> None:
    with Cluster(2, store=store, proxied=True) as cluster:
        cluster.create_topic("t", {0: 0, 1: 1})
        ports = [address_of(cluster.bootstrap_servers, one) for one in (0, 1)]

        def took(broker: int) -> float:
            began = time.monotonic()
            produce(ports[broker], "t", broker, b"value")
            return time.monotonic() - began

        took(0), took(1)
        with Delay({1: 300}).slowed(cluster, [1]):
            assert took(1) >= 0.3
            assert took(0) < 0.3
        assert min(took(1) for _ in range(3)) < 0.3
        with DutyCycle({1: 0.1}).slowed(cluster, [1]):
            assert max(took(1) for _ in range(20)) >= 0.04
        assert cluster.dead() == []
    with Cluster(1, store=store) as cluster, pytest.raises(UsageError, match="no proxies"):
        cluster.delay(0, 5)
