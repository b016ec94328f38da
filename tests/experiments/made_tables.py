"""Tables of an experiment that never ran."""

from dataclasses import replace
from pathlib import Path

from conformance.reports.experiment_files import RunFiles
from tests.experiments.made_results import STICKY, run_of, told_by


def written_tables(folder: Path, rounds: int = 3, name: str = STICKY.name) -> None:
    """Of each of its producers so many runs, of four records each."""
    experiment = replace(STICKY, name=name)
    with RunFiles(folder) as files:
        for number in range(rounds):
            for variant in STICKY.variants:
                files.write(run_of(experiment, variant, number), told_by(variant.client), None)
