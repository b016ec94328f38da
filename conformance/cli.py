"""The command line: ``kafka-conformance``."""

import click

from conformance.commands.cluster import cluster
from conformance.commands.experiment import experiment
from conformance.commands.experiment_summary import experiment_summary
from conformance.commands.gate import gate
from conformance.commands.gate_statistics import gate_stats
from conformance.commands.history import history
from conformance.commands.inventory import jars, list_behaviours
from conformance.commands.replay import replay
from conformance.commands.report import report
from conformance.commands.run import run
from conformance.commands.shared import EXIT_CODES
from conformance.commands.simulate import simulate
from conformance.commands.stats import stats
from conformance.commands.testee import testee
from conformance.commands.vectors import vectors
from conformance.suite_version import suite_version


class _Commands(click.Group):
    """A group whose help says of each command its whole first sentence: click's own cuts it."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = self.list_commands(ctx)
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, self.commands[name].get_short_help_str(10_000)) for name in names]
            )


@click.group(cls=_Commands, epilog=EXIT_CODES)
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
    simulate,
    cluster,
    experiment,
    experiment_summary,
    report,
    vectors,
    list_behaviours,
    jars,
):
    main.add_command(command)
