"""Distributions on the terminal: a matrix, the tests, and in words what is wrong."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from conformance.distributions.registry import DISTRIBUTIONS
from conformance.model.outcome import Effect, Kind, Outcome
from conformance.model.results import Verdict, worst_of
from conformance.reports.compared import compare
from conformance.reports.console import VERDICT_STYLES, version_key
from conformance.sampling.judging import StatisticsResult
from conformance.sampling.order import least_records
from conformance.statistics.verdicts import FALSE_ALARMS, Judged
from conformance.text import counted, percent

_SHOWN = {
    Verdict.CONFORMS: "conforms",
    Verdict.DIVERGES: "DIVERGES",
    Verdict.KNOWN: "known",
    Verdict.NOT_RUN: "NOT RUN",
    Verdict.ABSENT: "-",
}
_MEANINGS = {
    "record by record": "every record goes where Java sends it",
    "answers": "the subject answers, and only with partitions that exist",
    "distinct keys": "every partition gets equally many different keys",
    "balance": "all partitions of a topic have equally many records, give or take one",
    "balance around the wrap": "the counter goes on from 2^31 - 1 to 0 and skips no partition",
    "moves on": "it moves to another partition exactly when it should",
    "transitions": "from each partition it goes equally often to every one that is allowed",
    "no memory": "where it goes next does not depend on where it was before",
    "partitions": "every partition is chosen as often as it should be",
    "batches": "every partition gets equally many batches",
    "records": "every partition gets equally many records",
    "bytes": "every partition gets equally many bytes",
    "bytes as with Java": "every partition gets the share that it gets with Java",
    "runs as with Java": "it stays with a slow broker for as many bytes as with Java",
    "slow broker": "a slow broker gets at most twice its share",
    "starves": "every second partition of an even number stays empty, as with Java",
    "bytes of a stay": "it stays on a partition for as many bytes as KIP-794 says",
    "weights": "each partition is chosen in proportion to the room in its queue",
}
"""What a conforming subject does, by the names of the tests."""


def distribution_matrix(result: StatisticsResult) -> Table:
    """Distributions by client versions and subjects; each cell is all its tests together."""
    verdicts: dict[tuple[str, str, str], list[Verdict]] = {}
    for judged in result.tests:
        key = (judged.of.distribution, judged.of.client, judged.of.kind)
        verdicts.setdefault(key, []).append(judged.verdict)
    subjects = list(dict.fromkeys(subject for _, _, subject in verdicts))
    clients = sorted(
        {client for _, client, _ in verdicts} | {client for _, client in result.absent},
        key=version_key,
    )
    columns = [(client, subject) for client in clients for subject in subjects]
    caption = "-: the version does not have it" if result.absent else None
    table = Table(
        title="Conformance, distributions by client version and subject",
        title_justify="left",
        caption=caption,
        caption_justify="left",
    )
    table.add_column("distribution", no_wrap=True)
    for client, subject in columns:
        # A word a line, so that four versions of two subjects fit into 120 columns.
        table.add_column(Text("\n".join([client, *subject.split()])), no_wrap=True)
    names = dict.fromkeys([name for name, _, _ in verdicts] + [name for name, _ in result.absent])
    for name in names:
        cells = []
        for client, subject in columns:
            found = verdicts.get((name, client, subject), [])
            absent = (name, client) in result.absent
            cells.append(_verdict(Verdict.ABSENT if absent else worst_of(found)))
        table.add_row(Text(name), *cells)
    return table


def tests_table(result: StatisticsResult, *, everything: bool) -> Table:
    """The tests with their figures.

    Without ``everything``, the statistical tests that conform take one line for all subjects of
    a distribution, and exact ones, of which there is nothing to tell but that they hold, none.
    Where several subjects diverge, they share a line only if their figures are the same.
    """
    return _long_table(result) if everything else _short_table(result)


def _long_table(result: StatisticsResult) -> Table:
    table = Table(
        title="All tests", title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    table.add_column("distribution\n  test", overflow="fold")
    table.add_column("subject", overflow="fold")
    numbers = (
        *("records", "statistic\ndegrees of freedom", "p\ncorrected p"),
        *("effect size w\n(95 % interval)", "finds\nbias of"),
    )
    for column in numbers:
        table.add_column(column, justify="right", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    for judged in result.tests:
        table.add_row(*map(Text, _long_row(judged)), _verdict(judged.verdict))
    return table


def _long_row(judged: Judged) -> tuple[str, ...]:
    """A test in two lines of text, so that all its figures fit beside each other."""
    of, outcome, effect = judged.of, judged.outcome, judged.outcome.effect
    statistic = "" if outcome.statistic is None else f"{outcome.statistic:,.5g}"
    name = outcome.statistic_name.partition(" ")[0]
    return (
        f"{of.distribution}\n  {outcome.test}",
        f"{of.client}\n{of.kind}",
        f"{outcome.records:,}",
        f"{name} {statistic}\n{_degrees(judged)}".strip(),
        f"{_p(outcome.p)}\n{_p(judged.corrected_p)}".strip(),
        "" if effect is None else f"{effect.w:.4f}\n({effect.low:.4f} - {effect.high:.4f})",
        _percent(judged.smallest_bias),
    )


def _short_table(result: StatisticsResult) -> Table:
    exact = sum(
        judged.outcome.kind is Kind.EXACT and judged.verdict is Verdict.CONFORMS
        for judged in result.tests
    )
    table = Table(
        title="Tests, the same one of several subjects in one line",
        title_justify="left",
        caption=f"{exact} exact tests also conform: one record out of place would be one too many.",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("distribution", no_wrap=True)
    table.add_column("test", no_wrap=True)
    table.add_column("subjects")
    for column in (
        "records\neach",
        "least\ncorrected p",
        "bias seen,\nleast - most",
        "finds\nbias of",
    ):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for group in _groups(result.tests):
        cells = (*_names(group), *_ranges(group))
        table.add_row(*map(Text, cells), _verdict(group[0].verdict))
    return table


def _groups(tests: Iterable[Judged]) -> list[list[Judged]]:
    """The lines of the short table, in the order of the tests."""
    groups: dict[tuple[object, ...], list[Judged]] = {}
    for judged in tests:
        if judged.verdict is Verdict.CONFORMS and judged.outcome.kind is Kind.EXACT:
            continue
        figures = judged.outcome if judged.verdict is Verdict.DIVERGES else None
        key = (judged.of.distribution, judged.outcome.test, judged.verdict, figures)
        groups.setdefault(key, []).append(judged)
    return list(groups.values())


def _names(group: Sequence[Judged]) -> tuple[str, str, str]:
    first = group[0]
    kinds = list(dict.fromkeys(judged.of.kind for judged in group))
    whose = f"{len(group)} {kinds[0] if len(kinds) == 1 else ''}".rstrip()
    if len(group) == 1:
        whose = f"{first.of.client} {kinds[0]}"
    return first.of.distribution, first.outcome.test, whose


def _ranges(group: Sequence[Judged]) -> tuple[str, str, str, str]:
    records = {judged.outcome.records for judged in group}
    corrected = [judged.corrected_p for judged in group if judged.corrected_p is not None]
    effects = [judged.outcome.effect for judged in group if judged.outcome.effect is not None]
    seen = [effect.bias(effect.w) for effect in effects]
    smallest = [judged.smallest_bias for judged in group if judged.smallest_bias is not None]
    return (
        f"{min(records):,}" if len(records) == 1 else f"{min(records):,} or more",
        _p(min(corrected, default=None)),
        _range(seen),
        _percent(max(smallest, default=None)),
    )


def _range(shares: Sequence[float]) -> str:
    """The smallest and the largest share, or one if they read alike."""
    if not shares:
        return ""
    low, high = _percent(min(shares)), _percent(max(shares))
    return high if low == high else f"{low.removesuffix(' %')} - {high}"


def told_details(result: StatisticsResult) -> list[str]:
    """What conforming tests saw that is worth telling, once for subjects that say the same."""
    whose: dict[tuple[str, str], list[Judged]] = {}
    for judged in result.tests:
        if judged.outcome.told and judged.verdict is Verdict.CONFORMS:
            whose.setdefault((judged.of.distribution, judged.outcome.detail), []).append(judged)
    return [
        f"{name}, {_names(group)[2] if len(group) == 1 else f'{len(group)} subjects'}: {detail}"
        for (name, detail), group in whose.items()
    ]


def describe_problems(result: StatisticsResult) -> list[str]:
    """What diverges, then what was not run, each in a few sentences that need no statistics.

    What is the same to the last figure for several subjects is told once, for all of them.
    """
    same: dict[tuple[str, Outcome], list[Judged]] = {}
    for judged in result.tests:
        same.setdefault((judged.of.distribution, judged.outcome), []).append(judged)
    groups = list(same.values())
    return [
        *(_divergence(result, group) for group in groups if group[0].verdict is Verdict.DIVERGES),
        *_not_run(result, [one for one in groups if one[0].verdict is Verdict.NOT_RUN]),
    ]


def _not_run(result: StatisticsResult, groups: Sequence[Sequence[Judged]]) -> Iterable[str]:
    """All in one paragraph, for most often there are many, and all for want of records."""
    if not groups:
        return
    tests = sum(map(len, groups))
    lines = [f"{tests} {'test was' if tests == 1 else 'tests were'} NOT RUN:"]
    for group in groups:
        of, outcome = group[0].of, group[0].outcome
        meaning = _meaning(outcome.test)
        unknown = "" if meaning is None else f" Nobody knows whether {meaning}."
        lines.append(
            f"{of.distribution}, {outcome.test!r}, {_subjects(group)}: {outcome.not_run}.{unknown}"
        )
    sampled = {of.distribution: measures.records for of, measures in result.measures.items()}
    needed = least_records([one for one in DISTRIBUTIONS if one.name in sampled])
    if sum(sampled.values()) < needed:
        lines.append(f"{needed:,} records are enough for all: --records {needed}.")
    yield "\n  ".join(lines)


def _divergence(result: StatisticsResult, group: Sequence[Judged]) -> str:
    judged = group[0]
    of, outcome = judged.of, judged.outcome
    diverge = "DIVERGES" if len(group) == 1 else "DIVERGE"
    lines = [f"{of.distribution}: {_subjects(group)} {diverge} in the test {outcome.test!r}."]
    summary = next((d.summary for d in DISTRIBUTIONS if d.name == of.distribution), None)
    if summary is not None:
        lines.append(f"The distribution: {summary}.")
    if (meaning := _meaning(outcome.test)) is not None:
        lines.append(f"Expected: {meaning}.")
    if outcome.kind is Kind.EXACT:
        failures = round(outcome.statistic or 0)
        lines.append(f"Seen: {outcome.detail.rstrip('.') or 'a failure'}.")
        lines.append(
            f"Figures: {counted(failures, 'failure')} in "
            f"{outcome.records:,} records. Chance has no part in this test: not one is allowed."
        )
    else:
        lines += [*_seen(result, judged), _chance(result, judged), _figures(judged)]
    return "\n  ".join(lines)


def _subjects(group: Sequence[Judged]) -> str:
    return ", ".join(dict.fromkeys(judged.of.subject for judged in group))


def _meaning(test: str) -> str | None:
    """What a conforming subject does, or None for a test that is newer than this module."""
    return _MEANINGS["weights"] if test.startswith("queues ") else _MEANINGS.get(test)


def _seen(result: StatisticsResult, judged: Judged) -> Iterable[str]:
    """The cell that stands out most, and what all of them amount to."""
    measures = result.measures.get(judged.of)
    table = compare(judged.of.distribution, judged.outcome.test, measures) if measures else None
    cell = None if table is None else table.most_conspicuous()
    if table is not None and cell is not None:
        counted, expected = table.counts.flat[cell], table.expected.flat[cell]
        off = f" ({table.percent.flat[cell]:+.3g} %)" if expected else ""
        yield (
            f"Seen: {table.names[cell]} stands out most, with {counted:,.0f} {table.unit} "
            f"where {expected:,.0f} were expected{off}."
        )
    effect = judged.outcome.effect
    if effect is not None:
        size, low, high = (effect.bias(w) for w in (effect.w, effect.low, effect.high))
        yield (
            f"In all it is as uneven as if one of {effect.choices:.0f} choices were taken "
            f"{_percent(size)} too often (at 95 % confidence {_percent(low)} to {_percent(high)})."
        )


def _chance(result: StatisticsResult, judged: Judged) -> str:
    tests = sum(other.outcome.p is not None for other in result.tests)
    return (
        f"Is it chance? A subject that conforms gets this far with a probability of "
        f"{_p(judged.corrected_p)} at most, though {tests} tests were made; "
        f"below {FALSE_ALARMS:g} it counts as a divergence."
    )


def _figures(judged: Judged) -> str:
    outcome = judged.outcome
    return (
        f"Figures: {outcome.records:,} records, {outcome.statistic_name} {outcome.statistic:.6g}, "
        f"degrees of freedom {_degrees(judged)}, p {_p(outcome.p)}, "
        f"corrected p {_p(judged.corrected_p)}"
        + ("." if outcome.effect is None else f", effect size w {_w(outcome.effect)}.")
    )


def summary_line(result: StatisticsResult) -> str:
    """Verdicts, records, speed and seed in a line, and how often all this cries wolf."""
    counts = dict.fromkeys(Verdict, 0)
    for judged in result.tests:
        counts[judged.verdict] += 1
    rate = result.records / result.seconds if result.seconds else 0.0
    return (
        f"{len(result.tests)} tests: {counts[Verdict.CONFORMS]} conform, "
        f"{counts[Verdict.DIVERGES]} diverge, {counts[Verdict.NOT_RUN]} not run; "
        f"{result.records:,} answers in {result.seconds:.1f} s ({rate:,.0f}/s), "
        f"seed {result.seed}; false alarms: at most one run of conforming subjects in "
        f"{1 / FALSE_ALARMS:,.0f}"
    )


def _verdict(verdict: Verdict) -> Text:
    return Text(_SHOWN[verdict], VERDICT_STYLES[verdict])


def _degrees(judged: Judged) -> str:
    df, df_error = judged.outcome.df, judged.outcome.df_error
    if df is None:
        return ""
    return f"{df:g}" if df_error is None else f"{df:g}, {df_error:g}"


def _p(p: float | None) -> str:
    if p is None:
        return ""
    return "<1e-300" if p < 1e-300 else f"{p:.2g}"


def _w(effect: Effect) -> str:
    return f"{effect.w:.4f} ({effect.low:.4f} to {effect.high:.4f})"


def _percent(share: float | None) -> str:
    if share is None:
        return ""
    return f"{percent(share)[:-1]} %" if share < 0.1 else f"{100 * share:.1f} %"
