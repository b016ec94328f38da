"""What real clients answered in earlier runs: where it is kept, when it still holds.

Kept for each behaviour and version by itself, so that a change of one leaves the others alone.
``run``, the gate, testees and the suite's own tests share what there is: an answer does not depend
on who asked.
"""

import logging
import platform
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Final

import platformdirs

from conformance.engine.dependencies import digest_of
from conformance.engine.plan import Plan, behaviour_named
from conformance.engine.recording import SUFFIX, TEMPORARY, Recording
from conformance.errors import JavaNotUsableError, SuiteError
from conformance.files import first_writable
from conformance.jars.lock import locked_release
from conformance.java_home import find_java
from conformance.model.behaviour import Behaviour
from conformance.model.client_version import ClientVersion
from conformance.model.results import Cell
from conformance.model.subject import Subject

KEPT_DAYS: Final = 30
_LOG: Final = logging.getLogger(__name__)
_NAME: Final = re.compile(rf"[a-z0-9-]+-[0-9a-f]{{32}}{re.escape(SUFFIX)}|{re.escape(TEMPORARY)}.*")
_ALWAYS: Final = (
    "conformance.engine.generation",
    "conformance.testees.narrow",
    "conformance.subjects.java_client",
)
"""What makes cases, narrows them, and asks a real client, whichever the behaviour is."""
_PACKAGES: Final = ("hypothesis", "jpype1", "pyspark")
"""Their versions: what makes choices, starts the JVM, and brings zstd."""


def usual_folder() -> Path:
    """Where answers are kept if nobody says otherwise."""
    return platformdirs.user_cache_path("kafka-conformance") / "answers"


def recordings(
    folder: Path, plan: Plan, subject: Subject, jars: Mapping[str, str]
) -> dict[Cell, Recording]:
    """The recording of each cell of a plan, there or not, of what ``subject`` can be asked.

    ``jars`` has, by client version, the SHA-256 of the jar that answers.
    """
    java = find_java().version
    return {
        cell: recording_of(
            folder,
            behaviour_named(cell.behaviour),
            plan.client_of(cell),
            subject,
            java=java,
            jar=jars[cell.client],
            cases=plan.cases_of(cell),
            seed=plan.seed,
        )
        for cell in plan.cells
    }


def recording_of(
    folder: Path,
    behaviour: Behaviour,
    client: ClientVersion,
    subject: Subject,
    *,
    java: int,
    jar: str,
    cases: int,
    seed: int,
) -> Recording:
    """Where the answers of one real client to the cases of one behaviour are, or will be.

    It is of all that decides which cases there are, what is asked, and who answers: the sources
    that this behaviour depends on, the packages that they need, Python's tables of Unicode, Java
    (its feature version), the jar (its SHA-256), what the version shows and how, the seed, the
    number of cases, and what ``subject`` cannot be asked.
    """
    modules = {type(behaviour).__module__, *_ALWAYS}
    return Recording(
        folder,
        behaviour.name,
        {
            "sources": digest_of(modules),
            "packages": [f"{name} {version(name)}" for name in _PACKAGES],
            "python": platform.python_version(),
            "java": java,
            "jar": jar,
            "client": client.version,
            # All of it: the cases of one behaviour may depend on what else a version shows.
            "shows": sorted(client.realised_by.items()),
            "limits": subject.scope(behaviour).limits,
            "cases": cases,
            "seed": seed,
        },
    )


def locked(clients: Iterable[ClientVersion]) -> dict[str, str]:
    """The SHA-256 of the jar of each of these versions, as the lock has it."""
    return {client.version: locked_release(client.version).clients.sha256 for client in clients}


def usable(
    folder: Path, kept: dict[Cell, Recording], tell: Callable[[str], None]
) -> dict[Cell, Recording]:
    """Those that can be read or made; ``tell`` hears of what is damaged, or cannot be written.

    What is damaged is deleted, and so is what nobody has used for long.
    """
    for problem in remove_damaged(kept):
        tell(problem)
    try:
        remedy = "Name another folder with --cache, or use --no-cache."
        first_writable("The answers of real clients", [folder], remedy)
        tidy(folder, kept)
    except SuiteError as error:  # what is there can still be read
        tell(str(error))
        return {cell: recording for cell, recording in kept.items() if recording.exists()}
    return kept


def usual_recordings(plan: Plan, subject: Subject) -> dict[Cell, Recording]:
    """Those of a plan in the usual folder, for tests in Python; what is wrong goes to the log.

    Without a Java that can be used there are none.
    """
    folder = usual_folder()
    try:
        found = recordings(folder, plan, subject, locked(plan.clients))
    except JavaNotUsableError:  # whoever asks the real client will say so
        return {}
    return usable(folder, found, _LOG.warning)


def remove_damaged(kept: dict[Cell, Recording]) -> Iterator[str]:
    """Delete what is not whole; tells each, and why.

    What cannot be deleted is not among the recordings any more: it must not be read.
    """
    for cell, recording in list(kept.items()):
        if recording.exists() and (damage := recording.damage()) is not None:
            with suppress(OSError):
                recording.path.unlink()
            if recording.exists():
                del kept[cell]
            yield f"{recording.path} is damaged: {damage}. The real client is asked again."


def tidy(folder: Path, used: dict[Cell, Recording]) -> None:
    """Delete what was not used for :data:`KEPT_DAYS`, and nothing that is not of this suite."""
    oldest = time.time() - KEPT_DAYS * 24 * 3600
    with suppress(OSError):
        for recording in used.values():
            if recording.exists():
                recording.path.touch()
        for path in list(folder.iterdir()):
            if _NAME.fullmatch(path.name) and path.stat().st_mtime < oldest:
                path.unlink()
