"""``kafka-conformance cluster`` as a whole command: what it runs, how it ends, what it leaves."""

import signal
import sys
from pathlib import Path

import psutil
import pytest

from conformance.cluster.wire import WireError, ask_metadata
from conformance.jars.lock import jars_of_broker
from tests.cli.running import Suite, interrupt, wait_until
from tests.cluster.records import brokers_below
from tests.landing import nightly

ONE = ("cluster", "--brokers", "1")
TELLS = "import os, sys; print('at', os.environ['BOOTSTRAP_SERVERS']); sys.exit(7)"


def test_a_command_is_told_the_brokers_and_its_exit_code_is_passed_on(
    suite: Suite, temporary: Path
) -> None:
    done = suite.run(*ONE, "--", sys.executable, "-c", TELLS)
    done.expect(7, "1 broker of Kafka 3.8.0 on 127.0.0.1:", "at 127.0.0.1:")
    assert brokers_below(temporary) == []
    assert [*temporary.iterdir()] == []


@nightly
def test_a_command_that_a_signal_ends_tells_which(suite: Suite) -> None:
    killed = "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"
    suite.run(*ONE, "--", sys.executable, "-c", killed).expect(128 + signal.SIGTERM)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--", "no-such-command"), ["'no-such-command' does not start", "own words"]),
        (("--", "./no-such-file"), ["'./no-such-file' does not start"]),
        (("--brokers", "0"), ["--brokers"]),
        (("--brokers", "many"), ["--brokers"]),
    ],
)
def test_mistakes_are_told_before_anything_starts(
    suite: Suite, temporary: Path, options: tuple[str, ...], said: list[str]
) -> None:
    suite.run("cluster", *options).expect(2, *said)
    assert [*temporary.iterdir()] == []


def test_a_jar_that_is_half_there_is_not_started(suite: Suite, temporary: Path) -> None:
    folder = suite.place / "some jars"
    folder.mkdir()
    for path in suite.jars.iterdir():
        (folder / path.name).symlink_to(path.resolve())
    broker = next(jar for jar in jars_of_broker() if jar.artifact == "kafka_2.13")
    (folder / broker.name).unlink()
    (folder / broker.name).write_bytes(b"half a download")
    suite.run(*ONE, "--jars", folder).expect(3, broker.name)
    assert [*temporary.iterdir()] == []


@nightly
def test_ctrl_c_is_how_a_cluster_without_a_command_ends(suite: Suite, temporary: Path) -> None:
    process = suite.start(*ONE)
    assert process.stdout is not None
    name, _, address = process.stdout.readline().strip().partition("=")
    assert name == "BOOTSTRAP_SERVERS"
    port = int(address.rpartition(":")[2])
    [broker] = brokers_below(temporary)
    interrupt(process, within=30).expect(0, "The brokers are ended, and their data is removed.")
    assert not broker.is_running()
    assert [*temporary.iterdir()] == []
    with pytest.raises(WireError):
        ask_metadata(port, ())


@nightly
def test_ctrl_c_reaches_the_command_and_is_no_success(suite: Suite, temporary: Path) -> None:
    waits = (
        "import time\nprint('waiting', flush=True)\n"
        "try:\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    print('told', flush=True)\n"
    )
    process = suite.start(*ONE, "--", sys.executable, "-c", waits)
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    interrupt(process, within=30).expect(3, "told", "Interrupted.")
    assert brokers_below(temporary) == []
    assert [*temporary.iterdir()] == []


@nightly
def test_a_broker_that_dies_ends_the_command_and_is_no_success(
    suite: Suite, temporary: Path
) -> None:
    process = suite.start(*ONE, "--", sys.executable, "-c", "import time; time.sleep(60)")
    wait_until(lambda: bool(_with_commands(temporary)), "the command")
    [broker] = brokers_below(temporary)
    broker.kill()
    out, err = process.communicate(timeout=30)
    assert process.returncode == 3, out + err
    assert "Broker 0 was killed by SIGKILL, and nobody had stopped it" in err
    assert _with_commands(temporary) == []
    assert [*temporary.iterdir()] == []


@nightly
def test_what_a_killed_run_leaves_is_ended_and_removed_by_the_next(
    suite: Suite, temporary: Path
) -> None:
    living = suite.start(*ONE)
    assert living.stdout is not None
    port = int(living.stdout.readline().strip().rpartition(":")[2])
    killed = suite.start(*ONE)
    assert killed.stdout is not None
    killed.stdout.readline()
    kept, left = sorted(brokers_below(temporary), key=psutil.Process.create_time)
    killed.kill()
    killed.communicate()
    assert left.is_running()
    done = suite.run(*ONE, "--", sys.executable, "-c", "print('next')")
    done.expect(0, "next", "which a killed run had left")
    assert not left.is_running()
    assert kept.is_running()
    assert len([*temporary.iterdir()]) == 1
    assert [*ask_metadata(port, ()).brokers] == [0]
    interrupt(living, within=30).expect(0)
    assert [*temporary.iterdir()] == []


def _with_commands(folder: Path) -> list[psutil.Process]:
    """Commands that were told of a broker in a folder."""
    found = []
    for process in psutil.process_iter():
        try:
            variables = process.environ()
            if "BOOTSTRAP_SERVERS" in variables and variables.get("TMPDIR") == str(folder):
                found.append(process)
        except psutil.Error:
            continue
    return found
