"""What jars have, found out in a process of its own: a jar may bring its JVM down."""

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from pathlib import Path

from conformance.clients.inspected import Inspected, Member, inspected
from conformance.errors import OracleError, SuiteError
from conformance.testees.text import inert

_LONGEST_VERSION = 100


def inspect_jars(jars: Sequence[Sequence[Path]]) -> list[Inspected]:
    """What each client has, given the jars of its class loader, its own first.

    Raises :class:`OracleError` for one whose classes cannot be loaded at all.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        try:
            found = list(pool.map(_inspect, [list(paths) for paths in jars]))
        except BrokenProcessPool as error:
            raise OracleError(
                "The JVM died while it looked at the jars.",
                "Check that this Java runs, and that the jars are whole.",
            ) from error
    for one in found:
        if isinstance(one, SuiteError):
            raise one
    return [one for one in found if isinstance(one, Inspected)]


def _inspect(jars: list[Path]) -> Inspected | SuiteError:
    # Imported here, in the process that starts the JVM.
    from conformance.oracle.client import JavaClient  # noqa: PLC0415

    try:
        java = JavaClient(None, jars)

        @cache
        def has(member: Member) -> bool:
            return java.has(*member)

        return inspected(inert(java.version)[:_LONGEST_VERSION], has)
    except SuiteError as error:
        # Handed back, because its cause is a Java exception, which no pipe can carry.
        return type(error)(error.what, error.remedy)
