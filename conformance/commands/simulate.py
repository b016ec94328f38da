"""``kafka-conformance simulate``: what would this producer do, with these settings, there?"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource
from rich.console import Console
from rich.markup import escape

from conformance.commands.outputs import check_output
from conformance.commands.progress import records_bar
from conformance.commands.running import json_option
from conformance.commands.shared import exit_codes, for_people, parse_records, seed_of
from conformance.commands.unfinished import as_json, owe
from conformance.errors import ExitCode, UsageError
from conformance.files import write_all, writing_results
from conformance.java_home import find_java
from conformance.reports.console import make_console

if TYPE_CHECKING:
    from conformance.simulation.arrivals import Arrivals
    from conformance.simulation.brokers import ClusterPlan
    from conformance.simulation.loop import Tell
    from conformance.simulation.measures import Sink
    from conformance.simulation.repeated import RunAll, Variant
    from conformance.simulation.scenario import Scenario

_FILE = click.Path(path_type=Path)
_OF_A_LOAD = ("records", "rate", "every", "size", "keys")
"""Options that say which records come, where no trace does."""


@click.command(
    epilog=exit_codes(
        "simulated to the end",
        "",
        "interrupted; or simulated time ended before all records did, and the others are shown",
        mistake="your mistake: an unknown name, option or setting, an impossible load or trace",
    )
)
@click.option("--client", default="3.8.0", show_default=True, help="The version of the client.")
@click.option("--set", "settings", multiple=True, help="A setting, as linger.ms=5; repeatable.")
@click.option("--records", help="How many come, such as 10k.  [default: 10k]")
@click.option("--rate", help="How often: 1000/s, or poisson:1000/s at random.  [default: 1000/s]")
@click.option("--every", help="The same as a time between two, such as 5ms.")
@click.option("--size", help="Bytes of a value: 100, or 50..500.  [default: 100]")
@click.option("--keys", help="none, uniform:1000 or zipf:1000.  [default: none]")
@click.option("--trace", type=_FILE, help="Take the records from this file, CSV or Parquet.")
@click.option(
    "--random-share",
    type=float,
    default=0.5,
    show_default=True,
    help="With compression: which share of a value is random bytes.",
)
@click.option("--partitions", type=int, default=10, show_default=True, help="Of the topic.")
@click.option("--brokers", type=int, default=4, show_default=True, help="They lead in turn.")
@click.option("--leaders", help="Who leads each partition instead, such as 0,0,1,2.")
@click.option(
    "--service",
    default="2ms",
    show_default=True,
    help="What a request takes: 2ms, or exp:2ms at random.",
)
@click.option("--slow", multiple=True, help="A broker that takes longer: 0=50ms; repeatable.")
@click.option("--stopped", multiple=True, help="A broker that stands still: 1=2s..5s; repeatable.")
@click.option("--network", default="1ms", show_default=True, help="To a broker, and back again.")
@click.option(
    "--request-time",
    default="0ms",
    show_default=True,
    help="What the producer's sender takes for a request, as 0.5ms.",
)
@click.option("--compare", help="Run each beside the others: linger.ms=0,5,50, client=3.2.3,3.8.0.")
@click.option("--runs", type=int, default=1, show_default=True, help="Runs with further seeds.")
@click.option("--master", help="Make the runs on Spark: local[2], spark://host:7077.")
@click.option("--seed", default="0", show_default=True, help="A number, or 'random'.")
@click.option("--until", default="24h", show_default=True, help="Ends the simulated time.")
@json_option
@click.option("--parquet", type=_FILE, help="Write a row for each record.")
@click.option("--plot", type=_FILE, help="Draw a picture, as SVG.")
@for_people
def simulate(
    client: str,
    settings: tuple[str, ...],
    trace: Path | None,
    random_share: float,
    partitions: int,
    brokers: int,
    leaders: str | None,
    service: str,
    slow: tuple[str, ...],
    stopped: tuple[str, ...],
    network: str,
    request_time: str,
    compare: str | None,
    runs: int,
    master: str | None,
    seed: str,
    until: str,
    json_file: Path | None,
    parquet: Path | None,
    plot: Path | None,
    **load: str | None,
) -> ExitCode:
    """Simulate a producer on simulated time: latency, batches, load."""
    # Imported here because the port and NumPy take long, and no other command needs them.
    from conformance.reports.simulation_console import print_simulation  # noqa: PLC0415
    from conformance.simulation.quantities import duration_of  # noqa: PLC0415
    from conformance.simulation.repeated import run_variants  # noqa: PLC0415
    from conformance.simulation.scenario import Scenario, variants_of  # noqa: PLC0415
    from conformance.simulation.setting_names import settings_of  # noqa: PLC0415
    from conformance.simulation.warnings import warnings_of  # noqa: PLC0415

    owe(json_file, as_json)
    _check_files(parquet, plot)
    _check_client(compare)
    scenario = Scenario(
        _load(trace, load),
        _cluster(partitions, brokers, leaders, (service, slow, stopped), network),
        client,
        settings_of(settings),
        random_share,
        seed_of(seed),
        duration_of("--until", until, least=1),
        duration_of("--request-time", request_time),
    )
    scenarios = variants_of(scenario, compare)
    for warning in warnings_of(scenarios):
        make_console(stderr=True).print(f"[bold]Warning:[/] {escape(warning)}", soft_wrap=True)
    console = make_console()
    elsewhere = _elsewhere(master, len(scenarios) * runs, len(scenarios) if parquet else 0)
    with _records_file(parquet) as sink, _progress(console, scenarios, runs) as tell:
        variants = run_variants(scenarios, runs, sink, tell=tell, **elsewhere)
    print_simulation(console, variants)
    unfinished = any(one.unfinished is not None for one in variants)
    code = ExitCode.NOT_RUN if unfinished else ExitCode.CONFORMS
    with writing_results(code):
        _write(variants, code, json_file, plot)
    return code


def _elsewhere(master: str | None, runs: int, kept_here: int) -> "dict[str, RunAll]":
    """Who makes the runs, if it is not this process; ``kept_here`` of them it makes in any case."""
    if master is None:
        return {}
    if runs == 1:
        raise UsageError(
            "--master is for many runs, and this is one.",
            "Say how many (--runs 20), or compare some (--compare linger.ms=0,5,50).",
        )
    if runs == kept_here:
        raise UsageError(
            "--parquet: runs whose records it takes are made in this process, and no others are "
            "left for --master.",
            "Leave out one of the two, or ask for further runs (--runs 20).",
        )
    # Imported here because it takes long, and few runs need it.
    from conformance.spark.simulations import simulate_on  # noqa: PLC0415

    find_java()
    return {"run_all": partial(simulate_on, master)}


@contextmanager
def _progress(console: Console, scenarios: "list[Scenario]", runs: int) -> "Iterator[Tell]":
    """How many records have come in all runs, and what time it is in one, on a terminal only."""
    from conformance.simulation.arrivals import Load  # noqa: PLC0415
    from conformance.simulation.quantities import time_text  # noqa: PLC0415

    loads = [one.load for one in scenarios]
    # How many records a trace has nobody knows before its end.
    sizes = [load.records for load in loads if isinstance(load, Load)]
    total = runs * sum(sizes) if len(sizes) == len(loads) else None
    started, came = time.monotonic(), 0
    with records_bar(console, "simulating", total) as bar:

        def tell(more: int, now_us: int | None) -> None:
            nonlocal came
            came += more
            # When all have come a run may still be long: its time shows that it goes on.
            at = "" if now_us is None else f", at {time_text(now_us)}"
            bar(came, total, time.monotonic() - started, f"simulating{at}")

        yield tell


def _load(trace: Path | None, options: dict[str, str | None]) -> "Arrivals":
    """The records that come, from a file or by a rule."""
    from conformance.simulation.arrivals import Load, keys_of, pace_of, sizes_of  # noqa: PLC0415
    from conformance.simulation.traces import Trace  # noqa: PLC0415

    given = [f"--{name}" for name in _OF_A_LOAD if options[name] is not None]
    if trace is not None:
        if given:
            told = f"--trace and {', '.join(given)} exclude each other."
            raise UsageError(told, "A trace says itself which records come, and when.")
        return Trace(trace)
    pace = pace_of(options["rate"], options["every"])
    sizes = sizes_of(options["size"] or "100")
    keys = keys_of(options["keys"] or "none")
    return Load(parse_records(options["records"] or "10k"), pace, *sizes, keys)


def _cluster(
    partitions: int,
    brokers: int,
    leaders: str | None,
    paces: tuple[str, tuple[str, ...], tuple[str, ...]],
    network: str,
) -> "ClusterPlan":
    """The brokers; ``paces`` are what a request takes, which brokers are slow, and which stop."""
    from conformance.simulation.brokers import (  # noqa: PLC0415
        ClusterPlan,
        leaders_of,
        service_of,
        slow_brokers,
        stopped_brokers,
    )
    from conformance.simulation.quantities import duration_of  # noqa: PLC0415

    service, slow, stopped = paces
    cluster = ClusterPlan(
        partitions,
        brokers,
        service_of("--service", service),
        slow_brokers(slow),
        stopped_brokers(stopped),
        duration_of("--network", network),
        leaders_of(leaders),
    )
    cluster.check_named()
    return cluster


def _check_client(compare: str | None) -> None:
    from conformance.simulation.scenario import split_comparison  # noqa: PLC0415

    told = click.get_current_context().get_parameter_source("client")
    compares = compare is not None and split_comparison(compare)[0] == "client"
    if compares and told is not ParameterSource.DEFAULT:
        raise UsageError("--compare and --client both name the client.", "Leave out one of them.")


def _check_files(parquet: Path | None, plot: Path | None) -> None:
    if plot is not None and plot.suffix != ".svg":
        raise UsageError(f"--plot {plot}: pictures are SVG.", "Name a file such as run.svg.")
    for path in (parquet, plot):
        if path is not None:
            check_output(path)


@contextmanager
def _records_file(path: Path | None) -> "Iterator[Sink | None]":
    with ExitStack() as files:
        if path is None:
            yield None
            return
        # Imported here because Arrow takes long, and few runs need it.
        from conformance.reports.simulation_files import RecordsFile  # noqa: PLC0415

        yield files.enter_context(RecordsFile(path))


def _write(
    variants: "list[Variant]", code: ExitCode, json_file: Path | None, plot: Path | None
) -> None:
    texts = {}
    if json_file is not None:
        from conformance.reports.simulation_files import simulation_text  # noqa: PLC0415

        texts[json_file] = simulation_text(variants, code)
    if plot is not None:
        # Matplotlib takes its time, and is only wanted here.
        from conformance.reports.simulation_plots import simulation_svg  # noqa: PLC0415

        texts[plot] = simulation_svg(variants)
    write_all(texts, code)
