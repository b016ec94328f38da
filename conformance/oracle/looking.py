"""Looking at what clients have, in a process of its own: a jar may bring its JVM down, or hang."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from conformance.errors import OracleError, SuiteError
from conformance.model.program import LoadedClient
from conformance.processes.alone import Ended, in_fresh_process

Found = TypeVar("Found")
_MOST_FATAL: Final = 4
"""Classes of a jar that may end the process or hang, before the jar is given up."""
_REMEDY: Final = "Check that this Java runs, that the jar is whole, and what its classes do first."


def look_at_each(
    look: Callable[[LoadedClient], Found], jars: Sequence[Sequence[Path]]
) -> list[Found | SuiteError]:
    """What ``look`` (a function of a module) finds in each client, or why it finds nothing.

    One process looks at all, side by side in one JVM. If a client ends it, or hangs, another one
    looks at that client again, without the class that did it, and then at those that are left.
    """
    found: dict[int, Found | SuiteError] = {}
    fatal: list[dict[str, str]] = [{} for _ in jars]
    while waiting := [at for at in range(len(jars)) if at not in found]:
        items = [(list(jars[at]), fatal[at]) for at in waiting]
        for at, one in zip(waiting, in_fresh_process(partial(_load, look), items), strict=True):
            if not isinstance(one, Ended):
                found[at] = one
            elif one.about not in ("", *fatal[at]) and len(fatal[at]) < _MOST_FATAL:
                fatal[at][one.about] = one.how
            else:
                found[at] = _given_up(jars[at][0], {**fatal[at], one.about: one.how})
    return [found[at] for at in range(len(jars))]


def _given_up(jar: Path, fatal: Mapping[str, str]) -> OracleError:
    told = "; ".join(f"class {name}: {how}" if name else how for name, how in fatal.items())
    return OracleError(f"{jar.name} cannot be looked at: {told}.", _REMEDY)


def _load(
    look: Callable[[LoadedClient], Found], given: tuple[list[Path], Mapping[str, str]]
) -> Found | SuiteError:
    # Imported here, in the process that starts the JVM.
    import jpype  # noqa: PLC0415

    from conformance.oracle.client import JavaClient  # noqa: PLC0415

    jars, fatal = given
    try:
        return look(JavaClient(None, jars, fatal=fatal))
    except jpype.JException as error:
        return OracleError(f"{jars[0].name} cannot be looked at: {error}.", _REMEDY)
    except SuiteError as error:
        # Handed back, because its cause is a Java exception, which no pipe can carry.
        return type(error)(error.what, error.remedy)
