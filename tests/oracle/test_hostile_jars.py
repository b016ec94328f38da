"""Jars whose classes loop, exit, print or fail when they are initialised: what is told of them."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from conformance.clients.inspection import inspect_jars
from conformance.jars.lock import jars_beside, jars_of_client
from conformance.jars.store import JarStore
from conformance.processes import alone
from tests.cli.running import PROJECT
from tests.cli.spoilt_jars import only_of, spoilt
from tests.doctored import CACHE, PRODUCER, doctored
from tests.landing import later, nightly

UNIFORM = f"{PRODUCER}.UniformStickyPartitioner"
TURNS = f"{PRODUCER}.RoundRobinPartitioner"


def hostile(to: Path, first: Mapping[str, str]) -> list[Path]:
    """3.8.0 with classes that do something when they are initialised, and what it needs beside."""
    sources = {}
    for name, statements in first.items():
        package, _, simple = name.rpartition(".")
        body = f"static {{ if (true) {{ {statements} }} }}"
        sources[name] = f"package {package}; public class {simple} {{ {body} }}"
    return [doctored(to / "own.jar", sources), *JarStore().ensure(jars_beside())]


@nightly
def test_classes_that_cannot_be_initialised_cost_what_needs_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alone, "SILENT_SECONDS", 10.0)
    first = {
        CACHE: "while (true) Thread.onSpinWait();",
        UNIFORM: "System.exit(7);",
        TURNS: 'throw new IllegalStateException("the cupboard is bare");',
    }
    found, release = inspect_jars(
        [hostile(tmp_path, first), JarStore().ensure(jars_of_client("3.8.0"))]
    )
    why = {name: error.what for name, error in found.broken.items()}
    assert why["sticky-cache"] == f"own.jar: class {CACHE} cannot be loaded: no answer for 10 s."
    exits = f"own.jar: class {UNIFORM} cannot be loaded: its process exited with code 7."
    assert why["uniform-sticky"] == exits
    assert "caused by java.lang." in why["round-robin"]
    assert "IllegalStateException: the cupboard is bare" in why["round-robin"]
    assert not {*why} & {*found.client.realised_by}
    # What has nothing to do with them is compared, and the other jar whole.
    assert {"murmur2", "keyed", "built-in", "load-stats"} <= {*found.client.realised_by}
    assert not release.broken


@pytest.mark.parametrize("size", [300, later(0)])
def test_a_truncated_class_costs_what_needs_it(tmp_path: Path, size: int) -> None:
    own, *beside = JarStore().ensure(jars_of_client("3.8.0"))
    cut = only_of("producer/ProducerRecord.class", lambda _name, content: content[:size])
    [found] = inspect_jars([[spoilt(own, tmp_path / "own.jar", cut), *beside]])
    assert "Truncated class file" in found.broken["explicit-partition"].what
    assert {"murmur2", "keyed", "built-in", "round-robin"} <= {*found.client.realised_by}


LOADS = """
import sys
from pathlib import Path
from conformance.oracle.client import JavaClient
JavaClient(None, [Path(jar) for jar in sys.argv[2:]]).java_class(sys.argv[1])
"""


def test_what_a_class_prints_goes_nowhere(tmp_path: Path) -> None:
    lines = "for (int line = 0; line < 100_000; line++)"
    prints = f"{lines} {{ System.out.println(line); System.err.println(line); }}"
    jars = hostile(tmp_path, {CACHE: prints})
    command = [sys.executable, "-c", LOADS, CACHE, *map(str, jars)]
    done = subprocess.run(command, capture_output=True, check=True, cwd=PROJECT)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_a_thread_that_a_class_starts_is_not_waited_for(tmp_path: Path) -> None:
    thread = "new Thread(() -> { while (true) Thread.onSpinWait(); }).start();"
    [found] = inspect_jars([hostile(tmp_path, {CACHE: thread})])
    assert "sticky-cache" in found.client.realised_by


def test_a_thread_of_a_jar_does_not_hold_a_process_that_drives_java_itself() -> None:
    program = (
        "import jpype\n"
        "from conformance.oracle.jvm import start_jvm\n"
        "start_jvm()\n"
        "jpype.JClass('java.util.Timer')()\n"  # its thread is no daemon
        "print('over')\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (told.returncode, told.stdout, told.stderr) == (0, "over\n", "")
