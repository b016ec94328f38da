"""Divergences that are known: each with its cause, still looked for, and gone if they are gone."""

import json
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance.clients.versions import client_named
from conformance.engine.difference import is_excusable
from conformance.engine.plan import behaviour_named
from conformance.errors import UsageError
from conformance.model.results import Cell, CellResult, TestResult, Verdict, worst_of

_TEXTS = ("behaviour", "cause", "link")
_LISTS = ("clients", "differences")
_SOMETIMES = "sometimes"


@dataclass(frozen=True)
class KnownDivergence:
    """One entry of a file: in which cells which differences are to be expected, and why."""

    behaviour: str
    clients: tuple[str, ...]
    differences: tuple[str, ...]
    """By their names, the ``str`` of :class:`~conformance.model.difference.Difference`."""
    cause: str
    link: str
    sometimes: tuple[str, ...] = ()
    """Differences that chance or a clock decides: they may be seen, and need not be."""

    def excuses(self, cell: Cell, difference: str) -> bool:
        """Whether this is the difference it speaks of."""
        return (
            cell.behaviour == self.behaviour
            and cell.client in self.clients
            and difference in (*self.differences, *self.sometimes)
        )


@dataclass(frozen=True)
class KnownDivergences:
    """All entries of a file."""

    entries: tuple[KnownDivergence, ...] = ()

    def excuse(self, cell: Cell, difference: str) -> KnownDivergence | None:
        """The entry that speaks of a difference in a cell; None for a crash in any case."""
        if not is_excusable(difference):
            return None
        return next((known for known in self.entries if known.excuses(cell, difference)), None)

    def verdict(self, cell: Cell, differences: Iterable[str]) -> Verdict:
        """What these differences make of a cell, if it has any."""
        excused = all(self.excuse(cell, difference) for difference in differences)
        return Verdict.KNOWN if excused else Verdict.DIVERGES

    def result_of_tests(
        self, cell: Cell, tests: tuple[TestResult, ...], *, oracle_tested: bool = False
    ) -> CellResult:
        """What tests make of a cell; what is known hides none that was not made.

        ``oracle_tested``: all of them were made of the oracle's records. What cannot be made of the
        subject's is then due to the subject, and a difference of the same distribution says so.
        """
        different = [test for test in tests if test.verdict is Verdict.DIVERGES]
        differences = {test.difference: 1 for test in different}
        told = {test.distribution for test in different} if oracle_tested else set()
        verdicts = {
            test.verdict
            for test in tests
            if test.verdict is not Verdict.NOT_RUN or test.distribution not in told
        }
        if differences:
            verdicts = verdicts - {Verdict.DIVERGES} | {self.verdict(cell, differences)}
        return CellResult(cell, worst_of(verdicts), differences=differences, tests=tests)

    def of_client(self, version: str) -> "KnownDivergences":
        """What the entries say of one client version."""
        mine = [known for known in self.entries if version in known.clients]
        return KnownDivergences(tuple(replace(known, clients=(version,)) for known in mine))

    def outdated(self, results: Sequence[CellResult], *, whole: bool = False) -> list[str]:
        """What no longer diverges, or matches nothing, in words; cells not run say nothing.

        ``whole`` says that nothing was left out by choice, so that a missing cell is none.
        """
        by_cell = {result.cell: result for result in results}
        problems = []
        for known in self.entries:
            for client in known.clients:
                result = by_cell.get(Cell(known.behaviour, client))
                where = f"{known.behaviour}[{client}]"
                if result is None and whole:
                    problems.append(f"{where} is listed, but the testee no longer supports it")
                if result is None or result.verdict is Verdict.NOT_RUN:
                    continue
                if result.verdict is Verdict.ABSENT:
                    problems.append(f"{where} is listed, but is absent: {result.reason}")
                    continue
                problems += [
                    f"{where}: {difference!r} is listed, but did not occur ({known.cause})"
                    for difference in known.differences
                    if difference not in result.differences
                ]
        return problems


NOTHING_KNOWN = KnownDivergences()


def load_known(
    path: Path,
    *,
    behaviour: Callable[[str], object] = behaviour_named,
    client: Callable[[str], object] = client_named,
    remedy: str = "docs/testees.md describes an entry.",
) -> KnownDivergences:
    """The entries of a TOML file; raises :class:`UsageError` for one that is not as documented.

    ``behaviour`` and ``client`` raise it for what is no behaviour or no client version here;
    ``remedy`` says where to read on.
    """
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read as TOML: {error}.", remedy) from error
    entries = document.get("divergence", [])
    if set(document) - {"divergence"} or not isinstance(entries, list):
        raise UsageError(f"{path} has more than [[divergence]] entries.", remedy)
    return KnownDivergences(
        tuple(
            _entry(entry, f"{path}, entry {at + 1}", remedy, behaviour, client)
            for at, entry in enumerate(entries)
        )
    )


def draft_known(results: Sequence[CellResult]) -> str:
    """A file of all differences that were found, for somebody to fill in the causes.

    What cannot be excused is left out. An entry without cause and link is no entry yet:
    :func:`load_known` refuses it.
    """
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for result in results:
        differences = tuple(sorted(filter(is_excusable, result.differences)))
        if differences:
            found.setdefault((result.cell.behaviour, differences), []).append(result.cell.client)
    entries = [
        f"[[divergence]]\n"
        f"behaviour = {json.dumps(behaviour)}\n"
        f"clients = {json.dumps(clients)}\n"
        f"differences = {json.dumps(differences)}\n"
        'cause = ""\nlink = ""\n'
        for (behaviour, differences), clients in found.items()
    ]
    return "\n".join(entries)


def _entry(
    entry: Any,
    where: str,
    remedy: str,
    known_behaviour: Callable[[str], object],
    known_client: Callable[[str], object],
) -> KnownDivergence:
    if not isinstance(entry, dict):
        raise UsageError(f"{where} is not a table.", remedy)
    strange = (set(entry) - {_SOMETIMES}) ^ {*_TEXTS, *_LISTS}
    if strange:
        raise UsageError(
            f"{where}: {', '.join(sorted(strange))} missing or unknown.",
            f"An entry has {', '.join((*_TEXTS, *_LISTS))}, and may have {_SOMETIMES}. {remedy}",
        )
    for name in _TEXTS:
        if not isinstance(entry[name], str) or not entry[name].strip():
            raise UsageError(f"{where}: {name} must be a string that is not empty.", remedy)
    for name in (*_LISTS, _SOMETIMES):
        value = entry.get(name, [])
        if (
            not isinstance(value, list)
            or (not value and name == "clients")
            or not all(isinstance(x, str) for x in value)
        ):
            raise UsageError(f"{where}: {name} must be a list of strings.", remedy)
    known_behaviour(entry["behaviour"])
    for client in entry["clients"]:
        known_client(client)
    if not entry["differences"] and not entry.get(_SOMETIMES):
        raise UsageError(f"{where}: it lists no difference.", remedy)
    for difference in (*entry["differences"], *entry.get(_SOMETIMES, ())):
        if not is_excusable(difference):
            raise UsageError(
                f"{where}: {difference!r} cannot be excused: no crash or missing answer can.",
                remedy,
            )
    return KnownDivergence(
        behaviour=entry["behaviour"],
        clients=tuple(entry["clients"]),
        differences=tuple(entry["differences"]),
        cause=entry["cause"],
        link=entry["link"],
        sometimes=tuple(entry.get(_SOMETIMES, ())),
    )
