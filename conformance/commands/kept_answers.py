"""Answers of real clients that are kept from run to run: what run, testee and gate share."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from conformance.engine.kept import usable, usual_folder
from conformance.engine.recording import Recording
from conformance.model.results import Cell


def cache_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--cache`` and ``--no-cache``: the command gets the folder, or None, as ``kept_in``."""

    @click.option(
        "--cache",
        "cache_folder",
        type=click.Path(path_type=Path, file_okay=False),
        help="Keep the real clients' answers in this folder.  [default: the user's cache]",
    )
    @click.option(
        "--no-cache", is_flag=True, help="Ask the real clients again, and keep no answers."
    )
    @wraps(command)
    def run(*args: Any, cache_folder: Path | None, no_cache: bool, **options: Any) -> Any:
        if no_cache and cache_folder is not None:
            raise click.UsageError("--cache and --no-cache exclude each other. Give only one.")
        kept_in = None if no_cache else cache_folder or usual_folder()
        return command(*args, kept_in=kept_in, **options)

    return run


@dataclass(frozen=True)
class KeptAnswers:
    """Answers of real clients that are at hand, or will be."""

    recordings: dict[Cell, Recording]
    replayed: tuple[Cell, ...] = ()
    """The cells for which they were at hand."""

    @classmethod
    def prepare(
        cls, console: Console, folder: Path | None, found: Callable[[Path], dict[Cell, Recording]]
    ) -> "KeptAnswers":
        """Look for them, and tell what is damaged; without a folder there are none."""
        if folder is None:
            return cls({})

        def tell(problem: str) -> None:
            console.print(problem, markup=False, soft_wrap=True, style="bold")

        recordings = usable(folder, found(folder), tell)
        return cls(recordings, tuple(cell for cell, one in recordings.items() if one.exists()))

    def forget(self) -> None:
        """Delete them all: nobody knows what was asked."""
        for recording in self.recordings.values():
            with suppress(OSError):
                recording.path.unlink(missing_ok=True)

    def told(self, whose: str, cells: str = "cells") -> str:
        """How much was not asked again; empty if nothing was kept."""
        if not self.replayed:
            return ""
        share = f"{len(self.replayed)} of {len(self.recordings)} {cells}"
        return f"{whose} answers read from earlier runs: {share}"

    def tell(self, console: Console) -> None:
        """The same of the real clients' answers, on a line of its own."""
        told = self.told("The real clients'")
        if told:
            console.print(f"{told} (--no-cache asks again)", markup=False, soft_wrap=True)
