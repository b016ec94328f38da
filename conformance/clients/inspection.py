"""What jars have, found out by loading them."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from conformance.behaviours.registry import OF_JARS
from conformance.clients.inspected import Inspected, inspected
from conformance.errors import FatalClassError, SuiteError
from conformance.model.program import LoadedClient
from conformance.model.ways import Member
from conformance.oracle.looking import look_at_each
from conformance.text import inert

_LONGEST_VERSION: Final = 100


def inspect_jars(jars: Sequence[Sequence[Path]]) -> list[Inspected]:
    """What each client has, given the jars of its class loader, its own first.

    Raises :class:`OracleError` for one whose classes cannot be loaded at all.
    """
    found = look_at_each(_linked, jars)
    for one in found:
        if isinstance(one, SuiteError):
            raise one
    return [one for one in found if isinstance(one, Inspected)]


def inspect_each(jars: Sequence[Sequence[Path]]) -> list[Inspected | SuiteError]:
    """The same; a jar that cannot be loaded costs nothing but its own answer."""
    return look_at_each(_inspect, jars)


def _inspect(java: LoadedClient) -> Inspected:
    @cache
    def has(member: Member) -> bool:
        return java.has(*member)

    return inspected(inert(java.version)[:_LONGEST_VERSION], has)


def _linked(java: LoadedClient) -> Inspected:
    """The same, without what cannot be linked because a class ends its process, or hangs."""
    found = _inspect(java)
    fatal = {}
    for behaviour in OF_JARS:
        if behaviour.name in found.client.realised_by:
            try:
                behaviour.java(found.client, java)
            except FatalClassError as error:
                fatal[behaviour.name] = error
            except Exception:  # told when the behaviour is driven
                continue
    return found.without(fatal)
