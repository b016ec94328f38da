"""A real cluster by its Python interface: records and leaders, brokers that go and come back."""

import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from conformance.cluster.cluster import Cluster
from conformance.cluster.ports import free_ports
from conformance.cluster.wire import HOST
from conformance.errors import ClusterError, UsageError
from conformance.jars.store import JarStore
from tests.cluster.records import address_of, brokers_below, fetch, produce, segment, values
from tests.landing import nightly


def test_records_go_to_the_leaders_as_wanted_and_nothing_is_left(
    store: JarStore, temporary: Path
) -> None:
    told: list[tuple[int, int]] = []
    with Cluster(2, store=store, ready=lambda *ready: told.append(ready)) as cluster:
        assert told == [(1, 2), (2, 2)]
        assert cluster.broker_ids == [0, 1]
        leaders = {0: 1, 1: 0, 2: 1}
        cluster.create_topic("t", leaders, {"message.timestamp.type": "LogAppendTime"})
        for partition, leader in leaders.items():
            port = address_of(cluster.bootstrap_servers, leader)
            value = b"to partition %d" % partition
            assert produce(port, "t", partition, value) == 0
            assert fetch(port, "t", partition) == [value]
            assert values(segment(cluster.log_folder(leader), "t", partition)) == [value]
            assert not (cluster.log_folder(1 - leader) / f"t-{partition}").exists()
        with pytest.raises(UsageError, match="Topic 't' already exists"):
            cluster.create_topic("t", {0: 0})
        with pytest.raises(UsageError, match="Unknown topic config name: nonsense"):
            cluster.create_topic("u", {0: 0}, {"nonsense": "1"})
        processes = [psutil.Process(cluster.pid(broker)) for broker in cluster.broker_ids]
        assert brokers_below(temporary) == processes
    assert not any(process.is_running() for process in processes)
    assert [*temporary.iterdir()] == []


@nightly
def test_brokers_go_and_come_back_with_their_data(store: JarStore, temporary: Path) -> None:
    with Cluster(2, store=store) as cluster:
        cluster.create_topic("t", {0: 1})
        port = address_of(cluster.bootstrap_servers, 1)
        for number, away in enumerate((cluster.kill_broker, cluster.stop_broker), start=1):
            assert produce(port, "t", 0, b"value") == number - 1
            with pytest.raises(UsageError, match="Broker 1 runs"):
                cluster.restart_broker(1)
            away(1)
            cluster.check()
            assert len(brokers_below(temporary)) == 1
            cluster.create_topic(f"without-{number}", {0: 0})
            cluster.restart_broker(1)
            assert fetch(port, "t", 0) == [b"value"] * number
        cluster.pause(1)
        assert psutil.Process(cluster.pid(1)).status() == psutil.STATUS_STOPPED
        cluster.create_topic("meanwhile", {0: 0})
        cluster.check()
        cluster.resume(1)
        assert produce(port, "t", 0, b"value") == 2
    assert [*temporary.iterdir()] == []


@nightly
def test_a_broker_that_dies_is_not_passed_over(store: JarStore, temporary: Path) -> None:
    def run() -> None:
        with Cluster(2, store=store) as cluster:
            broker = psutil.Process(cluster.pid(1))
            broker.send_signal(signal.SIGKILL)
            _wait(lambda: broker.status() == psutil.STATUS_ZOMBIE)

    with pytest.raises(ClusterError, match="Broker 1 was killed by SIGKILL, and nobody had stop"):
        run()
    assert [*temporary.iterdir()] == []
    assert brokers_below(temporary) == []


@nightly
def test_an_error_of_the_block_is_the_one_that_is_raised(store: JarStore, temporary: Path) -> None:
    def run() -> None:
        with Cluster(1, store=store) as cluster:
            cluster.stop_broker(0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run()
    assert [*temporary.iterdir()] == []


@nightly
def test_a_port_that_somebody_takes_first_is_left_to_them(store: JarStore, temporary: Path) -> None:
    with socket.create_server((HOST, 0)) as other:
        taken = other.getsockname()[1]
        tries: list[list[int]] = []

        def choose(count: int) -> list[int]:
            ports = free_ports(count)
            tries.append([taken, *ports[1:]] if len(tries) < 2 else ports)
            return tries[-1]

        with Cluster(1, store=store, choose_ports=choose) as cluster:
            assert len(tries) == 3
            assert cluster.bootstrap_servers == f"{HOST}:{tries[-1][1]}"
        with (
            pytest.raises(ClusterError, match="Address already in use") as raised,
            Cluster(1, store=store, choose_ports=lambda n: [taken, *free_ports(n - 1)]),
        ):
            pytest.fail("the port is taken")
    assert "other ports are chosen" in str(raised.value)
    assert "\tat " not in str(raised.value)
    assert [*temporary.iterdir()] == []


@nightly
def test_a_broker_with_too_little_memory_says_so(store: JarStore, temporary: Path) -> None:
    with (
        pytest.raises(ClusterError, match="OutOfMemoryError") as raised,
        Cluster(1, store=store, heap_mib=16),
    ):
        pytest.fail("it has no memory")
    assert raised.value.what.startswith("Broker 0 exited with code 3, and nobody had stopped it")
    assert "Give it memory" in raised.value.remedy
    assert [*temporary.iterdir()] == []


@nightly
def test_a_setting_that_kafka_refuses_is_shown(store: JarStore, temporary: Path) -> None:
    with (
        pytest.raises(ClusterError, match=r"log\.retention\.ms") as raised,
        Cluster(1, store=store, settings={"log.retention.ms": "long"}),
    ):
        pytest.fail("it is no number")
    assert "Broker 0 exited with code 1" in str(raised.value)
    assert [*temporary.iterdir()] == []


def _wait(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
