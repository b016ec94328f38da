"""A run as JSON, for machines; the schema is conformance/schemas/report.schema.json."""

import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from conformance.engine.events import Event, RunFinished, RunStarted
from conformance.model.results import CellResult, plain
from conformance.suite_version import digest_of_project, suite_version

FORMAT = "kafka-conformance report 1"
UNFINISHED = "kafka-conformance unfinished 1"
"""Of a run that did not come to its end; the schema is unfinished.schema.json."""


class JsonReport:
    """Listens to a run and can then write it down."""

    def __init__(self) -> None:
        self._started: RunStarted | None = None
        self._finished: RunFinished | None = None
        # Now, for somebody may edit them while it runs.
        self._sources = digest_of_project()

    def __call__(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._started = event
        elif isinstance(event, RunFinished):
            self._finished = event

    def document(self, commands: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The report as plain data; only after the run has finished.

        ``commands`` replay divergences, by the cells' names.
        """
        if self._started is None or self._finished is None:
            raise RuntimeError("the run has not finished")
        run = self._finished.run
        return {
            "format": FORMAT,
            "suite_version": suite_version(),
            "sources": self._sources,
            "python": platform.python_version(),
            "hypothesis": version("hypothesis"),
            "seed": self._started.seed,
            "profile": self._started.profile,
            "subjects": self._started.subjects,
            "subject": self._started.subject,
            "jobs": run.jobs,
            "seconds": run.seconds,
            "overhead": run.overhead,
            "interrupted": run.interrupted,
            "exit_code": int(run.exit_code),
            "cases": sum(result.cases for result in run.results),
            "cells": [_cell(result, commands or {}) for result in run.results],
        }


def _cell(result: CellResult, commands: Mapping[str, str]) -> dict[str, Any]:
    document: dict[str, Any] = plain(result)
    return {
        **document.pop("cell"),
        **document,
        "replay": commands.get(str(result.cell), ""),
    }
