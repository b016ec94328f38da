"""``kafka-conformance list`` and ``jars``: what there is."""

from pathlib import Path

import click
from rich.table import Table

from conformance.behaviours.registry import BEHAVIOURS
from conformance.clients.versions import CLIENT_VERSIONS, jars_of_matrix
from conformance.commands.shared import exit_codes, fetch_progress, for_people, jars_option
from conformance.errors import ExitCode
from conformance.jars.lock import jars_of_broker
from conformance.jars.store import JarStore
from conformance.reports.console import make_console


@click.command(name="list")
@for_people
def list_behaviours() -> ExitCode:
    """List the behaviours, and the client versions that have them."""
    table = Table(show_edge=False)
    for column in ("behaviour", "what is checked", *(c.version for c in CLIENT_VERSIONS)):
        table.add_column(column)
    for behaviour in BEHAVIOURS:
        has = ("yes" if c.shows(behaviour.name) else "-" for c in CLIENT_VERSIONS)
        table.add_row(behaviour.name, behaviour.summary, *has)
    make_console().print(table)
    return ExitCode.CONFORMS


@click.command(
    epilog=exit_codes(
        "all jars are present and verified",
        "",
        "a jar cannot be fetched, or fails verification",
    )
)
@click.option("--broker", is_flag=True, help="Those of a real broker, too (see cluster): 46 MB.")
@jars_option
@for_people
def jars(broker: bool, jars_folder: Path | None) -> ExitCode:
    """Fetch missing jars, verify all, and print their paths."""
    console = make_console()
    store = JarStore(jars_folder)
    wanted = [*dict.fromkeys([*jars_of_matrix(), *(jars_of_broker() if broker else ())])]
    paths = store.ensure(wanted, fetch_progress(console))
    for jar, path in zip(wanted, paths, strict=True):
        console.print(f"{jar.coordinates}  verified  {path}", markup=False, soft_wrap=True)
    return ExitCode.CONFORMS
