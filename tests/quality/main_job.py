"""The report of the main job, ``tox -e conformance``: what it has just run is not run again."""

import fcntl
import json
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from conformance.engine.plan import make_plan
from conformance.model.results import Verdict
from conformance.reports.json_report import FORMAT
from conformance.suite_version import digest_of_project

ROOT = Path(__file__).parents[2]
WRITTEN = Path("conformance-results") / "report.json"
"""Where tox.ini has the main job write it."""
OWN = Path("conformance-results") / "quality" / "report.json"
"""Where the tests have it written if that one does not fit."""


def report_of_main_job(root: Path, seed: int) -> dict[str, Any]:
    """The main job's report on these very sources with a seed; the job is run if there is none.

    One process of pytest-xdist looks for it and runs the job, the others wait for it.
    """
    with _alone(root / OWN.with_suffix(".lock")):
        for path in (root / WRITTEN, root / OWN):
            report = _read(path)
            if misfit(report, seed) == "":
                return report
        return _run(root, seed)


def misfit(report: dict[str, Any], seed: int) -> str:
    """Why a report says nothing of these sources and this seed; empty if it does."""
    wanted = {
        "format": FORMAT,
        "sources": digest_of_project(),
        "python": platform.python_version(),
        "hypothesis": version("hypothesis"),
        "seed": seed,
        "profile": "default",
        "subjects": "Java each version and the Python port of each version",
        "interrupted": False,
    }
    for name, value in wanted.items():
        if report.get(name) != value:
            return f"{name} is {report.get(name)!r}, not {value!r}"
    verdicts = {(cell["behaviour"], cell["client"]): cell["verdict"] for cell in report["cells"]}
    missing = [
        str(cell)
        for cell in make_plan().cells
        if verdicts.get((cell.behaviour, cell.client), Verdict.NOT_RUN) == Verdict.NOT_RUN
    ]
    return f"not run: {', '.join(missing)}" if missing else ""


def _run(root: Path, seed: int) -> dict[str, Any]:
    """Run the main job; what it finds is for the tests, so its exit code may be any."""
    (root / OWN).unlink(missing_ok=True)
    command = [sys.executable, "-m", "conformance", "run", "--seed", str(seed)]
    answer = subprocess.run(
        [*command, "--json", str(OWN)], cwd=root, capture_output=True, text=True, check=False
    )
    report = _read(root / OWN)
    assert report, f"the main job wrote no report:\n{answer.stdout}{answer.stderr}"
    return report


def _read(path: Path) -> dict[str, Any]:
    """A report; empty if there is none or it is no JSON."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """No other process is in here meanwhile; a lock that ends with its process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
