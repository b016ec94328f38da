"""What a baseline answered in earlier runs of the gate: where it is kept, when it still holds."""

import platform
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

import platformdirs

from conformance.engine.plan import Plan, behaviour_named
from conformance.engine.recording import SUFFIX, TEMPORARY, Recording
from conformance.java_home import find_java
from conformance.subjects.client_jar import ClientJarSubject
from conformance.suite_version import digest_of_sources

KEPT_DAYS: Final = 30
_SOURCES: Final = Path(__file__).parents[1]
_NAME: Final = re.compile(rf"[a-z0-9-]+-[0-9a-f]{{32}}{re.escape(SUFFIX)}|{re.escape(TEMPORARY)}.*")


def usual_folder() -> Path:
    """Where answers are kept if nobody says otherwise."""
    return platformdirs.user_cache_path("kafka-conformance") / "gate"


def recordings(
    folder: Path, plan: Plan, sha256: str, baseline: ClientJarSubject
) -> dict[str, Recording]:
    """The recording of each behaviour of a plan, there or not.

    It is of the baseline's jar (its SHA-256), and of all that decides which cases there are and
    what is asked: the sources of the suite, Hypothesis, Python's tables of Unicode, Java, the
    seed, the number of cases, and what either jar cannot be asked.
    """
    found = {}
    for cell in plan.cells:
        cannot, operations = baseline.limits(behaviour_named(cell.behaviour))
        found[cell.behaviour] = Recording(
            folder,
            cell.behaviour,
            {
                "suite": suite_digest(),
                "hypothesis": version("hypothesis"),
                "python": platform.python_version(),
                "java": find_java().version,
                "jar": sha256,
                "client": cell.client,
                "in both": sorted(plan.client_of(cell).realised_by.items()),
                "cannot": cannot,
                "operations": operations,
                "cases": plan.cases_of(cell),
                "seed": plan.seed,
            },
        )
    return found


@cache
def suite_digest() -> str:
    """A hash of the suite's own sources, Python's and Java's: any change may change a case."""
    files = (path for path in _SOURCES.rglob("*") if path.suffix in (".py", ".java"))
    return digest_of_sources(files, _SOURCES)


def remove_damaged(kept: dict[str, Recording]) -> Iterator[str]:
    """Delete what is not whole; tells each, and why.

    What cannot be deleted is not among the recordings any more: it must not be read.
    """
    for name, recording in list(kept.items()):
        if recording.exists() and (damage := recording.damage()) is not None:
            with suppress(OSError):
                recording.path.unlink()
            if recording.exists():
                del kept[name]
            yield f"{recording.path} is damaged: {damage}. The baseline is asked again."


def tidy(folder: Path, used: dict[str, Recording]) -> None:
    """Delete what was not used for :data:`KEPT_DAYS`, and nothing that is not of this suite."""
    oldest = time.time() - KEPT_DAYS * 24 * 3600
    with suppress(OSError):
        for recording in used.values():
            if recording.exists():
                recording.path.touch()
        for path in list(folder.iterdir()):
            if _NAME.fullmatch(path.name) and path.stat().st_mtime < oldest:
                path.unlink()
