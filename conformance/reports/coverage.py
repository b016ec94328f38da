"""Which classes of interesting cases a run reached, and which ranges, as tables."""

from collections.abc import Iterator

from rich.table import Table

from conformance.engine.coverage import ranges_reached
from conformance.engine.plan import Plan, behaviour_named
from conformance.model.results import RunResult


def coverage_table(run: RunResult) -> Table:
    """Every class of every behaviour that was run, with its share of cases per version."""
    table = Table(title="Cases by class", title_justify="left")
    for column in ("behaviour", "class", "what it means", "share of cases"):
        table.add_column(column)
    by_behaviour: dict[str, list[str]] = {}
    for result in run.results:
        if result.labels:
            by_behaviour.setdefault(result.cell.behaviour, []).append(result.cell.client)
    counted = {(r.cell.behaviour, r.cell.client): r for r in run.results}
    for name, clients in by_behaviour.items():
        for label, meaning in behaviour_named(name).interesting.items():
            shares = [
                f"{client} {counted[name, client].labels[label] / counted[name, client].cases:.1%}"
                for client in clients
                if label in counted[name, client].labels
            ]
            table.add_row(name, label, meaning, ", ".join(shares))
    return table


def dimension_tables(plan: Plan) -> Iterator[Table]:
    """For each behaviour of a plan, the share of its cases that reach each range, by version.

    The cases are generated once more for that.
    """
    cells: dict[str, list[str]] = {}
    for cell in plan.cells:
        cells.setdefault(cell.behaviour, []).append(cell.client)
    for name, clients in cells.items():
        table = Table(title=f"Cases of {name} by range", title_justify="left")
        for column in ("dimension", "what it means", "range", *clients):
            table.add_column(column)
        behaviour = behaviour_named(name)
        reached = {
            client.version: ranges_reached(
                behaviour, client, cases=plan.profile.cases_of(behaviour), seed=plan.seed
            )
            for client in plan.clients
            if client.version in clients
        }
        for dimension in behaviour.dimensions:
            for at, values in enumerate(dimension.ranges):
                shares = [
                    f"{of.counts[dimension.name][values] / of.cases:.1%}"
                    if dimension in of.dimensions
                    else "-"
                    for of in reached.values()
                ]
                named = ("", "") if at else (dimension.name, dimension.meaning)
                table.add_row(*named, values, *shares)
        yield table
