"""Build the adapters over real client libraries, hold each against Java, write the matrix.

Run as ``python adapters/run.py [NAME ...]`` (``tox -e adapters``): names of languages (folders) or
of single testees; none: all. What lacks a toolchain, or does not build, is reported as not run.

``--quick`` runs the first testee of each kind of each library, against the one version of Java that
does the most alike. What it runs it runs as the whole matrix does, with the same cases and records:
so that it calls new, or gone, what the whole matrix would, and nothing of the rest.

Exit codes, as of every command of the suite: 0 everything is as ``known/`` says, 1 something
diverges that is not known there (or no longer does), 2 a mistake, such as a file in ``known/`` that
cannot be read, 3 something was not run. 1 outweighs 2, and 2 outweighs 3.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from builds import Built, build
from folders import KINDS, Adapter, Folder, keep_first_of_kinds, read_folders, with_needed
from processes import Processes
from rich.console import Console

from conformance.clients.versions import jars_of_matrix
from conformance.jars.store import JarStore
from conformance.processes.ctrl_c import end_as_at_ctrl_c
from conformance.reports.console import make_console
from conformance.reports.json_report import UNFINISHED

TESTEE_SECONDS = 1800
CONFORMS, DIVERGES, MISTAKE, NOT_RUN = 0, 1, 2, 3
WORDS = {CONFORMS: "as known", DIVERGES: "DIVERGES", MISTAKE: "MISTAKE", NOT_RUN: "NOT RUN"}

PATIENCE = ("--hello-seconds", "60", "--answer-seconds", "120", "--exit-seconds", "60")
"""The matrix is about what libraries do: a slow or busy machine must not leave a testee not run."""
FIRST = ".first.log"
"""How the log of a first run ends that needed a second."""
AGAIN = (DIVERGES, NOT_RUN)
"""After what a testee runs a second time."""
LOG_LINES = 5
"""The lines of a log that tell why a testee without a result was not run."""
WRONG = ("diverges", "not run")
"""The verdicts on a cell that say more on the console than how alike it is."""


@dataclass(frozen=True)
class Options:
    """How each testee is run."""

    output: Path
    profile: str
    records: str | None
    seed: str
    draft: bool
    jars: str
    quick: bool = False
    rebuild: bool = False


@dataclass(frozen=True)
class End:
    """How a build or a testee ended."""

    name: str
    code: int
    wrong: tuple[str, ...] = ()
    """Why it is not as known, in lines."""


def run_adapter(adapter: Adapter, options: Options, processes: Processes) -> int:
    """Run one testee; its output goes to a log, its result to JSON. Answers the exit code.

    One that diverges is run a second time, which counts: most testees draw their own numbers, and
    one run in a thousand of a testee that is as known finds a difference by chance. Over all
    testees that would be every tenth run; what differs by more than chance differs again. So is
    one that was not run to its end, for a machine may stall; but not if it took all of its time.
    """
    log = options.output / f"{adapter.name}.log"
    try:
        code = _run_once(adapter, options, processes, log)
        if code in AGAIN and not options.draft:
            log.replace(options.output / f"{adapter.name}{FIRST}")
            _report(adapter, options.output).unlink(missing_ok=True)
            code = _run_once(adapter, options, processes, log)
    except subprocess.TimeoutExpired as error:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"\n{error}\n")
        return NOT_RUN
    return code


def _run_once(adapter: Adapter, options: Options, processes: Processes, log_file: Path) -> int:
    words = [word.replace("{jars}", options.jars) for word in adapter.command]
    out = options.output
    command = [
        *(sys.executable, "-m", "conformance", "testee"),
        *("--profile", options.profile, "--seed", options.seed, "--jobs", "1"),
        *PATIENCE,
        *(("--java-client", KINDS[adapter.kind].client) if options.quick else ()),
        *(("--records", options.records) if options.records else ()),
        *("--folder", str(adapter.folder), "--output", str(out / "divergences" / adapter.name)),
        *("--json", str(_report(adapter, out)), "--junit", str(out / f"{adapter.name}.xml")),
        *(("--known", str(adapter.known)) if adapter.known.exists() and not options.draft else ()),
        *(("--write-known", str(out / f"{adapter.name}.toml")) if options.draft else ()),
        *("--", *words),
    ]
    with log_file.open("w", encoding="utf-8") as log:
        code = processes.run(command, TESTEE_SECONDS, log)
    return code if code in WORDS else NOT_RUN


def told(adapter: Adapter, code: int, output: Path) -> str:
    """What came of a testee, in a line for each of its behaviours."""
    lines = [f"{WORDS[code]}: {adapter.title}"]
    if (document := _result(adapter, output)) is not None:
        lines += document["testee"]["likeness"]
    lines += what_is_wrong(adapter, code, output)
    if (first := output / f"{adapter.name}{FIRST}").exists():
        lines.append(f"this is the second run; see {first} for why the first did not count")
    if code != CONFORMS:
        lines.append(f"see {output / adapter.name}.log")
    return "\n  ".join(lines)


def what_is_wrong(adapter: Adapter, code: int, output: Path) -> list[str]:
    """Why a testee is not as known, in lines; the end of its log if it left no result."""
    document = _result(adapter, output)
    if document is not None:
        outdated = [f"no longer occurs: {entry}" for entry in document["testee"]["outdated"]]
        return outdated + [
            wrong_cell(cell) for cell in document["cells"] if cell["verdict"] in WRONG
        ]
    log = output / f"{adapter.name}.log"
    if code == CONFORMS or not log.exists():
        return []
    return log.read_text("utf-8", errors="replace").strip().splitlines()[-LOG_LINES:]


def _report(adapter: Adapter, output: Path) -> Path:
    return output / f"{adapter.name}.json"


def _result(adapter: Adapter, output: Path) -> dict[str, Any] | None:
    """The report of a testee, if it came to its end: an unfinished one says less than its log."""
    file = _report(adapter, output)
    if not file.exists():
        return None
    document = json.loads(file.read_text("utf-8"))
    return None if document["format"] == UNFINISHED else document


def wrong_cell(cell: Mapping[str, Any]) -> str:
    """What is wrong with a cell of a report, in a line, for who has no more than the console."""
    kinds = "; ".join(f"{kind} ({count})" for kind, count in cell["differences"].items())
    reason = cell["reason"].split("\n", 1)[0]
    told = "; ".join(filter(None, (kinds, reason)))
    return f"{cell['verdict']}: {cell['behaviour']}[{cell['client']}]: {told}"


@click.command()
@click.argument("names", nargs=-1)
@click.option("--profile", default="quick", show_default=True, help="As in kafka-conformance.")
@click.option("--records", help="As in kafka-conformance testee.")
@click.option("--seed", default="0", show_default=True, help="As in kafka-conformance.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True)
@click.option(
    "--quick",
    is_flag=True,
    help="Only the first testee of each kind of each library, against one version of Java.",
)
@click.option("--rebuild", is_flag=True, help="Build everything again, changed or not.")
@click.option(
    "--draft", is_flag=True, help="Ignore known divergences and write drafts of their files."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("conformance-results/adapters"),
    show_default=True,
)
def main(
    names: tuple[str, ...],
    profile: str,
    records: str | None,
    seed: str,
    jobs: int,
    quick: bool,
    rebuild: bool,
    draft: bool,
    output: Path,
) -> None:
    """Build and check the client libraries called NAMES (default: all)."""
    if quick and draft:
        raise click.UsageError("--draft needs a whole run: leave --quick out.")
    console = make_console()
    folders = read_folders(names)
    scope = f"{_count(folders)} testees"
    if quick:
        every = " ".join(["tox -e adapters", *(("--", *names) if names else ())])
        keep_first_of_kinds(folders)
        scope = (
            f"{_count(folders)} of {scope}, each against one version of Java (--quick); "
            f"all of them: {every}"
        )
    console.print(scope, markup=False, soft_wrap=True)
    output = output.absolute()
    output.mkdir(parents=True, exist_ok=True)
    jars = JarStore().ensure(jars_of_matrix())
    folder_of_jars = str(jars[0].parent)
    options = Options(output, profile, records, seed, draft, folder_of_jars, quick, rebuild)
    processes = Processes()
    end_as_at_ctrl_c()
    try:
        code = _run(console, folders, scope, options, jobs, processes)
    except KeyboardInterrupt:
        console.print("Interrupted.")
        code = NOT_RUN
    finally:
        processes.stop()
    sys.exit(code)


def _run(
    console: Console,
    folders: list[Folder],
    scope: str,
    options: Options,
    jobs: int,
    processes: Processes,
) -> int:
    """Build, run, write the matrix; answers the exit code. ``scope`` is what is run, in words."""
    output = options.output
    adapters = [adapter for folder in folders for adapter in folder.adapters]
    ends = list(_run_all(console, folders, options, jobs, processes))
    codes = {end.code for end in ends}
    results = reports_of(adapters, output)
    if results:
        page = output / "matrix.html"
        report = [sys.executable, "-m", "conformance", "report", *results, "--output", str(page)]
        if subprocess.run(report, check=False).returncode:
            codes.add(NOT_RUN)
    code = worst(codes)
    for line in [f"{scope}; exit code {code}", *not_as_known(ends)]:
        console.print(line, markup=False, soft_wrap=True)
    return code


def reports_of(adapters: Iterable[Adapter], output: Path) -> list[str]:
    """The reports that a page can show: an unfinished one would leave the others unwritten."""
    return [
        str(_report(adapter, output))
        for adapter in adapters
        if _result(adapter, output) is not None
    ]


def not_as_known(ends: Iterable[End]) -> list[str]:
    """What has to be looked at, with its reasons: a reader may have only the end of a long log."""
    bad = sorted((end for end in ends if end.code), key=lambda end: end.code)
    return ["\n  ".join([f"{WORDS[end.code]}: {end.name}", *end.wrong]) for end in bad]


def _count(folders: list[Folder]) -> int:
    return sum(len(folder.adapters) for folder in folders)


def worst(codes: set[int]) -> int:
    """What all of it comes to: a divergence outweighs a mistake, and that what was not run."""
    return next(code for code in (DIVERGES, MISTAKE, NOT_RUN, CONFORMS) if code in codes)


def _run_all(
    console: Console, folders: list[Folder], options: Options, jobs: int, processes: Processes
) -> Iterator[End]:
    """How builds and testees ended, each told as soon as it is over.

    Testees of a folder that is built run beside the builds of others, so that no core waits; but
    not before the folders are built that they need.
    """
    for folder in folders:
        for adapter in folder.adapters:
            # Of an earlier run, or else it would be told as one of this.
            for left in (".json", FIRST):
                (options.output / f"{adapter.name}{left}").unlink(missing_ok=True)
    with ThreadPoolExecutor(jobs) as pool:
        work = _Work(console, options, processes, pool, _count(folders))
        try:
            # The longest first, or one core would be left alone with it in the end.
            longest_first = sorted(with_needed(folders), key=lambda folder: -folder.seconds)
            languages = ", ".join(folder.language for folder in longest_first)
            text = f"To build, unless nothing has changed: {languages}"
            console.print(text, markup=False, soft_wrap=True)
            for folder in longest_first:
                work.build(folder)
            while work.waiting:
                wait(work.waiting, return_when=FIRST_COMPLETED)
                for future in [future for future in work.waiting if future.done()]:
                    yield from work.settle(future)
        except BaseException:
            # Before the pool waits for its threads, which wait for these.
            pool.shutdown(wait=False, cancel_futures=True)
            processes.stop()
            raise


@dataclass
class _Work:
    """What is being built and run, or waits for that."""

    console: Console
    options: Options
    processes: Processes
    pool: ThreadPoolExecutor
    total: int
    """Testees; those of a folder that cannot be built are over when it is."""
    done: int = 0
    waiting: dict[Future[Any], Folder | Adapter] = field(default_factory=dict)
    built: dict[str, Built] = field(default_factory=dict)
    """What came of folders, by name."""
    held: list[Adapter] = field(default_factory=list)
    """Those of folders that are built, and that need others, which are not yet."""

    def build(self, folder: Folder) -> None:
        log = self.options.output / f"build-{folder.path.name}.log"
        rebuild = self.options.rebuild
        future = self.pool.submit(build, folder, log, self.processes, rebuild=rebuild)
        self.waiting[future] = folder

    def settle(self, future: Future[Any]) -> list[End]:
        """Tell what came of a build or a testee, and of testees that need the build."""
        what = self.waiting.pop(future)
        if isinstance(what, Folder):
            self.built[what.path.name] = future.result()
            end = End(f"the folder {what.path.name}", self._tell_built(what, future.result()))
            return [end, *self._go_on()]
        code: int = future.result()
        text = told(what, code, self.options.output)
        self._tell_end(text)
        return [End(what.name, code, tuple(what_is_wrong(what, code, self.options.output)))]

    def _tell_built(self, folder: Folder, built: Built) -> int:
        count = len(folder.adapters)
        if built.problem is not None:
            self.done += count
            text = f"{built.problem}\n  {count} testees were not run" if count else built.problem
            self.console.print(text, markup=False, soft_wrap=True)
            return NOT_RUN
        what_for = f"{count} testees" if count else "for those of other folders"
        text = f"{folder.language}: {built.told}, {what_for}"
        self.console.print(text, markup=False, soft_wrap=True)
        self.held += folder.adapters
        return CONFORMS

    def _go_on(self) -> Iterator[End]:
        """Run the testees for which everything is built; those for which it cannot be are over."""
        held, self.held = self.held, []
        for adapter in held:
            needed = [self.built.get(name) for name in adapter.needs]
            problems = [one.problem for one in needed if one and one.problem is not None]
            if problems:
                why = f"it needs another folder's build. {problems[0]}"
                self._tell_end(f"{WORDS[NOT_RUN]}: {adapter.title}\n  {why}")
                yield End(adapter.name, NOT_RUN, (why,))
            elif None in needed:
                self.held.append(adapter)
            else:
                future = self.pool.submit(run_adapter, adapter, self.options, self.processes)
                self.waiting[future] = adapter

    def _tell_end(self, text: str) -> None:
        self.done += 1
        place = f"[{self.done}/{self.total}] "
        self.console.print(place + text, markup=False, soft_wrap=True)


if __name__ == "__main__":
    main()
