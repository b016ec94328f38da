"""A run that simulated time ends says what it waited for: which brokers, or which setting."""

from pathlib import Path

import pytest

from tests.cli.running import check_schema
from tests.simulation.running import SMALL, simulate

# No time-out of the client is shorter than the time that is simulated.
_PATIENT = tuple(f"--set={name}.timeout.ms=2147483647" for name in ("request", "delivery"))


def test_a_run_without_end_says_so(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    still = ("--client", "2.3.1", "--stopped", "0=0..", "--until", "2m")
    told = simulate(*SMALL, *_PATIENT, *still, "--json", str(path), code=3)
    assert "NOT FINISHED after 2 min of simulated time (--until)." in told.output
    assert check_schema(path, "simulation")["exit_code"] == 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        # Three of nine records each; the two other brokers have answered theirs.
        (
            (*_PATIENT, "--client", "2.3.1", "--stopped", "0=0..", "--until", "2m"),
            "Broker 0, which stands still from 0 s for good, has not answered 3 records. Records "
            "fail after delivery.timeout.ms (2,147,483,647). The figures",
        ),
        (
            ("--client", "2.3.1", "--stopped", "1=0..1s", "--stopped", "1=1s..9s", "--until", "2s"),
            "(--until). Broker 1, which stands still from 1 s to 9 s, has not answered 3 records. "
            "Records fail after delivery.timeout.ms (120,000). The figures",
        ),
        (
            ("--client", "2.3.1", "--slow", "2=10s", "--until", "5s"),
            "(--until). Broker 2 has not answered 3 records. The figures",
        ),
        (
            ("--set", "linger.ms=60000", "--until", "30s"),
            "(--until). Batches with 9 records linger (linger.ms is 60,000). The figures",
        ),
        (
            ("--client", "2.3.1", "--every", "5ms", "--until", "26ms", "--set", "linger.ms=0"),
            "(--until). Broker 1 has not answered 1 record. Further records were still to come.",
        ),
        (
            (
                *(*_PATIENT, "--client", "2.3.1", "--set", "buffer.memory=16384"),
                *("--service", "1h", "--until", "50s"),
            ),
            "A send waits for memory (buffer.memory is 16,384 bytes; max.block.ms 60,000), 7 "
            "records behind it. The figures",
        ),
    ],
    ids=["stopped", "stopped again", "slow", "lingering", "still to come", "memory"],
)
def test_it_says_what_it_waited_for(arguments: tuple[str, ...], told: str) -> None:
    assert told in simulate(*SMALL, *arguments, code=3).output


def test_many_brokers_are_not_all_named() -> None:
    many = ("--records", "80", "--client", "2.3.1", "--partitions", "8", "--brokers", "8")
    told = simulate(*many, "--service", "10s", "--until", "5s", code=3).output
    assert told.count("has not answered 10 records.") == 5
    assert "3 more brokers have others." in told


def test_the_first_run_that_has_not_ended_is_told() -> None:
    slow = ("--slow", "1=10s", "--until", "5s")
    # In the first of these runs broker 1 gets nothing.
    assert "NOT FINISHED" not in simulate(*SMALL, *slow).output
    told = simulate(*SMALL, *slow, "--runs", "6", code=3).output
    assert "Broker 1 has not answered 9 records." in told
