"""Which classes of interesting cases a run reached, as a table."""

from rich.table import Table

from conformance.engine.plan import behaviour_named
from conformance.model.results import RunResult


def coverage_table(run: RunResult) -> Table:
    """Every class of every behaviour that was run, with its share of the cases per version."""
    table = Table(title="Cases by class", title_justify="left")
    for column in ("behaviour", "class", "what it means", "share of the cases"):
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
