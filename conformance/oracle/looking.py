"""Looking at what clients have, in a process of its own: a jar may bring its JVM down."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from conformance.errors import OracleError, SuiteError
from conformance.model.program import LoadedClient
from conformance.processes.ctrl_c import in_fresh_process

Found = TypeVar("Found")


def look_at_each(
    look: Callable[[LoadedClient], Found], jars: Sequence[Sequence[Path]]
) -> list[Found | SuiteError]:
    """What ``look`` (a function of a module) finds in each client, or why it finds nothing.

    One process looks at all, side by side in one JVM. If that dies, each gets one of its own.
    """
    died = OracleError(
        "The JVM died while it looked at the jars.",
        "Check that this Java runs, and that the jars are whole.",
    )
    return in_fresh_process(partial(_load, look), [list(paths) for paths in jars], died)


def _load(look: Callable[[LoadedClient], Found], jars: list[Path]) -> Found | SuiteError:
    # Imported here, in the process that starts the JVM.
    from conformance.oracle.client import JavaClient  # noqa: PLC0415

    try:
        return look(JavaClient(None, jars))
    except SuiteError as error:
        # Handed back, because its cause is a Java exception, which no pipe can carry.
        return type(error)(error.what, error.remedy)
