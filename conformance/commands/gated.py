"""What the gates share: of cases, and of distributions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from conformance.engine.known import NOTHING_KNOWN, KnownDivergences, load_known
from conformance.engine.plan import behaviour_named
from conformance.errors import ExitCode
from conformance.gate.driven import Classes
from conformance.gate.outcomes import BehaviourChange, Change, exit_code_of_gate
from conformance.jars.lock import release_jars
from conformance.model.results import RunResult, Verdict, plain
from conformance.names import unknown
from conformance.reports.gate_classes import undriven_class
from conformance.reports.gate_console import changes_table, counted, show_classes, show_reasons
from conformance.reports.gate_markdown import gate_markdown
from conformance.reports.junit_report import Further
from conformance.subjects.pair_of_jars import TwoJars

baseline_option = click.option("--baseline", required=True, help="A version, or the path of a jar.")
candidate_option = click.option(
    "--candidate", required=True, help="The jar to compare with it: a version or a path."
)
accepted_option = click.option(
    "--accepted",
    "accepted_file",
    type=click.Path(path_type=Path),
    help="A TOML file of intended changes; one that no longer occurs fails the gate.",
)
markdown_option = click.option(
    "--markdown",
    "markdown_file",
    type=click.Path(path_type=Path),
    help="Write a summary for a pull request.",
)


@dataclass(frozen=True)
class Gated:
    """What a gate found between two jars."""

    jars: TwoJars
    changes: Sequence[BehaviourChange]
    accepted: KnownDivergences
    outdated: Sequence[str]
    """Accepted changes that are not there."""
    run: RunResult
    unit: str = "cases"
    """What was counted."""
    of: str = "behaviour"
    """What the changes are changes of."""
    classes: Classes | None = None
    """What the jars have otherwise; None where that was not asked, or cannot be told."""

    @property
    def exit_code(self) -> ExitCode:
        """An interrupted run is no success, even if all its cells were run."""
        if self.classes is not None and self.classes.fails:
            return ExitCode.DIVERGES
        code = exit_code_of_gate(self.changes, self.outdated)
        return ExitCode.NOT_RUN if self.run.interrupted and code is ExitCode.CONFORMS else code

    @property
    def compared(self) -> str:
        """How many units were compared, in words."""
        return f"{sum(one.cases for one in self.changes):,} {self.unit}"

    def show(self, console: Console, kept: str = "") -> None:
        """The table and the summary on the terminal."""
        console.print()
        console.print("From {} to {}".format(*self.jars.names), markup=False, soft_wrap=True)
        console.print(changes_table(self.changes, (self.of, self.unit)))
        show_reasons(console, self.changes)
        for problem in self.outdated:
            told = f"Accepted, but no longer occurs: {problem}"
            console.print(told, markup=False, soft_wrap=True, style="bold")
        if self.classes is not None:
            show_classes(console, self.classes)
        elif self.run.interrupted and self.of == Gated.of:
            console.print("Which of the changed classes the behaviours drive is not known.")
        stopped = "Interrupted. " if self.run.interrupted else ""
        told = f"{stopped}{counted(self.changes)}; {self.compared} in {self.run.seconds:.1f} s"
        console.print(f"{told}{kept}", markup=False, soft_wrap=True)

    def further(self) -> list[Further]:
        """What fails beside the cells, for JUnit."""
        gone = [
            Further(one.behaviour, Verdict.DIVERGES, f"gone: {one.what}", of="gate")
            for one in self.changes
            if one.change is Change.GONE
        ]
        undriven = self.classes.undriven if self.classes and self.classes.fails else []
        return [
            *gone,
            *(Further("accepted changes", Verdict.DIVERGES, t, of="gate") for t in self.outdated),
            *(
                Further(one.name, Verdict.DIVERGES, f"not driven: {undriven_class(one)}", of="gate")
                for one in undriven
            ),
        ]

    def told(self, minutes: float | None = None, kept: Sequence[str] = ()) -> dict[str, Any]:
        """What a report says of it (``gate`` in report.schema.json)."""
        sides = (("baseline", self.jars.old), ("candidate", self.jars.new))
        return {
            **{side: {"version": jar.version, "sha256": jar.sha256} for side, jar in sides},
            "changes": [plain(one) for one in self.changes],
            "accepted": [plain(entry) for entry in self.accepted.entries],
            "outdated": list(self.outdated),
            "minutes": minutes,
            "kept": list(kept),
            "classes": None if self.classes is None else plain(self.classes),
        }

    def markdown(self, effort: str, commands: dict[str, str]) -> str:
        """A summary for a pull request; ``commands`` replay divergences, by the cells' names."""
        pair = (self.jars.old, self.jars.new)
        columns = (self.of, self.unit)
        told = f"{effort}, {self.compared}"
        return gate_markdown(
            pair, self.changes, self.outdated, self.run, commands, told, columns, self.classes
        )


def accepted_changes(
    path: Path | None, baseline: str, of: Callable[[str], object] = behaviour_named
) -> KnownDivergences:
    """The intended changes from this version on; raises :class:`UsageError` for a bad file.

    ``of`` raises it for a name of nothing that could change.
    """
    if path is None:
        return NOTHING_KNOWN
    versions = dict.fromkeys([*(jar.version for jar in release_jars()), baseline])

    def check(version: str) -> None:
        # One's own builds are in no list: 4.2.0-SNAPSHOT, 4.1.0-rc1.
        if version not in versions and "-" not in version:
            raise unknown("baseline version", version, versions)

    remedy = "docs/gate.md describes an entry."
    return load_known(path, behaviour=of, client=check, remedy=remedy).of_client(baseline)
