"""Why a mutation that nothing killed is no bug: ``explained.toml``, one line of reason each."""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.errors import UsageError
from conformance.mutants.mutation import Mutation

EXPLAINED = Path(__file__).with_name("explained.toml")
_FIELDS = {"file", "text", "operators", "kind", "why"}
BY_CHANCE = "memory"
KINDS = {
    "equivalent": "no input whatever tells it from the port",
    "speed": "the same answers, sooner or later: it is about time or memory",
    "machine": "the same answers on this kind of machine: a promise of alignment that it does not "
    "ask for, a byte beyond the data that is read and thrown away",
    BY_CHANCE: "it reads or writes beyond an array: whether it survives depends on what lies "
    "there, and differs from run to run",
    "outside": "different only where no case asks Java",
}


@dataclass(frozen=True)
class Explanation:
    """Why the survivors among some operators' mutations of a line are no bugs."""

    file: str
    text: str
    """The line as it stands, without indentation."""
    operators: tuple[str, ...]
    """cosmic-ray's names, or their beginnings, which stand for all that begin so."""
    kind: str
    """One of :data:`KINDS`."""
    why: str

    def explains(self, mutation: Mutation) -> bool:
        """Whether it is about that mutation."""
        return (
            self.file == mutation.file
            and self.text == mutation.text
            and any(f"{mutation.operator}_".startswith(f"{kind}_") for kind in self.operators)
        )

    def __str__(self) -> str:
        return f"{self.file}: {self.text} ({', '.join(self.operators)})"


def load_explanations(path: Path = EXPLAINED) -> list[Explanation]:
    """The explanations of a file; raises :class:`UsageError` for an entry that is not complete."""
    entries: list[dict[str, Any]] = tomllib.loads(path.read_text("utf-8")).get("survivor", [])
    for number, entry in enumerate(entries, 1):
        if set(entry) != _FIELDS or entry["kind"] not in KINDS or not entry["why"].strip():
            raise UsageError(
                f"Entry {number} of {path.name} is not complete: {entry}",
                f"It needs {', '.join(sorted(_FIELDS))}; kind is one of {', '.join(KINDS)}.",
            )
    return [Explanation(**{**entry, "operators": tuple(entry["operators"])}) for entry in entries]


def unexplained(
    survivors: Iterable[Mutation], explanations: Sequence[Explanation]
) -> list[Mutation]:
    """The survivors that nobody has explained."""
    return [one for one in survivors if not any(said.explains(one) for said in explanations)]


def stale(survivors: Iterable[Mutation], explanations: Sequence[Explanation]) -> list[str]:
    """What is explained though it does not survive: whole entries, or operators of one.

    What survives by chance may have been killed.
    """
    living = list(survivors)
    complaints = []
    for said in explanations:
        if said.kind == BY_CHANCE:
            continue
        for operator in said.operators:
            alone = Explanation(said.file, said.text, (operator,), said.kind, said.why)
            if not any(alone.explains(one) for one in living):
                complaints.append(str(alone))
    return complaints
