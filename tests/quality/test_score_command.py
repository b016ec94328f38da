"""The score as a command: what is canceled leaves no process behind."""

import signal
import subprocess
import sys
from pathlib import Path

import psutil

from tests.cli.running import interrupt, wait_until
from tests.landing import nightly


def _workers(process: "subprocess.Popen[str]") -> list[psutil.Process]:
    """Those that measure: children that were spawned, beside multiprocessing's own."""
    try:
        children = psutil.Process(process.pid).children()
        return [child for child in children if "spawn_main" in " ".join(child.cmdline())]
    except psutil.Error:  # one has just ended
        return []


@nightly
def test_a_canceled_score_leaves_no_worker(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "conformance.score", "--jobs", "1", "--file", "murmur2.py"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    wait_until(lambda: bool(_workers(process)), "a worker")
    workers = _workers(process)
    outcome = interrupt(process, within=60, by=signal.SIGTERM)
    assert outcome.code != 0
    psutil.wait_procs(workers, timeout=5)
    assert not [worker for worker in workers if worker.is_running()]
