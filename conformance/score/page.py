"""docs/score.md: what the score says, as a page."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from conformance.behaviours.registry import BEHAVIOURS
from conformance.mutants.catalogue import MUTANTS
from conformance.mutants.mutant import Mutant
from conformance.score.explanations import KINDS, Explanation
from conformance.score.held_out import Noticed
from conformance.score.measure import SEEDS, Measured
from conformance.score.score import FileScore, Score

_HEAD = """# The score

How good is this suite at finding bugs? Measured, not claimed: bugs are planted in the Python port,
and the suite has to find each against the real Java clients. This page is written by
`tox -e mutants`; the figures are from its last run. [Adding a mutant](adding.md#a-mutant) says how
to make it longer.

## What property-based conformance buys

{planted} bugs that people planted, systematically: each comparison, boundary, order of updates and
int32 effect of the port's source. *The suite* generates cases (default profile, {seeds} seeds) and
kills a bug if each seed finds it. *Vectors* are the [static ones](vectors.md) that this project
publishes; they were chosen with these very bugs in mind, so their column says what is left of a
known bug in a fixed file, not what they would find of an unknown one. {without} have none,
because no other port can be asked about them. *Kafka's own* are the six
keys of its murmur2 test and the queue sizes of its adaptive test. *Twelve vectors* are what ports
have in their tests today: short keys of plain ASCII, their hashes, and their partitions among three
and ten (modelled on kafkajs: seventh powers as decimal text).

![{alt}](score.svg)

"""
_HELD_OUT = """
## Bugs that were held out

The bugs above and the cases were made with each other in mind. These {bugs} were not: they were
written from the port and Kafka's sources alone, by somebody who had seen neither cases nor
catalogue nor tests, and who showed of each by an example that it changes an answer. Nobody who
works on the cases reads them (`conformance/score/held_out.toml`). A bug is found if a case of a
default run is answered otherwise than by Java, or the port loops or crashes.

First measured, on seed 1: 231 of 269 (85.9%) with the cases of version 0.2.0, and 241 of 268
(89.9%) with the cases that came after it, before anybody had read a survivor. Then the 27 survivors
were read. 13 led to new classes of cases and are planted bugs now (`once_held_out.toml`); three
were seen by behaviours that had not been asked; 16 new ones, written as blindly, took the places of
those that left.

Found on each seed: {shares}. On every one of the {seeds} seeds: {always} of {bugs} ({share:.1%}).

| file | bugs | on every seed | on some | on none |
| --- | --- | --- | --- | --- |
"""
_AUTOMATIC = """
## Mutations by machine

Beside the bugs that people think of, every place of the port's source that the operators of
cosmic-ray can change was changed, one at a time: each operator by each other, each number by its
neighbours, conditions negated, and so on. Each mutation ran on all cases of a default run (seed 0)
of the behaviours that run through its file, compared with what the real clients had answered.
{total} mutations: {dead} found ({share:.1%}), {survived} survived, each explained below. *By
answer*: a case was answered otherwise; *stopped*: it took too long, wanted too much memory or
crashed; *broken*: the port could no longer be imported.

Left out by rule, {excluded} of them: type annotations, the texts of errors, what stands under
`if TYPE_CHECKING`, `__all__`, the marks `*` and `/` of signatures, `is` in the place of `==`
(whether two equal integers are one object is CPython's affair), and what is a syntax error.

| file | mutations | by answer | stopped | broken | survived |
| --- | --- | --- | --- | --- | --- |
"""
_SURVIVORS = """
## Survivors

Nothing killed these, and nothing can or should. A survivor without a reason, and a reason without
a survivor, fail `tox -e mutants`.

"""


def page(score: Score, explanations: Sequence[Explanation]) -> str:
    """The whole page, in Markdown."""
    parts = [
        _HEAD.format(
            planted=len(score.planted),
            seeds=len(SEEDS),
            alt=_alt(score.planted),
            without=" and ".join(f"`{one.name}`" for one in BEHAVIOURS if not one.for_testees),
        ),
        _comparison(score.planted),
        _planted(score.planted),
        _held_out(score.held_out),
        _automatic(score.automatic),
        _survivors(score.automatic, explanations),
    ]
    return "".join(parts)


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


def _alt(planted: Sequence[Measured]) -> str:
    """What the plot shows, for those who do not see it."""
    found = {suite: found_of(planted, suite) for suite in SUITES}
    told = ", ".join(f"{suite} {count}" for suite, count in found.items() if count is not None)
    return f"Bars, behaviour by behaviour: of {len(planted)} planted bugs are found by {told}"


def _mutant(measured: Measured) -> Mutant:
    return next(mutant for mutant in MUTANTS if mutant.name == measured.name)


def _comparison(planted: Sequence[Measured]) -> str:
    lines = [
        f"| behaviour | bugs | {' | '.join(SUITES)} | cases needed, median |",
        "| --- " * (len(SUITES) + 3) + "|",
    ]
    rows = [*by_behaviour(planted).items(), ("**all**", list(planted))]
    for behaviour, some in rows:
        found = [found_of(some, suite) for suite in SUITES]
        said = " | ".join("not run" if count is None else str(count) for count in found)
        median = statistics.median(one.median for one in some)
        lines.append(f"| {behaviour} | {len(some)} | {said} | {median:g} |")
    return "\n".join(lines) + "\n"


def _held_out(noticed: Sequence[Noticed]) -> str:
    if not noticed:
        return ""
    by_file: dict[str, list[Noticed]] = defaultdict(list)
    for one in noticed:
        by_file[one.file].append(one)
    per_seed = [sum(found) for found in zip(*(one.seeds for one in noticed), strict=True)]
    always = sum(all(one.seeds) for one in noticed)
    head = _HELD_OUT.format(
        bugs=len(noticed),
        shares=", ".join(f"{found} ({found / len(noticed):.1%})" for found in per_seed),
        seeds=len(per_seed),
        always=always,
        share=always / len(noticed),
    )
    rows = [*sorted(by_file.items()), ("**all**", list(noticed))]
    return head + "".join(f"| {file} | {_counts(some)} |\n" for file, some in rows)


def _counts(some: Sequence[Noticed]) -> str:
    every = sum(all(one.seeds) for one in some)
    none = sum(not any(one.seeds) for one in some)
    return f"{len(some)} | {every} | {len(some) - every - none} | {none}"


def _planted(planted: Sequence[Measured]) -> str:
    steps = statistics.median(one.steps for one in planted)
    size = statistics.median(one.characters for one in planted)
    lines = [
        "",
        "## Planted bugs",
        "",
        f"*Cases*: how many it took to notice, the median of {len(SEEDS)} seeds (and the most). "
        "*Size*: the counterexample of the first seed after shrinking, its steps and its "
        f"characters as JSON; the medians are {steps:g} steps and {size:g} characters. The last "
        "columns say who else notices.",
        "",
        "| mutant | bug | seen in | killed by | cases | size | vectors | Kafka's own | twelve |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in planted:
        mutant = _mutant(one)
        killed = f"{mutant.behaviour}, {mutant.client}" if all(one.killed) else "**survived**"
        others = " | ".join(_said(SUITES[suite](one)) for suite in list(SUITES)[1:])
        lines.append(
            f"| {one.name} | {mutant.bug} | {mutant.seen_in or '-'} | {killed} "
            f"| {one.median:g} ({max(one.cases)}) "
            f"| {one.steps} steps, {one.characters} | {others} |"
        )
    return "\n".join(lines) + "\n"


def _said(found: bool | None) -> str:
    return "not run" if found is None else "yes" if found else "-"


def _automatic(files: Sequence[FileScore]) -> str:
    lines = []
    sums = Counter[str]()
    for one in files:
        sums.update(one.outcomes)
        total = sum(one.outcomes.values()) - one.outcomes.get("no program", 0)
        if total:
            told = " | ".join(str(one.outcomes.get(name, 0)) for name in _COLUMNS)
            lines.append(f"| {one.file} | {total} | {told} |\n")
    total = sum(sums[name] for name in _COLUMNS)
    told = " | ".join(str(sums[name]) for name in _COLUMNS)
    lines.append(f"| **all** | {total} | {told} |\n")
    survived = sums["survived"]
    head = _AUTOMATIC.format(
        total=total,
        dead=total - survived,
        share=(total - survived) / max(1, total),
        survived=survived,
        excluded=sum(one.excluded for one in files) + sums["no program"],
    )
    return head + "".join(lines)


_COLUMNS = ("killed", "stopped", "broken", "survived")


def _survivors(files: Sequence[FileScore], explanations: Sequence[Explanation]) -> str:
    living = [mutation for file in files for mutation in file.survivors]
    lines = []
    for kind, meaning in KINDS.items():
        some = [one for one in explanations if one.kind == kind]
        count = sum(any(one.explains(mutation) for one in some) for mutation in living)
        lines += [f"### {kind.capitalize()}: {count}", "", f"{meaning.capitalize()}.", ""]
        lines += [
            "| file | line | operators | mutations | why |",
            "| --- | --- | --- | --- | --- |",
        ]
        for one in some:
            many = sum(one.explains(mutation) for mutation in living)
            text = one.text.replace("|", "\\|")
            operators = ", ".join(one.operators)
            lines.append(f"| {one.file} | `{text}` | {operators} | {many} | {one.why} |")
        lines.append("")
    return _SURVIVORS + "\n".join(lines)
