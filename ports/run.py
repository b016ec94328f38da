"""Build the adapters over real client libraries, hold each against Java, write the matrix.

Run as ``python ports/run.py [NAME ...]`` (``tox -e ports``): names of languages (folders) or of
single testees; none: all. What lacks a toolchain, or does not build, is reported as not run.

Exit codes, as of every command of the suite: 0 everything is as ``known/`` says, 1 something
diverges that is not known there (or no longer does), 2 a mistake, such as a file in ``known/`` that
cannot be read, 3 something was not run. 1 outweighs 2, and 2 outweighs 3.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import click
from rich.console import Console

from conformance.jars.lock import locked_jars
from conformance.jars.store import JarStore
from conformance.reports.console import make_console

PORTS = Path(__file__).parent
BUILD_SECONDS = 1800
TESTEE_SECONDS = 1800
STOP_SECONDS = 15.0
"""For the suite to stop its testees, which are in sessions of their own, before it is killed."""
CONFORMS, DIVERGES, MISTAKE, NOT_RUN = 0, 1, 2, 3
WORDS = {
    CONFORMS: "as known",
    DIVERGES: "DIVERGES",
    MISTAKE: "MISTAKE",
    NOT_RUN: "NOT RUN",
}

WRONG = ("diverges", "not run")
"""The verdicts on a cell that say more on the console than how alike it is."""


class Processes:
    """Runs commands, each in a session of its own, so that it can be ended with its children."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def run(
        self, words: Sequence[str], seconds: float, out: IO[str], cwd: Path | None = None
    ) -> int:
        """The exit code; after so many seconds it is ended, and ``TimeoutExpired`` raised.

        So it is if nothing is to start any more.
        """
        with self._lock:
            if self._stopped:
                raise subprocess.TimeoutExpired(words, 0)
            process = subprocess.Popen(
                words,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._running.add(process)
        try:
            return process.wait(seconds)
        finally:
            self._end([process])
            with self._lock:
                self._running.discard(process)

    def stop(self) -> None:
        """End all that run, and let none start any more."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        self._end(running)

    def _end(self, processes: Sequence["subprocess.Popen[bytes]"]) -> None:
        """Ask whatever still runs to end, and kill their groups, whatever is left in them."""
        alive = [process for process in processes if process.poll() is None]
        for process in alive:
            _signal(process, signal.SIGINT)
        for process in alive:
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_SECONDS)
        for process in processes:
            _signal(process, signal.SIGKILL)
            process.wait()


def _signal(process: "subprocess.Popen[bytes]", which: signal.Signals) -> None:
    """To its group, which has its number, and of which it need not be there any more."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, which)


@dataclass(frozen=True)
class Port:
    """One testee of a folder's ``ports.toml``."""

    name: str
    title: str
    command: tuple[str, ...]
    folder: Path

    @property
    def known(self) -> Path:
        """The file of its known divergences; there is none if it has none."""
        return self.folder / "known" / f"{self.name}.toml"


@dataclass
class Folder:
    """All testees of a language or a library, and what builds them."""

    path: Path
    language: str
    tools: tuple[str, ...]
    build: tuple[tuple[str, ...], ...]
    ports: list[Port] = field(default_factory=list)

    def problem(self, log: Path, processes: Processes) -> str | None:
        """Build it; answers why that cannot be done, or None."""
        missing = [tool for tool in self.tools if shutil.which(tool) is None]
        if missing:
            return f"{self.language}: not run, for this machine has no {', '.join(missing)}"
        with log.open("w", encoding="utf-8") as out:
            for command in self.build:
                words = [sys.executable if word == "{python}" else word for word in command]
                try:
                    code = processes.run(words, BUILD_SECONDS, out, self.path)
                except (OSError, subprocess.TimeoutExpired) as error:
                    return f"{self.language}: not run, for {words[0]} failed: {error}"
                if code:
                    out.flush()
                    last = "\n".join(
                        f"    {line}"
                        for line in log.read_text("utf-8", "replace").splitlines()[-8:]
                    )
                    return (
                        f"{self.language}: not run, for '{' '.join(words)}' exited with "
                        f"{code} (all of it is in {log}):\n{last}"
                    )
        return None


@dataclass(frozen=True)
class Options:
    """How each testee is run."""

    output: Path
    profile: str
    records: str | None
    seed: str
    draft: bool
    jars: str


def read_folders(names: Sequence[str]) -> list[Folder]:
    """The folders and testees that are wanted; raises ``click.BadParameter`` for unknown names."""
    folders = [_read_folder(file) for file in sorted(PORTS.glob("*/ports.toml"))]
    ports = [port.name for folder in folders for port in folder.ports]
    twice = sorted({name for name in ports if ports.count(name) > 1})
    if twice:
        raise click.ClickException(f"two testees have the name {', '.join(twice)}")
    known = {folder.path.name for folder in folders} | set(ports)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise click.BadParameter(f"{', '.join(unknown)}: known are {', '.join(sorted(known))}")
    for folder in folders:
        if names and folder.path.name not in names:
            folder.ports = [port for port in folder.ports if port.name in names]
    return [folder for folder in folders if folder.ports]


def _read_folder(file: Path) -> Folder:
    document = tomllib.loads(file.read_text("utf-8"))
    folder = Folder(
        file.parent,
        document["language"],
        tuple(document.get("tools", ())),
        tuple(map(tuple, document.get("build", ()))),
    )
    folder.ports = [
        Port(entry["name"], entry["title"], tuple(entry["command"]), file.parent)
        for entry in document["testee"]
    ]
    return folder


def run_port(port: Port, options: Options, processes: Processes) -> int:
    """Run one testee; its output goes to a log, its result to JSON. Answers the exit code."""
    words = [word.replace("{jars}", options.jars) for word in port.command]
    out = options.output
    command = [
        *(sys.executable, "-m", "conformance", "testee"),
        *("--profile", options.profile, "--seed", options.seed, "--jobs", "1"),
        *(("--records", options.records) if options.records else ()),
        *("--folder", str(port.folder), "--output", str(out / "divergences" / port.name)),
        *("--json", str(out / f"{port.name}.json"), "--junit", str(out / f"{port.name}.xml")),
        *(("--known", str(port.known)) if port.known.exists() and not options.draft else ()),
        *(("--write-known", str(out / f"{port.name}.toml")) if options.draft else ()),
        *("--", *words),
    ]
    (out / f"{port.name}.json").unlink(missing_ok=True)
    with (out / f"{port.name}.log").open("w", encoding="utf-8") as log:
        try:
            code = processes.run(command, TESTEE_SECONDS, log)
        except subprocess.TimeoutExpired as error:
            log.write(f"\n{error}\n")
            return NOT_RUN
    return code if code in WORDS else NOT_RUN


def told(port: Port, code: int, output: Path) -> str:
    """What came of a testee, in a line for each of its behaviours."""
    lines = [f"{WORDS[code]}: {port.title}"]
    result = output / f"{port.name}.json"
    if result.exists():
        document = json.loads(result.read_text("utf-8"))
        testee = document["testee"]
        lines += testee["likeness"] + [f"no longer so: {entry}" for entry in testee["outdated"]]
        lines += [wrong_cell(cell) for cell in document["cells"] if cell["verdict"] in WRONG]
    if code != CONFORMS:
        lines.append(f"see {output / port.name}.log")
    return "\n  ".join(lines)


def wrong_cell(cell: Mapping[str, Any]) -> str:
    """What is wrong with a cell of a report, in a line, for who has no more than the console."""
    kinds = "; ".join(f"{kind} ({count})" for kind, count in cell["differences"].items())
    reason = cell["reason"].split("\n", 1)[0]
    told = "; ".join(filter(None, (kinds, reason)))
    return f"{cell['verdict']}: {cell['behaviour']}[{cell['client']}]: {told}"


@click.command()
@click.argument("names", nargs=-1)
@click.option("--profile", default="quick", show_default=True, help="As for kafka-conformance.")
@click.option("--records", help="As for kafka-conformance testee.")
@click.option("--seed", default="0", show_default=True, help="As for kafka-conformance.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True)
@click.option(
    "--draft", is_flag=True, help="Leave known divergences aside and write drafts of such files."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("conformance-results/ports"),
    show_default=True,
)
def main(
    names: tuple[str, ...],
    profile: str,
    records: str | None,
    seed: str,
    jobs: int,
    draft: bool,
    output: Path,
) -> None:
    """Build and check the real client libraries that NAMES choose (none: all)."""
    console = make_console()
    output = output.absolute()
    output.mkdir(parents=True, exist_ok=True)
    jars = JarStore().ensure(locked_jars())
    options = Options(output, profile, records, seed, draft, str(jars[0].parent))
    processes = Processes()
    try:
        code = _run(console, read_folders(names), options, jobs, processes)
    except KeyboardInterrupt:
        console.print("Interrupted.")
        code = NOT_RUN
    finally:
        processes.stop()
    sys.exit(code)


def _run(
    console: Console, folders: list[Folder], options: Options, jobs: int, processes: Processes
) -> int:
    """Build, run, write the matrix; answers the exit code."""
    codes = {CONFORMS}
    ports: list[Port] = []
    output = options.output
    for folder in folders:
        problem = folder.problem(output / f"build-{folder.path.name}.log", processes)
        if problem is None:
            ports += folder.ports
            console.print(f"{folder.language}: built, {len(folder.ports)} testees", markup=False)
        else:
            codes.add(NOT_RUN)
            console.print(problem, markup=False, soft_wrap=True)
    codes |= set(_run_all(console, ports, options, jobs, processes))
    results = [str(path) for port in ports if (path := output / f"{port.name}.json").exists()]
    if results:
        page = output / "matrix.html"
        report = [sys.executable, "-m", "conformance", "report", *results, "--output", str(page)]
        if subprocess.run(report, check=False).returncode:
            codes.add(NOT_RUN)
    code = worst(codes)
    console.print(f"{len(ports)} testees, exit code {code}", markup=False)
    return code


def worst(codes: set[int]) -> int:
    """What all of it comes to: a divergence outweighs a mistake, and that what was not run."""
    return next(code for code in (DIVERGES, MISTAKE, NOT_RUN, CONFORMS) if code in codes)


def _run_all(
    console: Console, ports: list[Port], options: Options, jobs: int, processes: Processes
) -> Iterator[int]:
    with ThreadPoolExecutor(jobs) as pool:
        codes = pool.map(lambda port: run_port(port, options, processes), ports)
        try:
            for number, (port, code) in enumerate(zip(ports, codes, strict=True), 1):
                place = f"[{number}/{len(ports)}] "
                text = told(port, code, options.output)
                console.print(place + text, markup=False, soft_wrap=True)
                yield code
        except KeyboardInterrupt:
            # Before the pool waits for its threads, which wait for these.
            pool.shutdown(wait=False, cancel_futures=True)
            processes.stop()
            raise


if __name__ == "__main__":
    main()
