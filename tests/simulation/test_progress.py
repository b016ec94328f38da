"""How far a simulation is: told to a terminal, and to nobody else."""

from io import StringIO

from rich.console import Console

from conformance.commands.progress import records_bar
from conformance.simulation.repeated import Run, run_variants
from tests.simulation.collected import Collected, scenario
from tests.simulation.running import simulate


def test_all_records_of_all_runs_are_told_in_parts() -> None:
    told: list[int] = []
    scenarios = [scenario(records=5000, every_us=100, linger_ms=one) for one in (0, 5)]
    run_variants(scenarios, 2, tell=told.append)
    assert sum(told) == 2 * 2 * 5000
    assert max(told) < 5000
    told.clear()
    run_variants(scenarios, 1, Collected(), tell=told.append)
    assert sum(told) == 2 * 5000


def test_a_run_that_is_watched_is_the_same() -> None:
    of = scenario(records=5000, every_us=100)
    told: list[int] = []
    watched = Run(of, in_detail=True).answer(tell=told.append)
    assert watched == Run(of, in_detail=True).answer()


def test_a_terminal_is_shown_records_rate_and_time_left() -> None:
    shown = StringIO()
    console = Console(file=shown, force_terminal=True, width=100)
    with records_bar(console, "simulating", 4000) as tell:
        tell(1000, 4000, 0.5)
    text = shown.getvalue()
    assert "simulating" in text
    assert "1,000 of 4,000 records, 2,000/s" in text
    assert text.count(":") >= 4  # time that has passed, and time left


def test_whoever_reads_what_is_said_from_a_file_sees_none_of_it() -> None:
    output = simulate("--records", "5k").output
    assert output.startswith("Producer ")
    assert "simulating" not in output
