"""A client's process that dies, hangs or lies, and a broker that dies under it, are told."""

import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from conformance.errors import ClusterError, OracleError
from conformance.experiments import client as module
from conformance.experiments import programs as programs_module
from conformance.experiments.catalogue import experiments_named
from conformance.experiments.client import ClientProcess, ClientRunError, Orders
from conformance.experiments.logs import LogBatch
from conformance.experiments.programs import Program, programs
from conformance.experiments.results import carry_out
from conformance.experiments.running import Plan, Run
from conformance.experiments.told import Told
from conformance.jars.store import JarStore
from conformance.processes.alone import Ended

ORDERS = Orders("host:1", "t", "12345678", 10, 0, 36, {"linger.ms": "5"})
DIES = "import sys; print('java.lang.OutOfMemoryError', file=sys.stderr); sys.exit(3)"
LIES = "print('hello', flush=True); input()"
HANGS = "import time; time.sleep(60)"
IS_READY = "print('ready', flush=True); input(); print('sending', flush=True); input()"


class _Script(Program):
    """A program in Python in the place of Java's."""

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-c", self.main, *arguments]


def _started(script: str, folder: Path) -> ClientProcess:
    return ClientProcess(_Script(script, ()), ORDERS, folder)


def test_a_compiler_that_ends_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ended = [Ended("its process exited with code 7", "")]
    monkeypatch.setattr(programs_module, "in_fresh_process", lambda *_: ended)
    monkeypatch.setattr(programs_module, "_jars", lambda *_: [])
    with pytest.raises(OracleError, match="was not compiled: its process exited with code 7"):
        programs(["3.8.0"], JarStore(tmp_path))


def test_a_client_that_dies_is_told_with_its_last_words(tmp_path: Path) -> None:
    with (
        _started(DIES, tmp_path) as client,
        pytest.raises(ClientRunError, match="OutOfMemoryError") as caught,
    ):
        client.wait_ready()
    assert 'exited with code 3 before it said "ready"' in caught.value.what


def test_a_client_that_says_something_else_is_not_believed(tmp_path: Path) -> None:
    with (
        _started(LIES, tmp_path) as client,
        pytest.raises(ClientRunError, match="said b'hello' instead of \"ready\""),
    ):
        client.wait_ready()


def test_a_client_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_READY_SECONDS", 0.3)
    began = time.monotonic()
    with (
        _started(HANGS, tmp_path) as client,
        pytest.raises(ClientRunError, match=r'has not said "ready" for 0\.3 s'),
    ):
        client.wait_ready()
    assert time.monotonic() - began < 30


def test_orders_are_properties_whatever_is_in_them(tmp_path: Path) -> None:
    odd = {"a b=c:d#!\\": "x = y : # ! \\ z\nw"}
    text = Orders("h:1", "t", "12345678", 1, 0, 36, odd).text(tmp_path)
    found = dict(_property(line) for line in text.splitlines())
    assert found["producer.a b=c:d#!\\"] == odd["a b=c:d#!\\"]
    assert found["records"] == "1"


def _property(line: str) -> tuple[str, str]:
    """A line as Java's ``Properties`` reads it: up to the first ``=`` that is not escaped."""
    match = re.fullmatch(r"((?:[^\\=]|\\.)*)=((?:[^\\]|\\.)*)", line)
    assert match is not None, line
    name, value = (
        re.sub(r"\\(.)", lambda one: {"n": "\n"}.get(one[1], one[1]), part)
        for part in match.groups()
    )
    return name, value


@dataclass
class _Site:
    """Brokers of which one ends as soon as somebody looks."""

    said: list[str] = field(default_factory=list)
    brokers: Sequence[int] = (0, 1, 2, 3)
    bootstrap_servers: str = "host:1"
    is_ours: bool = True
    described: str = "brokers that are none"
    how_slow: str = "very"

    def create(self, names: Sequence[str], leaders: Sequence[int]) -> None:
        self.said.append(f"create {len(names)} led by {len({*leaders})}")

    def delete(self, names: Sequence[str]) -> None:
        self.said.append(f"delete {len(names)}")

    def log_folders(self, topic: str, leaders: Mapping[int, int]) -> None:
        raise AssertionError(f"nothing was sent to {topic}: {leaders}")

    @contextmanager
    def slowed(self, brokers: Sequence[int]) -> Iterator[None]:
        self.said.append(f"slow: {brokers}")
        yield

    def check(self) -> None:
        raise ClusterError("Broker 3 has ended.", "Look at its log.")

    def revive(self) -> None:
        self.said.append("revive")

    def pause(self, broker: int) -> None: ...

    def resume(self, broker: int) -> None: ...

    def kill(self, broker: int) -> None: ...

    def restart(self, broker: int) -> None: ...


class _Listener:
    def __init__(self) -> None:
        self.runs: list[Run] = []

    def began(self, variant: object, number: int) -> None: ...

    def ended(self, run: Run, told: Told | None, batches: Sequence[LogBatch] | None) -> None:
        assert told is None
        assert batches is None
        self.runs.append(run)


def test_a_run_in_which_a_broker_ends_does_not_count_and_the_others_go_on() -> None:
    [experiment] = experiments_named(["sticky-slow-brokers"])
    script = cast(Program, _Script(IS_READY, ()))
    site, listener = _Site(), _Listener()
    plan = Plan(site, {"2.3.1": script, "3.2.3": script}, (1, 3), 2, 0, "prefix")
    result = carry_out(experiment, plan, listener)
    assert [run.not_run for run in listener.runs] == ["Broker 3 has ended."] * 4
    assert not result.is_complete
    assert result.site == "brokers that are none; slow: very"
    assert {str(judged.verdict) for judged in result.judged} == {"not run"}
    assert site.said.count("revive") == 4
    # A topic for the warm-up, and for each of four runs.
    assert site.said[-1] == "delete 5"
