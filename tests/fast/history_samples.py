"""Histories made by hand: releases with some behaviours, and what came of holding them together."""

from collections.abc import Mapping, Sequence

from conformance.clients.inspected import Inspected
from conformance.gate.history import History, Passage, Release, rows_of
from conformance.model.client_version import ClientVersion
from conformance.model.results import Cell, CellResult, Divergence, RunResult, Verdict

NAMES = ("keyed", "sticky")
NULL_METADATA = Divergence(
    cell=Cell("sticky", "1.0"),
    expected_of="kafka-clients 1.0",
    answered_by="kafka-clients 2.0",
    case={
        "config": {},
        "metadata": [[("t", [[0, 0]])], None],
        "steps": [
            {"op": "partition", "topic": "t", "key": None, "metadata": 0, "draw": [0, 0]},
            {"op": "partition", "topic": "t", "key": None, "metadata": 1, "draw": [0, 0]},
        ],
    },
    expected=[{"answer": 0, "draws": 0, "state": {}}, {"answer": 0, "draws": 0, "state": {}}],
    answered=[
        {"answer": 0, "draws": 0, "state": {}},
        {"answer": {"error": "java.lang.NullPointerException"}, "draws": 0, "state": {}},
    ],
    step=1,
    java_method="DefaultPartitioner.partition",
    seed=0,
    cases_before=3,
)


def release(
    version: str,
    *has: str,
    shown_by: str = "Some.method",
    cannot: Mapping[str, tuple[str, ...]] | None = None,
) -> Release:
    """One that has some of the behaviours."""
    absent = {name: f"{version} has no {name}" for name in NAMES if name not in has}
    client = ClientVersion(version, "", dict.fromkeys(has, shown_by), absent)
    return Release(version, Inspected(client, cannot or {}, {}), sha256="ab" * 32)


def missing(version: str) -> Release:
    """One whose jar could not be had."""
    return Release(version, None, "no such jar")


def passage(before: Release, after: Release, **verdicts: Verdict) -> Passage:
    """What came of the behaviours that both have."""
    results = tuple(_result(name, before.version, verdict) for name, verdict in verdicts.items())
    return Passage(before, after, RunResult(results, 1.0, 1))


def _result(name: str, version: str, verdict: Verdict) -> CellResult:
    cell = Cell(name, version)
    if verdict is Verdict.DIVERGES:
        kinds = {"partition: error java.lang.NullPointerException for a number": 2}
        return CellResult(cell, verdict, cases=9, differences=kinds, divergence=NULL_METADATA)
    if verdict is Verdict.NOT_RUN:
        return CellResult(cell, verdict, reason="its JVM died")
    return CellResult(cell, verdict, cases=9)


def history(
    releases: Sequence[Release],
    passages: Sequence[Passage],
    *,
    names: Sequence[str] = NAMES,
    defaults: Mapping[str, Mapping[str, str]] | None = None,
) -> History:
    """A whole history; without ``defaults`` the settings of all are known, and there are none."""
    known = {one.version: {} for one in releases} if defaults is None else defaults
    rows = rows_of(releases, names, passages)
    return History(tuple(releases), rows, "quick", 7, known)
