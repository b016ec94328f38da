"""``python -m conformance.score``: measure the score, judge it, write docs/score.md."""

import sys
import time
from dataclasses import replace
from pathlib import Path

import click

from conformance.errors import ExitCode, SuiteError
from conformance.mutants.mutation import files
from conformance.names import unknown
from conformance.processes.ctrl_c import end_as_at_ctrl_c
from conformance.score.explanations import load_explanations
from conformance.score.held_out import measure_held_out
from conformance.score.measured import Kept
from conformance.score.page import page
from conformance.score.plot import draw
from conformance.score.score import (
    Score,
    complaints,
    from_file,
    score_automatic,
    score_planted,
    to_file,
    with_vectors,
)

_ROOT = Path(__file__).parents[2]
_FOLDER = Path("conformance-results") / "mutants"
_FIGURES = _FOLDER / "score.json"


@click.command()
@click.option("--jobs", default=2, show_default=True, help="number of measuring processes")
@click.option("--vectors", type=click.Path(path_type=Path), help="the folder of static vectors")
@click.option("--file", "chosen", multiple=True, help="try only the mutations of this file")
@click.option("--resume", is_flag=True, help="keep measurements of the same sources")
@click.option("--again", is_flag=True, help="use the last run's figures; check only vectors again")
@click.option("--write-tables", is_flag=True, help="write docs/score.md and its plot")
def main(
    jobs: int,
    vectors: Path | None,
    chosen: tuple[str, ...],
    resume: bool,
    again: bool,
    write_tables: bool,
) -> None:
    """Compare planted bugs and mutations by machine with the real clients."""
    started = time.perf_counter()

    def tell(what: str) -> None:
        click.echo(f"{time.perf_counter() - started:6.0f} s  {what}")

    for file in chosen:
        if file not in files():
            raise unknown("file of the port", file, files())
    if again:
        score = from_file(_FIGURES)
    else:
        kept = Kept(_FOLDER / "kept.jsonl", resume=resume)
        # First, because afterwards this process holds all cases, which workers would inherit.
        planted = () if chosen else score_planted(jobs=jobs, kept=kept, tell=tell)
        automatic = score_automatic(jobs=jobs, kept=kept, tell=tell, chosen=chosen)
        score = Score(planted, tuple(automatic))
        if not chosen:
            held_out = measure_held_out(jobs=jobs, kept=kept, tell=tell)
            score = replace(score, held_out=tuple(held_out))
    if not chosen:
        tell("holding the vectors against every planted bug")
        folder = vectors or _ROOT / "vectors"
        score = replace(score, planted=with_vectors(score.planted, folder, jobs=jobs))
        to_file(score, _FIGURES)
    explanations = load_explanations()
    wrong = complaints(score, explanations)
    for complaint in wrong:
        click.echo(complaint)
    if wrong:
        click.echo(f"{len(wrong)} complaints; see docs/adding.md. Nothing is written.")
        sys.exit(ExitCode.DIVERGES)
    if write_tables and not chosen:
        docs = _ROOT / "docs"
        (docs / "score.md").write_text(page(score, explanations), encoding="utf-8")
        draw(score.planted, docs / "score.svg")
        tell("docs/score.md and docs/score.svg are written")


if __name__ == "__main__":
    end_as_at_ctrl_c()  # or its workers would go on
    try:
        main()
    except SuiteError as error:
        click.echo(str(error), err=True)
        sys.exit(error.exit_code)
