"""``kafka-conformance report``: result files as one HTML page."""

from pathlib import Path

import click

from conformance.commands.outputs import check_output
from conformance.commands.shared import RESULTS, exit_codes, for_people
from conformance.errors import ExitCode
from conformance.files import write_whole
from conformance.reports.console import make_console

_EXIT_CODES = exit_codes(
    "the page was written, whatever the results",
    "",
    "the page could not be written to its end",
    mistake="your mistake: no such file, no report, no place for the page",
)


@click.command(epilog=_EXIT_CODES)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=RESULTS / "report.html",
    show_default=True,
    help="The page to write.",
)
@click.option("--title", help="The heading of the page.")
@for_people
def report(files: tuple[Path, ...], output: Path, title: str | None) -> ExitCode:
    """Put result FILES on one HTML page.

    FILES are what run, testee, gate and experiment wrote with --json, and the results.json of
    stats and gate-stats, in any number.
    The page fetches nothing and can be read without JavaScript.
    """
    # Imported here because no other command needs Jinja2.
    from conformance.reports.html.documents import load_documents  # noqa: PLC0415
    from conformance.reports.html.page import TITLE, page_text  # noqa: PLC0415

    check_output(output)
    page = page_text(load_documents(files), title or TITLE)
    write_whole(output, page)
    size = len(page.encode()) / 1000
    make_console().print(f"Page: {output} ({size:,.0f} kB)", markup=False, soft_wrap=True)
    return ExitCode.CONFORMS
