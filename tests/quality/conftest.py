"""Collects what the quality tests measure, and writes it down if asked to."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.quality.main_job import report_of_main_job
from tests.quality.statistics_tables import write_statistics_tables
from tests.quality.tables import write_tables

_FOLDER = Path("conformance-results") / "quality"


@pytest.fixture
def measure(pytestconfig: pytest.Config) -> Any:
    """Keep one measurement: a kind, a name and its figures, across xdist's processes."""
    folder = pytestconfig.rootpath / _FOLDER

    def keep(kind: str, name: str, figures: dict[str, Any]) -> None:
        (folder / kind).mkdir(parents=True, exist_ok=True)
        file = folder / kind / f"{name.replace(' ', '-').replace('/', '-')}.json"
        file.write_text(json.dumps({"name": name, **figures}))

    return keep


@pytest.fixture(scope="session")
def main_job(pytestconfig: pytest.Config) -> dict[str, Any]:
    """The report of ``kafka-conformance run`` on these sources, with pytest's ``--seed``."""
    return report_of_main_job(pytestconfig.rootpath, pytestconfig.getoption("conformance_seed"))


def pytest_sessionstart(session: pytest.Session) -> None:
    if _writes(session):
        for file in (session.config.rootpath / _FOLDER).glob("*/*.json"):
            file.unlink()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if _writes(session) and exitstatus == 0:
        root = session.config.rootpath
        write_tables(root / _FOLDER, root / "docs" / "suite-quality.md")
        write_statistics_tables(root / _FOLDER, root / "docs" / "statistics-quality.md")


def _writes(session: pytest.Session) -> bool:
    """Whether this is the one process that writes the tables."""
    return session.config.getoption("write_tables") and not hasattr(session.config, "workerinput")
