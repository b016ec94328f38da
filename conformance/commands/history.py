"""``kafka-conformance history``: since when does the Java client do what it does?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console

from conformance.behaviours.registry import OF_JARS
from conformance.clients.inspection import inspect_each
from conformance.commands.outputs import check_output
from conformance.commands.running import (
    behaviour_option,
    get_ready,
    jobs_option,
    json_option,
    profile_option,
    seed_option,
    stall_option,
)
from conformance.commands.shared import (
    exit_codes,
    fetch_progress,
    for_people,
    jars_option,
    lasting,
    seed_of,
)
from conformance.commands.unfinished import as_json, as_markdown, owe
from conformance.engine.events import Listener
from conformance.engine.plan import profile_named
from conformance.engine.run import CellRunner, default_jobs, run_plan
from conformance.errors import ExitCode, JarError, SuiteError, UsageError
from conformance.files import write_all, writing_results
from conformance.gate.history import (
    History,
    Passage,
    Release,
    neighbours,
    rows_of,
    shared_behaviours,
)
from conformance.gate.outcomes import comparable, gate_plan
from conformance.jars.client_jar import ClientJar, client_jar
from conformance.jars.lock import release_jars
from conformance.jars.store import JarStore
from conformance.model.results import RunResult
from conformance.model.values import to_json
from conformance.names import unknown
from conformance.oracle.settings import settings_of
from conformance.reports.console import make_console
from conformance.reports.history_console import HistoryProgress, print_history
from conformance.reports.history_json import history_document
from conformance.reports.history_page import history_page
from conformance.subjects.pair_of_jars import TwoJars

_FILE = click.Path(path_type=Path)


@click.command(
    epilog=exit_codes(
        "everything was compared, whatever changed",
        "",
        "a version, or a behaviour of one, could not be run; the others are shown",
    )
)
@click.option("--from", "first", help="The oldest version.  [default: the oldest in the lock]")
@click.option("--to", "last", help="The newest version.  [default: the newest in the lock]")
@behaviour_option
@profile_option
@seed_option
@jobs_option
@stall_option
@json_option
@click.option("--markdown", "markdown_file", type=_FILE, help="Write the tables as Markdown.")
@click.option("--plot", "plot_file", type=_FILE, help="Write the plot as SVG.")
@jars_option
@for_people
def history(
    first: str | None,
    last: str | None,
    behaviours: tuple[str, ...],
    profile: str,
    seed: str,
    jobs: int | None,
    stall_seconds: float,
    json_file: Path | None,
    markdown_file: Path | None,
    plot_file: Path | None,
    jars_folder: Path | None,
) -> ExitCode:
    """Show when each behaviour changed, release by release."""
    owe(json_file, as_json)
    owe(markdown_file, as_markdown)
    if plot_file is not None:
        check_output(plot_file)
    everything = [one.name for one in OF_JARS]
    asked = comparable(behaviours or everything)
    names = [name for name in everything if name in asked]
    profile_named(profile)
    versions = _versions(first, last)
    console = make_console()
    get_ready()
    jars = _jars(console, versions, JarStore(jars_folder))
    releases = _inspected(jars)
    runner = _Runner(jars, profile, seed_of(seed), jobs, stall_seconds)
    passages = _passages(console, runner, releases, names)
    rows = rows_of(releases, names, passages)
    found = History(releases, rows, profile, runner.seed, _defaults(jars))
    print_history(console, found)
    with writing_results(found.exit_code):
        _write(found, json_file, markdown_file, plot_file)
    return found.exit_code


def _write(
    found: History, json_file: Path | None, markdown_file: Path | None, plot_file: Path | None
) -> None:
    texts = {}
    if json_file is not None:
        texts[json_file] = to_json(history_document(found), indent=1) + "\n"
    if markdown_file is not None:
        texts[markdown_file] = history_page(found)
    if plot_file is not None:
        # Matplotlib takes its time, and is only wanted here.
        from conformance.reports.history_plot import history_svg  # noqa: PLC0415

        texts[plot_file] = history_svg(found)
    write_all(texts, found.exit_code)


_Jars = dict[str, ClientJar | SuiteError]


@dataclass(frozen=True)
class _Runner:
    """Holds one release against another."""

    jars: _Jars
    profile: str
    seed: int
    jobs: int | None
    stall_seconds: float

    def __call__(
        self, before: Release, after: Release, names: Sequence[str], listener: Listener
    ) -> RunResult:
        """Worker processes live for one pair: no JVM ever holds more than two clients."""
        old, new = self.jars[before.version], self.jars[after.version]
        assert isinstance(old, ClientJar)
        assert isinstance(new, ClientJar)
        assert before.inspected is not None
        assert after.inspected is not None
        plan = gate_plan(
            before.inspected, after.inspected, names, profile=self.profile, seed=self.seed
        )
        pair = TwoJars(old, new, before.inspected, after.inspected)
        runner = CellRunner(plan, *pair.subjects)
        jobs = default_jobs() if self.jobs is None else self.jobs
        return run_plan(runner, listener, jobs=jobs, stall_seconds=self.stall_seconds)


def _versions(first: str | None, last: str | None) -> list[str]:
    """The versions of the lock from one to another."""
    known = [jar.version for jar in release_jars()]
    for named in filter(None, (first, last)):
        if named not in known:
            raise unknown("version in the lock", named, known)
    start, end = known.index(first or known[0]), known.index(last or known[-1])
    if start >= end:
        raise UsageError(
            f"From {known[start]} to {known[end]} there is no history. Name two versions, the "
            "older one first.",
            f"Known: {', '.join(known)}.",
        )
    return known[start : end + 1]


def _jars(console: Console, versions: Sequence[str], store: JarStore) -> _Jars:
    """The jar of each version, fetched if need be, or why there is none."""
    progress = fetch_progress(console)
    found: _Jars = {}
    for version in versions:
        try:
            found[version] = client_jar(version, store, progress)
        except JarError as error:
            found[version] = error
    return found


def _inspected(jars: _Jars) -> tuple[Release, ...]:
    there = {version: jar for version, jar in jars.items() if isinstance(jar, ClientJar)}
    looked = dict(zip(there, inspect_each([jar.all for jar in there.values()]), strict=True))
    releases = []
    for version, jar in jars.items():
        seen = jar if isinstance(jar, SuiteError) else looked[version]
        if isinstance(seen, SuiteError):
            releases.append(Release(version, None, seen.what, seen.remedy))
        else:
            assert isinstance(jar, ClientJar)
            releases.append(Release(version, seen, sha256=jar.sha256))
    return tuple(releases)


def _defaults(jars: _Jars) -> dict[str, Mapping[str, str]]:
    there = {version: jar for version, jar in jars.items() if isinstance(jar, ClientJar)}
    found = settings_of([jar.all for jar in there.values()])
    return {
        version: {name: setting.default for name, setting in one["producer"].items()}
        for version, one in zip(there, found, strict=True)
        if not isinstance(one, SuiteError)
    }


def _passages(
    console: Console, runner: _Runner, releases: Sequence[Release], names: Sequence[str]
) -> list[Passage]:
    """All pairs one after the other; Ctrl-C ends them, with what there is so far."""
    pairs = [(*pair, shared_behaviours(*pair, names)) for pair in neighbours(releases)]
    cells = sum(len(shared) for _, _, shared in pairs)
    screen = HistoryProgress(console, cells)
    passages: list[Passage] = []
    try:
        console.print(
            f"Behaviours: {len(names)}, kafka-clients versions: {len(releases)}, pairs of "
            f"neighbours: {len(pairs)}, cells: {cells} (profile {runner.profile}, "
            f"seed {runner.seed})",
            soft_wrap=True,
        )
        if runner.profile == "default":  # 25 pairs took 28 minutes on two cores
            told = lasting(40 * len(pairs), 120 * len(pairs))
            console.print(f"That takes {told} on two cores.", soft_wrap=True)
        for before, after, shared in pairs:
            pair = f"{before.version} to {after.version}"
            screen.begin(pair)
            run = runner(before, after, shared, screen) if shared else None
            screen.end(pair, run)
            passages.append(Passage(before, after, run))
            if run is not None and run.interrupted:
                break
    except KeyboardInterrupt:
        pass  # between two runs; a pair without passage is one that was interrupted
    finally:
        screen.close()
    return passages
