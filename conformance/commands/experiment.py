"""``kafka-conformance experiment``: what is said of producers, with real ones and real brokers."""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from conformance.commands.running import json_option, plot_format_option
from conformance.commands.shared import (
    exit_codes,
    fetch_progress,
    for_people,
    jars_option,
    parse_records,
    seed_of,
)
from conformance.commands.unfinished import as_json, owe
from conformance.errors import ExitCode, UsageError
from conformance.files import check_folder_writable, write_all, writing_results
from conformance.jars.store import JarStore
from conformance.names import unique, unknown
from conformance.reports.console import make_console

if TYPE_CHECKING:
    from conformance.experiments.catalogue import Experiment, Variant
    from conformance.experiments.logs import LogBatch
    from conformance.experiments.places import Place
    from conformance.experiments.results import Result
    from conformance.experiments.running import Run
    from conformance.experiments.told import Told
    from conformance.reports.experiment_console import ExperimentProgress
    from conformance.reports.experiment_files import RunFiles

_FILE = click.Path(path_type=Path)


@click.command(
    epilog=exit_codes(
        "all runs were made, whatever the verdicts; every record is accounted for",
        "",
        "a run that does not count, Ctrl-C, no Java, no jars, brokers that do not start",
        mistake="your mistake: an unknown name, a cluster that does not answer or lacks the topic",
    )
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option(
    "--repetitions",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Of each run; the producers take turns.",
)
@click.option("--client", "clients", multiple=True, help="Only this client version; repeatable.")
@click.option("--records", help="How many a run sends, such as 10k.")
@click.option("--rate", help="How often one is sent, such as 50k/s, or max.")
@click.option(
    "--slowness",
    default="proxy:100ms",
    show_default=True,
    help="How brokers 1 and 3 are slow: proxy:100ms, duty-cycle:0.2,0.3 or cpu-quota:0.05.",
)
@click.option("--bootstrap-servers", help="Use this cluster, and start no brokers.")
@click.option("--topic", help="One of that cluster, for all runs; without it they make their own.")
@click.option("--topic-prefix", help="What the names of topics begin with that are made there.")
@click.option("--slow-brokers", help="Which brokers of that cluster are slow, such as 1,3.")
@click.option("--seed", default="0", show_default=True, help="A number, or 'random'.")
@json_option
@click.option("--parquet", type=_FILE, help="Write records and batches into this folder.")
@click.option("--plot", type=_FILE, help="Draw pictures into this folder.")
@plot_format_option
@jars_option
@for_people
def experiment(
    names: tuple[str, ...],
    repetitions: int,
    clients: tuple[str, ...],
    records: str | None,
    rate: str | None,
    slowness: str,
    bootstrap_servers: str | None,
    topic: str | None,
    topic_prefix: str | None,
    slow_brokers: str | None,
    seed: str,
    json_file: Path | None,
    parquet: Path | None,
    plot: Path | None,
    plot_format: str,
    jars_folder: Path | None,
) -> ExitCode:
    """Run real producers against real brokers, some of them slow.

    \b
    round-robin-latency    round robin makes small batches that wait for linger
    sticky-slow-brokers    the sticky partitioner of 2.4 to 3.2 feeds slow brokers
    adaptive-slow-brokers  the adaptive partitioner since 3.3 relieves them
    cross                  all clients; healthy, slow, paused and killed brokers
    all                    these four
    map                    where the two claims about slow brokers hold
    """
    # Imported here because NumPy and the port take long, and no other command needs them.
    from conformance.experiments.places import (  # noqa: PLC0415
        broker_ids,
        own_brokers,
        users_brokers,
    )

    owe(json_file, as_json)
    for folder in (parquet, plot):
        if folder is not None:
            check_folder_writable(folder)
    wanted = _wanted(names, clients, records, rate)
    store = JarStore(jars_folder)
    told = make_console(stderr=True)
    of_users = {"--topic": topic, "--topic-prefix": topic_prefix, "--slow-brokers": slow_brokers}
    with ExitStack() as starting:
        # Seen on a terminal only.
        status = starting.enter_context(told.status("starting"))
        place: AbstractContextManager[Place]
        if bootstrap_servers is None:
            _refuse(of_users)
            place = own_brokers(
                *(wanted, store, slowness),
                fetching=fetch_progress(told),
                ready=lambda done, total: status.update(f"{done} of {total} brokers are ready"),
            )
        else:
            slow = broker_ids(slow_brokers) if slow_brokers else ()
            place = users_brokers(
                *(wanted, store, bootstrap_servers, topic or "", slow),
                fetching=fetch_progress(told),
            )
        with place as ready:
            starting.close()
            own = f"kafka-conformance-experiment-{secrets.token_hex(3)}"
            asked = (repetitions, seed_of(seed), topic_prefix or own, topic or "")
            results = _carry_out(told, wanted, ready, asked, parquet)
    return _report(results, len(wanted), json_file, plot, plot_format)


def _wanted(
    names: Sequence[str], clients: Sequence[str], records: str | None, rate: str | None
) -> "list[Experiment]":
    from conformance.experiments.catalogue import MAP, experiments_named  # noqa: PLC0415 -- as above
    from conformance.simulation.quantities import rate_of  # noqa: PLC0415

    found = experiments_named(names)
    for option, value in (("--records", records), ("--rate", rate)):
        if value is not None and MAP in names:
            what = f"{option} {value} is not for the map: its conditions differ in that."
            raise UsageError(what, f"Leave {option} out, or name another experiment.")
    if records is not None:
        found = [replace(one, records=parse_records(records)) for one in found]
    if rate is not None:
        interval_ns = 0 if rate == "max" else max(1, round(1000 / rate_of("--rate", rate)))
        found = [replace(one, interval_ns=interval_ns) for one in found]
    known = unique(variant.client for one in found for variant in one.variants)
    for client in clients:
        if client not in known:
            raise unknown("client version of these experiments", client, known)
    return [one for one in (_only(one, clients) for one in found) if one.variants]


def _only(experiment: "Experiment", clients: Sequence[str]) -> "Experiment":
    """An experiment with the producers of these clients, and the claims about them alone."""
    if not clients:
        return experiment
    kept = [one for one in experiment.variants if one.client in clients]
    names = {one.name for one in kept}
    claims = [one for one in experiment.claims if names.issuperset(one.variants)]
    return replace(experiment, variants=kept, claims=claims)


def _refuse(of_users: Mapping[str, str | None]) -> None:
    for option, value in of_users.items():
        if value is not None:
            raise UsageError(
                f"{option} is about a cluster of yours.",
                "Name it with --bootstrap-servers, or leave this out.",
            )


def _carry_out(
    console: Console,
    experiments: "Sequence[Experiment]",
    place: "Place",
    asked: tuple[int, int, str, str],
    parquet: Path | None,
) -> "list[Result]":
    """Every experiment, one after the other, until a Ctrl-C."""
    from conformance.experiments.results import carry_out  # noqa: PLC0415 -- as above
    from conformance.experiments.running import Plan  # noqa: PLC0415
    from conformance.reports.experiment_console import ExperimentProgress  # noqa: PLC0415

    results: list[Result] = []
    with ExitStack() as files, ExperimentProgress(console, experiments, asked[0]) as progress:
        listener = _Listener(progress)
        if parquet is not None:
            # Imported here because Arrow takes long, and few runs need it.
            from conformance.reports.experiment_files import RunFiles  # noqa: PLC0415

            listener.files = files.enter_context(RunFiles(parquet))
        for one in experiments:
            listener.experiment = one.name
            plan = Plan(place.site_of(one), place.programs, place.slow, *asked)
            try:
                results.append(carry_out(one, plan, listener))
            except KeyboardInterrupt:  # while it was judged: those before are told all the same
                console.print(f"{one.name} was stopped while it was judged.")
                break
            if results[-1].stopped:
                break
    return results


class _Listener:
    """Tells whoever shows runs, and whoever writes them down."""

    def __init__(self, progress: "ExperimentProgress") -> None:
        self.experiment = ""
        self.files: RunFiles | None = None
        self._progress = progress

    def began(self, variant: "Variant", number: int) -> None:
        self._progress.began(self.experiment, variant, number)

    def ended(self, run: "Run", told: "Told | None", batches: "Sequence[LogBatch] | None") -> None:
        self._progress.ended(run)
        if self.files is not None and told is not None:
            self.files.write(run, told, batches)


def _report(
    results: "Sequence[Result]",
    asked: int,
    json_file: Path | None,
    plot: Path | None,
    plot_format: str,
) -> ExitCode:
    from conformance.reports.experiment_console import print_experiments  # noqa: PLC0415

    print_experiments(make_console(), results)
    complete = len(results) == asked and all(one.is_complete for one in results)
    code = ExitCode.CONFORMS if complete else ExitCode.NOT_RUN
    files: dict[Path, str | bytes] = {}
    with writing_results(code):
        if json_file is not None or plot is not None:
            from conformance.reports.experiment_files import (  # noqa: PLC0415
                experiments_document,
                experiments_text,
            )

            document = experiments_document(results, code)
            if json_file is not None:
                files[json_file] = experiments_text(document)
            if plot is not None:
                # Matplotlib takes its time, and is only wanted here.
                from conformance.reports.experiment_plots import (  # noqa: PLC0415
                    experiment_pictures,
                )

                drawn = experiment_pictures(document, plot_format)
                files |= {plot / name: picture for name, picture in drawn.items()}
        write_all(files, code)
    return code
