"""``kafka-conformance testee --init``: a testee to start from, in one of some languages."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from rich.console import Console

from conformance.errors import UsageError
from conformance.files import check_writable, write_whole


@dataclass(frozen=True)
class Starter:
    """How a starter is built, and the command that runs it; both in its folder."""

    run: str
    build: str = ""
    """For a shell; empty if there is nothing to build."""


STARTERS: Final = {
    "c": Starter("./testee", "cc -O2 -o testee testee.c $(pkg-config --cflags --libs jansson)"),
    "go": Starter("./testee", "go build testee.go"),
    "java": Starter("java Testee.java"),
    "javascript": Starter("node testee.js"),
    "python": Starter("python my_testee.py"),
    "rust": Starter("target/release/testee", "cargo build --release"),
}
"""By language; the files are in ``testees/starters/LANGUAGE``."""


def write_starter(console: Console, language: str, folder: Path) -> None:
    """Write the starter of a language into a folder; raises :class:`UsageError` over a file."""
    files = dict(_files(resources.files("conformance") / "testees" / "starters" / language))
    for path in files:
        if (folder / path).exists():
            raise UsageError(
                f"{folder / path} is there already, so nothing was written.",
                "Name an empty folder with --folder.",
            )
        check_writable(folder / path)
    for path, text in files.items():
        write_whole(folder / path, text)
    starter = STARTERS[language]
    command = f"kafka-conformance testee --profile quick -- {starter.run}"
    lines = [
        f"Wrote {', '.join(str(folder / path) for path in files)}. Next, in that folder:",
        *([f"  {starter.build}"] if starter.build else []),
        f"  kafka-conformance testee --protocol-only -- {starter.run}   # seconds, without Java",
        f"  {command}",
    ]
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _files(folder: Traversable, below: Path = Path()) -> Iterator[tuple[Path, str]]:
    """Every file of a starter, by its path, with its text."""
    for one in folder.iterdir():
        if one.is_dir() and one.name != "__pycache__":
            yield from _files(one, below / one.name)
        elif one.is_file():
            yield below / one.name, one.read_text("utf-8")
