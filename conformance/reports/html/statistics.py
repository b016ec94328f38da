"""What ``stats`` found, as the page shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.model.results import Verdict
from conformance.reports.console import version_key
from conformance.reports.html.cells import Tested, tested
from conformance.reports.html.looks import LOOKS, Look, look_of
from conformance.reports.html.text import cut, file_name

_NAME = 120


@dataclass(frozen=True)
class Sampled:
    """A distribution of one subject: one cell of the matrix."""

    anchor: str
    where: str
    look: Look
    records: str
    reason: str
    tests: tuple[Tested, ...]


@dataclass(frozen=True)
class StatisticsView:
    """One results.json."""

    anchor: str
    file: str
    facts: str
    columns: tuple[str, ...]
    """The subjects."""
    rows: tuple[tuple[str, tuple[Sampled | None, ...]], ...]
    failed: tuple[Sampled, ...]
    """What is worth reading first."""


def statistics_view(path: Path, document: Mapping[str, Any], number: int) -> StatisticsView:
    """The matrix of distributions by subjects, and what failed."""
    samples, absent = document["samples"], document["absent"]
    subjects = sorted(
        dict.fromkeys((one["client"], one["subject"]) for one in samples),
        key=lambda one: version_key(one[0]),
    )
    names = list(dict.fromkeys(one["distribution"] for one in [*samples, *absent]))
    tests = _by_sample(document["tests"])
    reasons = {(one["distribution"], one["client"]): one["reason"] for one in absent}
    found = {(one["distribution"], one["client"], one["subject"]): one for one in samples}
    rows = []
    for at, name in enumerate(names):
        cells = []
        for place, (client, subject) in enumerate(subjects):
            anchor = f"s{number}-{at}-{place}"
            key = (name, client, subject)
            where = f"{cut(name, _NAME)}, {cut(subject, _NAME)}"
            cells.append(
                _sampled(anchor, where, found[key], tests.get(key, []))
                if key in found
                else _absent(anchor, where, reasons.get((name, client)))
            )
        rows.append((cut(name, _NAME), tuple(cells)))
    return StatisticsView(
        f"s{number}",
        file_name(path),
        _facts(document),
        tuple(cut(subject, _NAME) for _, subject in subjects),
        tuple(rows),
        tuple(one for _, cells in rows for one in cells if one is not None and _failed(one)),
    )


def _by_sample(
    tests: Sequence[Mapping[str, Any]],
) -> dict[tuple[str, str, str], list[Mapping[str, Any]]]:
    found: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for test in tests:
        key = (test["distribution"], test["client"], test["subject"])
        found.setdefault(key, []).append(test)
    return found


def _sampled(
    anchor: str, where: str, sample: Mapping[str, Any], tests: Sequence[Mapping[str, Any]]
) -> Sampled:
    records = f"{sample['records']:,} records"
    return Sampled(anchor, where, look_of(sample["verdict"]), records, "", tested(tests))


def _absent(anchor: str, where: str, reason: str | None) -> Sampled | None:
    """None where the file says nothing: the run was not asked for it."""
    if reason is None:
        return None
    return Sampled(anchor, where, LOOKS[Verdict.ABSENT], "", cut(reason), ())


def _failed(one: Sampled) -> bool:
    return one.look in (LOOKS[Verdict.DIVERGES], LOOKS[Verdict.NOT_RUN])


def _facts(document: Mapping[str, Any]) -> str:
    run, verdicts = document["run"], document["verdicts"]
    return (
        f"{document['records']:,} records, seed {document['seed']}, {run['seconds']:,.0f} s on "
        f"Spark {cut(run['master'], _NAME)}; tests: {verdicts['conforms']:,} conform, "
        f"{verdicts['diverges']:,} diverge, {verdicts['not run']:,} not run. At most one run in "
        f"{1 / document['false_alarms']:,.0f} of conforming subjects has a test that diverges."
    )
