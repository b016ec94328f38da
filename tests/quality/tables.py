"""The tables of docs/suite-quality.md, from what the quality tests measured."""

from pathlib import Path
from typing import Any

from tests.quality.reading import read

_HEAD = """# How good is the suite itself?

Two questions: does it find real bugs, and does it raise no false alarms? [The score](score.md)
answers the first: planted bugs, mutations by machine, and how many of them fixed vectors find
(`tox -e mutants`). This page, written by `tox -e quality`, answers the second; the figures are
from its last run.

"""


def write_tables(folder: Path, page: Path) -> None:
    """Write the page from the measurements in a folder, if there are any."""
    selves = read(folder / "self")
    if selves:
        page.write_text(_HEAD + _self_table(selves), encoding="utf-8")


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
