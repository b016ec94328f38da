"""Build the adapters over real client libraries, hold each against Java, write the matrix.

Run as ``python ports/run.py [NAME ...]`` (``tox -e ports``): names of languages (folders) or of
single testees; none: all. What lacks a toolchain, or does not build, is reported as not run.

Exit codes: 0 everything is as ``known/`` says, 1 something diverges that is not known there (or no
longer does), 3 something was not run.
"""

import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import click
from rich.console import Console

from conformance.jars.lock import locked_jars
from conformance.jars.store import JarStore
from conformance.reports.console import make_console

PORTS = Path(__file__).parent
BUILD_SECONDS = 1800
TESTEE_SECONDS = 1800
CONFORMS, DIVERGES, NOT_RUN = 0, 1, 3
WORDS = {CONFORMS: "as known", DIVERGES: "DIVERGES", NOT_RUN: "NOT RUN"}


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

    def problem(self, log: Path) -> str | None:
        """Build it; answers why that cannot be done, or None."""
        missing = [tool for tool in self.tools if shutil.which(tool) is None]
        if missing:
            return f"{self.language}: not run, for this machine has no {', '.join(missing)}"
        with log.open("w", encoding="utf-8") as out:
            for command in self.build:
                words = [sys.executable if word == "{python}" else word for word in command]
                try:
                    done = subprocess.run(
                        words,
                        cwd=self.path,
                        stdin=subprocess.DEVNULL,
                        stdout=out,
                        stderr=subprocess.STDOUT,
                        timeout=BUILD_SECONDS,
                        check=False,
                    )
                except (OSError, subprocess.TimeoutExpired) as error:
                    return f"{self.language}: not run, for {words[0]} failed: {error}"
                if done.returncode:
                    out.flush()
                    last = "\n".join(
                        f"    {line}"
                        for line in log.read_text("utf-8", "replace").splitlines()[-8:]
                    )
                    return (
                        f"{self.language}: not run, for '{' '.join(words)}' exited with "
                        f"{done.returncode} (all of it is in {log}):\n{last}"
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


def run_port(port: Port, options: Options) -> int:
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
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=TESTEE_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return NOT_RUN
    return done.returncode if done.returncode in WORDS else NOT_RUN


def told(port: Port, code: int, output: Path) -> str:
    """What came of a testee, in a line for each of its behaviours."""
    lines = [f"{WORDS[code]}: {port.title}"]
    result = output / f"{port.name}.json"
    if result.exists():
        testee = json.loads(result.read_text("utf-8"))["testee"]
        lines += testee["likeness"] + [f"no longer so: {entry}" for entry in testee["outdated"]]
    if code != CONFORMS:
        lines.append(f"see {output / port.name}.log")
    return "\n  ".join(lines)


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
    codes = {CONFORMS}
    ports: list[Port] = []
    for folder in read_folders(names):
        problem = folder.problem(output / f"build-{folder.path.name}.log")
        if problem is None:
            ports += folder.ports
            console.print(f"{folder.language}: built, {len(folder.ports)} testees", markup=False)
        else:
            codes.add(NOT_RUN)
            console.print(problem, markup=False, soft_wrap=True)
    codes |= set(_run_all(console, ports, options, jobs))
    results = [str(path) for port in ports if (path := output / f"{port.name}.json").exists()]
    if results:
        page = output / "matrix.html"
        report = [sys.executable, "-m", "conformance", "report", *results, "--output", str(page)]
        if subprocess.run(report, check=False).returncode:
            codes.add(NOT_RUN)
    code = DIVERGES if DIVERGES in codes else max(codes)
    console.print(f"{len(ports)} testees, exit code {code}", markup=False)
    sys.exit(code)


def _run_all(console: Console, ports: list[Port], options: Options, jobs: int) -> Iterator[int]:
    with ThreadPoolExecutor(jobs) as pool:
        codes = pool.map(lambda port: run_port(port, options), ports)
        for number, (port, code) in enumerate(zip(ports, codes, strict=True), 1):
            place = f"[{number}/{len(ports)}] "
            console.print(place + told(port, code, options.output), markup=False, soft_wrap=True)
            yield code


if __name__ == "__main__":
    main()
