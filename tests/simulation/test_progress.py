"""How far a simulation is: told to a terminal, and to nobody else."""

from io import StringIO

from rich.console import Console

from conformance.commands.progress import records_bar
from conformance.simulation.brokers import ClusterPlan, Service
from conformance.simulation.quantities import SECOND
from conformance.simulation.repeated import Run, run_variants
from tests.simulation.collected import Collected, scenario
from tests.simulation.running import simulate


class _Told:
    """What was told of records, and of the time."""

    def __init__(self) -> None:
        self.records: list[int] = []
        self.times_us: list[int | None] = []

    def __call__(self, more: int, now_us: int | None) -> None:
        self.records.append(more)
        self.times_us.append(now_us)


def test_all_records_of_all_runs_are_told_in_parts() -> None:
    told = _Told()
    scenarios = [scenario(records=5000, every_us=100, linger_ms=one) for one in (0, 5)]
    run_variants(scenarios, 2, tell=told)
    assert sum(told.records) == 2 * 2 * 5000
    assert max(told.records) < 5000
    told = _Told()
    run_variants(scenarios, 1, Collected(), tell=told)
    assert sum(told.records) == 2 * 5000


def test_a_run_that_is_watched_is_the_same() -> None:
    of = scenario(records=5000, every_us=100)
    watched = Run(of, in_detail=True).answer(tell=_Told())
    assert watched == Run(of, in_detail=True).answer()


def test_time_is_told_while_no_records_come() -> None:
    """Requests that all time out, and that are sent again without a pause."""
    gone = ClusterPlan(1, 1, Service(3 * SECOND))
    of = scenario(records=9, cluster=gone, request_timeout_ms=100, retry_backoff_ms=0, linger_ms=0)
    told = _Told()
    answer = Run(of, in_detail=True).answer(tell=told)
    quiet = [time for more, time in zip(told.records, told.times_us, strict=True) if not more]
    assert len(quiet) > 10
    assert None not in quiet
    assert quiet == sorted(quiet, key=lambda time: time or 0)
    assert answer.figures["seconds"] * SECOND >= (quiet[-1] or 0) > 10 * SECOND


def test_the_time_that_is_told_never_goes_back() -> None:
    told = _Told()
    Run(scenario(records=20_000, every_us=1000), in_detail=True).answer(tell=told)
    times = [time or 0 for time in told.times_us]
    assert len(times) > 20
    assert times == sorted(times)
    assert times[-1] >= 19_000 * 1000


def test_a_terminal_is_shown_records_rate_and_time_left() -> None:
    shown = StringIO()
    console = Console(file=shown, force_terminal=True, width=100)
    with records_bar(console, "simulating", 4000) as tell:
        tell(1000, 4000, 0.5, "simulating, at 12.3 s")
    text = shown.getvalue()
    assert "simulating, at 12.3 s" in text
    assert "1,000 of 4,000 records, 2,000/s" in text
    assert text.count(":") >= 4  # time that has passed, and time left


def test_whoever_reads_what_is_said_from_a_file_sees_none_of_it() -> None:
    output = simulate("--records", "5k").output
    assert output.startswith("Producer ")
    assert "simulating" not in output
