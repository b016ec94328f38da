"""What jars have, found out in a process of its own: a jar may bring its JVM down."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from conformance.clients.inspected import Inspected, inspected
from conformance.ctrl_c import in_fresh_process
from conformance.errors import OracleError, SuiteError
from conformance.testees.text import inert
from conformance.ways import Member

if TYPE_CHECKING:
    from conformance.oracle.client import JavaClient

_LONGEST_VERSION = 100

Found = TypeVar("Found")


def inspect_jars(jars: Sequence[Sequence[Path]]) -> list[Inspected]:
    """What each client has, given the jars of its class loader, its own first.

    Raises :class:`OracleError` for one whose classes cannot be loaded at all.
    """
    found = inspect_each(jars)
    for one in found:
        if isinstance(one, SuiteError):
            raise one
    return [one for one in found if isinstance(one, Inspected)]


def inspect_each(jars: Sequence[Sequence[Path]]) -> list[Inspected | SuiteError]:
    """The same; a jar that cannot be loaded costs nothing but its own answer."""
    return look_at_each(_inspect, jars)


def look_at_each(
    look: "Callable[[JavaClient], Found]", jars: Sequence[Sequence[Path]]
) -> list[Found | SuiteError]:
    """What ``look`` (a function of a module) finds in each client, or why it finds nothing.

    One process looks at all, side by side in one JVM. If that dies, each gets one of its own.
    """
    died = OracleError(
        "The JVM died while it looked at the jars.",
        "Check that this Java runs, and that the jars are whole.",
    )
    return in_fresh_process(partial(_load, look), [list(paths) for paths in jars], died)


def _load(look: "Callable[[JavaClient], Found]", jars: list[Path]) -> Found | SuiteError:
    # Imported here, in the process that starts the JVM.
    from conformance.oracle.client import JavaClient  # noqa: PLC0415

    try:
        return look(JavaClient(None, jars))
    except SuiteError as error:
        # Handed back, because its cause is a Java exception, which no pipe can carry.
        return type(error)(error.what, error.remedy)


def _inspect(java: "JavaClient") -> Inspected:
    @cache
    def has(member: Member) -> bool:
        return java.has(*member)

    return inspected(inert(java.version)[:_LONGEST_VERSION], has)
