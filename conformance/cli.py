"""The command line: ``kafka-conformance``."""

import click

from conformance.commands.gate import gate
from conformance.commands.gate_statistics import gate_stats
from conformance.commands.history import history
from conformance.commands.inventory import jars, list_behaviours
from conformance.commands.replay import replay
from conformance.commands.report import report
from conformance.commands.run import run
from conformance.commands.shared import EXIT_CODES
from conformance.commands.stats import stats
from conformance.commands.testee import testee
from conformance.commands.vectors import vectors
from conformance.suite_version import suite_version


@click.group(epilog=EXIT_CODES)
@click.version_option(suite_version())
def main() -> None:
    """Compare partitioners with the real Kafka Java clients."""


for command in (
    run,
    testee,
    gate,
    gate_stats,
    history,
    replay,
    stats,
    report,
    vectors,
    list_behaviours,
    jars,
):
    main.add_command(command)
