"""The result files that a page is made of: read and checked."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.errors import UsageError
from conformance.json_schema import problem_of
from conformance.model.values import from_json
from conformance.reports.divergence_file import FORMAT as DIVERGENCE
from conformance.reports.html.text import cut, visible
from conformance.reports.json_report import FORMAT as REPORT
from conformance.reports.json_report import UNFINISHED

STATISTICS = "kafka-conformance statistics 1"
"""As :data:`conformance.reports.statistics_files.FORMAT`, which takes SciPy to import."""
EXPERIMENT = "kafka-conformance experiment 1"
"""Likewise as :data:`conformance.reports.experiment_files.FORMAT`."""
_SCHEMAS = {REPORT: "report", STATISTICS: "statistics", EXPERIMENT: "experiment"}
_REMEDY = (
    "Give what run, testee, gate or experiment --json or stats (its results.json) wrote, unchanged."
)
_OURS = "kafka-conformance "


@dataclass(frozen=True)
class Documents:
    """What was read, each with the file that it is from."""

    reports: tuple[tuple[Path, dict[str, Any]], ...]
    statistics: tuple[tuple[Path, dict[str, Any]], ...]
    gates: tuple[tuple[Path, dict[str, Any]], ...]
    """Those of two jars; what ``gate-stats`` wrote is among the statistics as well."""
    experiments: tuple[tuple[Path, dict[str, Any]], ...] = ()


def load_documents(paths: Sequence[Path]) -> Documents:
    """Read result files, each once; raises :class:`UsageError` for anything else."""
    read = [(path, _load(path)) for path in dict.fromkeys(paths)]
    return Documents(
        tuple(one for one in read if one[1]["format"] == REPORT and "gate" not in one[1]),
        tuple(one for one in read if one[1]["format"] == STATISTICS),
        tuple(one for one in read if "gate" in one[1]),
        tuple(one for one in read if one[1]["format"] == EXPERIMENT),
    )


def subject_of(report: Mapping[str, Any]) -> tuple[str, str, str]:
    """Name, version and language of whom a report is about."""
    if "testee" in report:
        testee = report["testee"]
        return testee["name"], testee["version"], testee["language"]
    clients = {cell["client"] for cell in report["cells"]}
    of = f" of {clients.pop()}" if len(clients) == 1 else ""
    return f"{report['subject']}{of}", report["suite_version"], "Part of this suite"


def _load(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.", _REMEDY) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error.reason}.", _REMEDY) from error
    try:
        plain = json.loads(text)
        _check(path, plain)
        document: dict[str, Any] = from_json(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {_short(error)}.", _REMEDY) from error
    return document


def _check(path: Path, document: Any) -> None:
    """Raises :class:`UsageError` for what is no result file of this version of the format."""
    form = document.get("format") if isinstance(document, dict) else None
    if form == DIVERGENCE:
        remedy = "A report holds its divergences; replay shows this one. " + _REMEDY
        raise UsageError(f"{path} is a single divergence, no report.", remedy)
    if form == UNFINISHED:
        told = f"{path} is of a run that did not finish: {_short(document.get('reason'))}"
        raise UsageError(told, "Run it again, or leave it out.")
    if isinstance(form, str) and form.startswith(_OURS) and form not in _SCHEMAS:
        known = ", ".join(repr(one) for one in _SCHEMAS)
        what = f"{path} is in a format that this version of the suite does not read: "
        raise UsageError(f"{what}{_short(form)!r}; it reads {known}.", "Write the file again.")
    if not isinstance(form, str) or form not in _SCHEMAS:
        raise UsageError(f"{path} is no report of kafka-conformance.", _REMEDY)
    problem = problem_of(_SCHEMAS[form], document)
    if problem is not None:
        told = f"{path} is damaged, or of another version of the suite"
        raise UsageError(f"{told}: {_short(problem)}.", _REMEDY)


def _short(value: object) -> str:
    """What others wrote, for a line on a terminal."""
    return cut(visible(str(value)).replace("\n", " "), 300)
