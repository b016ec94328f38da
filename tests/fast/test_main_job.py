"""Whether a report is of these very sources: one that is not is never taken for the main job's."""

import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from conformance.engine.plan import make_plan
from conformance.reports.json_report import FORMAT
from conformance.suite_version import digest_of_project
from tests.quality import main_job
from tests.quality.main_job import OWN, WRITTEN, misfit, report_of_main_job


def fitting() -> dict[str, Any]:
    """What the main job writes, as far as it matters."""
    return {
        "format": FORMAT,
        "sources": digest_of_project(),
        "python": platform.python_version(),
        "hypothesis": version("hypothesis"),
        "seed": 7,
        "profile": "default",
        "subjects": "Java each version and the Python port of each version",
        "interrupted": False,
        "cells": [
            {"behaviour": cell.behaviour, "client": cell.client, "verdict": "conforms"}
            for cell in make_plan().cells
        ],
    }


def test_a_report_of_these_sources_fits() -> None:
    assert misfit(fitting(), 7) == ""


def test_a_divergence_is_for_the_tests_to_tell() -> None:
    report = fitting()
    report["cells"][3]["verdict"] = "diverges"
    assert misfit(report, 7) == ""


@pytest.mark.parametrize(
    "change",
    [
        {"format": "kafka-conformance report 9"},
        {"sources": "0" * 64},
        {"python": "3.8.1"},
        {"hypothesis": "1.0"},
        {"seed": 8},
        {"profile": "quick"},
        {"subjects": "Java each version and Java each version"},
        {"interrupted": True},
        {"cells": fitting()["cells"][1:]},
        {"cells": [{**one, "verdict": "not run"} for one in fitting()["cells"]]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_report_of_anything_else_does_not(change: dict[str, Any]) -> None:
    assert misfit(fitting() | change, 7).startswith((next(iter(change)), "not run: murmur2"))


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"format"'])
def test_without_a_fitting_report_the_job_is_run(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if content is not None:
        (tmp_path / WRITTEN).parent.mkdir()
        (tmp_path / WRITTEN).write_text(content)
    ran: list[int] = []

    def run(_: Path, seed: int) -> dict[str, Any]:
        ran.append(seed)
        return fitting()

    monkeypatch.setattr(main_job, "_run", run)
    assert report_of_main_job(tmp_path, 7) == fitting()
    assert ran == [7]


@pytest.mark.parametrize("place", [WRITTEN, OWN], ids=["the job's", "the tests' own"])
def test_with_one_it_is_not(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main_job, "_run", lambda *_: pytest.fail("it was run"))
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).write_text(json.dumps(fitting()))
    assert report_of_main_job(tmp_path, 7) == fitting()


def test_tox_has_the_main_job_write_its_report_there() -> None:
    command = f"kafka-conformance run --json {WRITTEN.as_posix()} {{posargs}}"
    assert command in (main_job.ROOT / "tox.ini").read_text("utf-8")
