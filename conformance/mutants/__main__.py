"""``python -m conformance.mutants``: measure the score, judge it, write docs/score.md."""

import sys
import time
from pathlib import Path

import click

from conformance.errors import SuiteError
from conformance.mutants.explanations import load_explanations
from conformance.mutants.measure import vectors_check
from conformance.mutants.page import page
from conformance.mutants.plot import draw
from conformance.mutants.score import (
    Score,
    complaints,
    from_file,
    score_automatic,
    score_planted,
    to_file,
)

_ROOT = Path(__file__).parents[2]
_FIGURES = Path("conformance-results") / "mutants" / "score.json"


@click.command()
@click.option("--jobs", default=2, show_default=True, help="how many processes measure")
@click.option("--vectors", type=click.Path(path_type=Path), help="the folder of static vectors")
@click.option("--file", "chosen", multiple=True, help="try the mutations of this file only")
@click.option("--again", is_flag=True, help="judge and write the figures of the last run")
@click.option("--write-tables", is_flag=True, help="write docs/score.md and its plot")
def main(
    jobs: int, vectors: Path | None, chosen: tuple[str, ...], again: bool, write_tables: bool
) -> None:
    """Hold planted bugs and mutations by machine against the real clients."""
    started = time.perf_counter()

    def tell(what: str) -> None:
        click.echo(f"{time.perf_counter() - started:6.0f} s  {what}")

    if again:
        score = from_file(_FIGURES)
    else:
        # First, because afterwards this process holds all cases, which workers would inherit.
        planted = () if chosen else score_planted(_folder(vectors), jobs=jobs, tell=tell)
        automatic = tuple(score_automatic(jobs=jobs, tell=tell, chosen=chosen))
        score = Score(planted, automatic)
        if not chosen:
            to_file(score, _FIGURES)
    explanations = load_explanations()
    wrong = complaints(score, explanations)
    for complaint in wrong:
        click.echo(complaint)
    if wrong:
        click.echo(f"{len(wrong)} complaints; see docs/adding.md. Nothing is written.")
        sys.exit(1)
    if write_tables and not chosen:
        docs = _ROOT / "docs"
        (docs / "score.md").write_text(page(score, explanations), encoding="utf-8")
        draw(score.planted, docs / "score.svg")
        tell("docs/score.md and docs/score.svg are written")


def _folder(vectors: Path | None) -> Path | None:
    """The folder of vectors, or None, which says so on the page, if there is none."""
    folder = vectors or _ROOT / "vectors"
    return folder if vectors_check() is not None and folder.is_dir() else None


if __name__ == "__main__":
    try:
        main()
    except SuiteError as error:
        sys.exit(str(error))
