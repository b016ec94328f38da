"""A history as JSON, for machines; the schema is conformance/schemas/history.schema.json."""

from typing import Any

from conformance.gate.history import History, Point, Release, Row
from conformance.model.results import plain
from conformance.reports.history_words import smallest_case
from conformance.suite_version import suite_version

FORMAT = "kafka-conformance history 1"


def history_document(history: History) -> dict[str, Any]:
    """The history as plain data."""
    return {
        "format": FORMAT,
        "suite_version": suite_version(),
        "seed": history.seed,
        "profile": history.profile,
        "exit_code": int(history.exit_code),
        "versions": [_release(history, release) for release in history.releases],
        "behaviours": [_row(row) for row in history.rows],
    }


def _release(history: History, release: Release) -> dict[str, Any]:
    return {
        "version": release.version,
        "sha256": release.sha256,
        "not_run": release.reason,
        "defaults": dict(history.defaults.get(release.version, {})),
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "behaviour": row.behaviour,
        "notes": list(row.notes),
        "spans": [
            {"from": span.began.version, "to": span.last, "began": str(span.began.state)}
            for span in row.spans
        ],
        "versions": [_point(point) for point in row.points],
    }


def _point(point: Point) -> dict[str, Any]:
    case = point.divergence
    return {
        "version": point.version,
        "state": str(point.state),
        "held_against": point.before,
        "driven": point.driven,
        "what": point.what,
        "smallest_case": smallest_case(point),
        "divergence": None if case is None else plain(case),
    }
