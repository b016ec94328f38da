"""The tables of docs/suite-quality.md, from what the quality tests measured."""

from pathlib import Path
from typing import Any

from tests.quality.reading import read

_HEAD = """# How good is the suite itself?

Two questions: does it find bugs that are there, and does it keep quiet about bugs that are not?
This page is written by `tox -e quality`; the figures are from its last run.

"""


def write_tables(folder: Path, page: Path) -> None:
    """Write the page from the measurements in a folder, if there are any."""
    mutants = read(folder / "mutants")
    selves = read(folder / "self")
    if mutants and selves:
        page.write_text(_HEAD + _mutant_table(mutants) + _self_table(selves), encoding="utf-8")


def _mutant_table(mutants: list[dict[str, Any]]) -> str:
    lines = [
        "## Planted bugs",
        "",
        f"{len(mutants)} mutants of the Python port, each held against the real Java client by one "
        "behaviour of the default profile on five seeds. *Cases* is how many cases it took to "
        "notice, least to most over the seeds; *size* is the smallest counterexample: its steps, "
        "and the characters of the case as JSON.",
        "",
        "| mutant | the bug | seen in | killed by | cases | size |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {m['name']} | {m['bug']} | {m['seen_in'] or '-'} | {m['killed_by']} "
        f"| {min(m['cases'])} to {max(m['cases'])} | {m['steps']} steps, {m['characters']} |"
        for m in mutants
    ]
    return "\n".join(lines) + "\n\n"


def _self_table(selves: list[dict[str, Any]]) -> str:
    total = sum(figures["cases"] for figures in selves)
    lines = [
        "## Java against itself",
        "",
        f"Every behaviour of every version with the real client on both sides: {total} cases, "
        f"{sum(figures['divergences'] for figures in selves)} divergences.",
        "",
        "| behaviour and version | cases | divergences |",
        "| --- | --- | --- |",
    ]
    lines += [f"| {s['name']} | {s['cases']} | {s['divergences']} |" for s in selves]
    return "\n".join(lines) + "\n"
