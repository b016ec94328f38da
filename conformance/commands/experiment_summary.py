"""``kafka-conformance experiment-summary``: what tables of experiments say, summed up on Spark."""

from pathlib import Path

import click

from conformance.commands.outputs import check_output
from conformance.commands.running import json_option
from conformance.commands.shared import exit_codes, for_people
from conformance.commands.unfinished import as_json, owe
from conformance.errors import ExitCode, UsageError
from conformance.files import write_all, writing_results
from conformance.java_home import find_java
from conformance.reports.console import make_console

_FILE = click.Path(path_type=Path)
_PICTURES = (".svg", ".png")


@click.command(
    "experiment-summary",
    epilog=exit_codes(
        "summed up",
        "",
        "no Java, no Spark, a worker that fails",
        mistake="your mistake: a folder without these tables, a master that does not exist",
    ),
)
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...", type=_FILE)
@click.option("--master", help="Spark master, such as local[2] or spark://host:7077.")
@json_option
@click.option("--plot", type=_FILE, help="Draw what each partition got over time, as SVG or PNG.")
@for_people
def experiment_summary(
    folders: tuple[Path, ...],
    master: str | None,
    json_file: Path | None,
    plot: Path | None,
) -> ExitCode:
    """Sum up the tables of experiments, on Spark.

    A FOLDER is what experiment --parquet wrote. Runs of several folders count together.
    """
    # Imported here because Arrow and Spark take long, and no other command needs them.
    from conformance.experiments.summary import summaries  # noqa: PLC0415
    from conformance.reports.summary_console import summary_tables  # noqa: PLC0415
    from conformance.reports.summary_files import (  # noqa: PLC0415
        summary_picture,
        summary_text,
    )
    from conformance.spark.session import default_master  # noqa: PLC0415
    from conformance.spark.summaries import parts_of, summed_on  # noqa: PLC0415

    owe(json_file, as_json)
    if plot is not None:
        if plot.suffix not in _PICTURES:
            what = f"--plot {plot}: pictures are SVG or PNG."
            raise UsageError(what, "Name a file such as partitions.svg.")
        check_output(plot)
    parts = parts_of(folders)
    find_java()
    # Seen on a terminal only.
    with make_console(stderr=True).status(f"summing up {len(parts):,} parts of tables"):
        found = summaries(summed_on(master or default_master(), parts))
    for table in summary_tables(found):
        make_console().print(table)
    files: dict[Path, str | bytes] = {}
    with writing_results(ExitCode.CONFORMS):
        if json_file is not None:
            files[json_file] = summary_text(found)
        if plot is not None:
            files[plot] = summary_picture(found, plot.suffix[1:])
        write_all(files, ExitCode.CONFORMS)
    return ExitCode.CONFORMS
