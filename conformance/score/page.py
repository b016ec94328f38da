"""docs/score.md: what the score says, as a page."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from conformance.behaviours.registry import BEHAVIOURS
from conformance.mutants.catalogue import MUTANTS
from conformance.mutants.mutant import Mutant
from conformance.mutants.mutation import SAMPLED, mutations_of
from conformance.mutants.sight import TESTED_BY
from conformance.score.explanations import KINDS, Explanation
from conformance.score.held_out import Noticed
from conformance.score.measure import SEEDS, Measured
from conformance.score.score import FileScore, Score
from conformance.score.trial import Fate


def page(score: Score, explanations: Sequence[Explanation]) -> str:
    """The whole page, in Markdown, as ``templates/score.md.jinja`` has it."""
    planted = score.planted
    return _template().render(
        planted=len(planted),
        seeds=len(SEEDS),
        alt=_alt(planted),
        without=_listed([f"`{one.name}`" for one in BEHAVIOURS if not one.for_testees]),
        suites=list(SUITES),
        comparison=[_compared(*one) for one in [*by_behaviour(planted).items(), (_ALL, planted)]],
        steps=f"{statistics.median(one.steps for one in planted):g}",
        characters=f"{statistics.median(one.characters for one in planted):g}",
        bugs=[_planted(one) for one in planted],
        held_out=_held_out(score.held_out),
        automatic=_automatic(score.automatic),
        survivors=[*_survivors(score.automatic, explanations)],
    )


def _template() -> Template:
    return Environment(
        loader=PackageLoader("conformance.score"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    ).get_template("score.md.jinja")


_ALL = "**all**"
_OUTCOMES = (Fate.KILLED, Fate.STOPPED, Fate.BROKEN, Fate.TESTED, Fate.SURVIVED)
SUITES: dict[str, Callable[[Measured], bool | None]] = {
    "the suite": lambda one: all(one.killed),
    "vectors": lambda one: one.vectors,
    "Kafka's own": lambda one: one.kafkas,
    "twelve vectors": lambda one: one.twelve,
}
"""Who looks for the planted bugs, and whether it found one (None: it was not run)."""


def by_behaviour(planted: Iterable[Measured]) -> dict[str, list[Measured]]:
    """The planted bugs of each behaviour, in the order of the catalogue."""
    found: dict[str, list[Measured]] = defaultdict(list)
    for one in planted:
        found[_mutant(one).behaviour].append(one)
    return dict(found)


def found_of(some: Sequence[Measured], suite: str) -> int | None:
    """How many of some bugs a suite finds; None if it was not run."""
    answers = [SUITES[suite](one) for one in some]
    return None if None in answers else sum(bool(answer) for answer in answers)


def _listed(names: Sequence[str]) -> str:
    """Such as ``a, b and c``, or ``a`` alone."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _alt(planted: Sequence[Measured]) -> str:
    """What the plot shows, for those who do not see it."""
    found = {suite: found_of(planted, suite) for suite in SUITES}
    told = ", ".join(f"{suite} {count}" for suite, count in found.items() if count is not None)
    return f"Bars, behaviour by behaviour: of {len(planted)} planted bugs are found by {told}"


def _mutant(measured: Measured) -> Mutant:
    return next(mutant for mutant in MUTANTS if mutant.name == measured.name)


def _compared(behaviour: str, some: Sequence[Measured]) -> list[Any]:
    found = [found_of(some, suite) for suite in SUITES]
    said = ["not run" if count is None else count for count in found]
    return [behaviour, len(some), *said, f"{statistics.median(one.median for one in some):g}"]


def _planted(one: Measured) -> list[str]:
    mutant = _mutant(one)
    return [
        one.name,
        mutant.bug,
        mutant.seen_in or "-",
        f"{mutant.behaviour}, {mutant.client}" if all(one.killed) else "**survived**",
        f"{one.median:g} ({max(one.cases)})",
        f"{one.steps} steps, {one.characters}",
        *(_said(SUITES[suite](one)) for suite in list(SUITES)[1:]),
    ]


def _said(found: bool | None) -> str:
    return "not run" if found is None else "yes" if found else "-"


def _held_out(noticed: Sequence[Noticed]) -> dict[str, Any] | None:
    if not noticed:
        return None
    by_file: dict[str, list[Noticed]] = defaultdict(list)
    for one in noticed:
        by_file[one.file].append(one)
    bugs = len(noticed)
    per_seed = [sum(found) for found in zip(*(one.seeds for one in noticed), strict=True)]
    always = sum(all(one.seeds) for one in noticed)
    return {
        "bugs": bugs,
        "shares": ", ".join(f"{found} ({found / bugs:.1%})" for found in per_seed),
        "seeds": len(per_seed),
        "always": always,
        "share": f"{always / bugs:.1%}",
        "rows": [_noticed(*one) for one in [*sorted(by_file.items()), (_ALL, noticed)]],
    }


def _noticed(file: str, some: Sequence[Noticed]) -> list[Any]:
    every = sum(all(one.seeds) for one in some)
    none = sum(not any(one.seeds) for one in some)
    return [file, len(some), every, len(some) - every - none, none]


def _automatic(files: Sequence[FileScore]) -> dict[str, Any]:
    sums = sum((Counter(one.outcomes) for one in files), Counter[str]())
    every = [(one.file, one.outcomes) for one in files]
    tried = {one.file for one in files}
    rows = [[file, *_counted(outcomes)] for file, outcomes in [*every, (_ALL, sums)]]
    total, *_, survived = _counted(sums)
    return {
        "total": total,
        "dead": total - survived,
        "share": f"{(total - survived) / max(1, total):.1%}",
        "survived": survived,
        "excluded": sum(one.excluded for one in files) + sums["no program"],
        "rows": [row for row in rows if row[1] or row[0] == _ALL],
        "sampled": _listed(
            [f"`{file}` (of {len(mutations_of(file))})" for file in SAMPLED if file in tried]
        ),
        "one_of": " or ".join(map(str, sorted(set(SAMPLED.values())))),
        "tested": _listed([f"`{file}` ({_listed(tests)})" for file, tests in TESTED_BY.items()]),
    }


def _counted(outcomes: Mapping[str, int]) -> list[int]:
    """How many mutations there were, and what became of them."""
    counts = [outcomes.get(name, 0) for name in _OUTCOMES]
    return [sum(counts), *counts]


def _survivors(
    files: Sequence[FileScore], explanations: Sequence[Explanation]
) -> Iterator[tuple[str, int, str, list[list[Any]]]]:
    """Each kind, how many are of it, what it means, and a row for each explanation."""
    living = [mutation for file in files for mutation in file.survivors]
    for kind, meaning in KINDS.items():
        some = [one for one in explanations if one.kind == kind]
        count = sum(any(one.explains(mutation) for one in some) for mutation in living)
        rows = []
        for one in some:
            text = one.text.replace("|", "\\|")
            many = sum(one.explains(mutation) for mutation in living)
            rows.append([one.file, f"`{text}`", ", ".join(one.operators), many, one.why])
        yield kind, count, meaning, rows
