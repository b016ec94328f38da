"""A standalone Spark cluster on this machine: a master and two workers, started from PySpark."""

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.cli.running import wait_until

HOST = "127.0.0.1"
_MASTER = "org.apache.spark.deploy.master.Master"
_WORKER = "org.apache.spark.deploy.worker.Worker"
_START_SECONDS = 90


def spark_home() -> Path:
    """Where PySpark lies, found without importing it."""
    spec = importlib.util.find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as listening:
        listening.bind((HOST, 0))
        return int(listening.getsockname()[1])


@dataclass
class Cluster:
    """Its processes. Their environment knows nothing of this project."""

    place: Path
    workers: int = 2
    _port: int = field(default_factory=free_port)
    _web_port: int = field(default_factory=free_port)
    _master: "subprocess.Popen[bytes] | None" = None
    _running: "list[subprocess.Popen[bytes]]" = field(default_factory=list)
    _started: int = 0

    @property
    def url(self) -> str:
        """What ``--master`` takes."""
        return f"spark://{HOST}:{self._port}"

    def ensure(self) -> "Cluster":
        """Start what does not run, and wait until the master knows all workers."""
        if self._master is None:
            ports = ("--port", str(self._port), "--webui-port", str(self._web_port))
            self._master = self._start(_MASTER, "master", "--host", HOST, *ports)
            wait_until(lambda: self._state() is not None, "the Spark master", _START_SECONDS)
        self._running = [worker for worker in self._running if worker.poll() is None]
        while len(self._running) < self.workers:
            self._started += 1
            self._running.append(self._start_worker(f"worker-{self._started}"))
        wait_until(self._is_complete, "the Spark workers", _START_SECONDS)
        return self

    def dead_workers(self) -> list[int]:
        """The exit codes of workers that were started and have ended."""
        return [worker.returncode for worker in self._running if worker.poll() is not None]

    def stop(self) -> None:
        """End it with all executors."""
        for process in (*self._running, *([self._master] if self._master else [])):
            if process.poll() is None:
                # Each leads a session of its own, which its executors belong to.
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _start_worker(self, name: str) -> "subprocess.Popen[bytes]":
        work = self.place / f"{name}-files"
        size = ("--cores", "1", "--memory", "2g")
        web = ("--webui-port", str(free_port()))
        return self._start(_WORKER, name, "--host", HOST, *size, *web, "-d", str(work), self.url)

    def _start(self, role: str, name: str, *arguments: str) -> "subprocess.Popen[bytes]":
        cwd = self.place / f"{name}-cwd"
        cwd.mkdir()
        environment = {
            name: value
            for name, value in os.environ.items()
            if name in ("PATH", "HOME", "JAVA_HOME", "LANG", "TMPDIR")
        }
        # A JVM that lives for minutes is not worth compiling thoroughly.
        environment["SPARK_DAEMON_JAVA_OPTS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        environment |= {"SPARK_LOCAL_DIRS": str(self.place / f"{name}-local")}
        with (self.place / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                [str(spark_home() / "bin" / "spark-class"), role, *arguments],
                cwd=cwd,
                env={**environment, "SPARK_LOCAL_IP": HOST, "PYSPARK_PYTHON": sys.executable},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _state(self) -> Any:
        """What the master's web page says, or None while there is none."""
        try:
            with urllib.request.urlopen(f"http://{HOST}:{self._web_port}/json/", timeout=5) as page:
                return json.load(page)
        except OSError:
            return None

    def _is_complete(self) -> bool:
        state = self._state()
        if state is None:
            return False
        free = [w for w in state["workers"] if w["state"] == "ALIVE" and not w["coresused"]]
        return len(free) == self.workers
