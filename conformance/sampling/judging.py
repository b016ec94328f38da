"""The verdicts on a whole run of distributions."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from conformance.errors import ExitCode, SuiteError
from conformance.model.distribution import Distribution, Measures
from conformance.model.outcome import Kind, Outcome
from conformance.model.results import exit_code_of
from conformance.model.subject import Subject
from conformance.sampling.blocks import CRASH, DIFFERENCES, Key, Order
from conformance.statistics.tests import exact_test
from conformance.statistics.verdicts import FALSE_ALARMS, Judged, Subjected, judge_all

RECORD_BY_RECORD = "record by record"
"""The test that compares each record of a subject with the first subject's."""


@dataclass(frozen=True)
class StatisticsResult:
    """The result of a run. ``measures`` are the judged counts, by distribution and subject."""

    tests: tuple[Judged, ...]
    measures: Mapping[Subjected, Measures]
    absent: Mapping[tuple[str, str], str]
    """By distribution and client version, why that version lacks it."""
    seed: int
    seconds: float
    master: str

    @property
    def records(self) -> int:
        """How many records were sampled, once for each version and subject."""
        return sum(measures.records for measures in self.measures.values())

    @property
    def exit_code(self) -> ExitCode:
        """As for a run of cases: a test that was not run has not passed."""
        return exit_code_of({judged.verdict for judged in self.tests})


def judge_totals(
    order: Order,
    totals: Mapping[Key, Measures],
    subjects: tuple[Subject, Subject],
    *,
    false_alarms: float = FALSE_ALARMS,
    whom: str = "Java",
    further: Mapping[Key, Outcome] = MappingProxyType({}),
) -> tuple[tuple[Judged, ...], dict[Subjected, Measures]]:
    """All tests of a run, in the order of its distributions, versions and subjects.

    ``whom``: what people call the first subject; ``further``: outcomes that were found otherwise.
    """
    found: list[tuple[Subjected, Outcome]] = []
    measures: dict[Subjected, Measures] = {}
    for distribution in order.distributions:
        for client in order.clients[distribution.name]:
            for place, subject in enumerate(subjects):
                key = Key(distribution.name, client.version, place)
                mine = totals[key]
                name, kind = subject.describe(client), subject.kind
                if place > 0 and name == subjects[0].describe(client):
                    name, kind = f"again {name}", f"again {kind}"
                _check_all_there(order, distribution, mine)
                of = Subjected(distribution.name, client.version, name, kind)
                # Counts from before a crash are not a sample of anything.
                crashed = CRASH in mine.first
                measures[of] = Measures(mine.records, first=mine.first) if crashed else mine
                found += [(of, outcome) for outcome in _outcomes(distribution, mine)]
                found += [(of, further[key])] if key in further else []
                if place > 0:
                    oracle = totals[Key(distribution.name, client.version, 0)]
                    compared = _compared(order, distribution, oracle, mine, whom)
                    found += [(of, outcome) for outcome in compared]
    return tuple(judge_all(found, false_alarms=false_alarms)), measures


def _check_all_there(order: Order, distribution: Distribution, measures: Measures) -> None:
    """Check that no part of the measures was lost."""
    expected = order.sampled(distribution)
    if measures.records != expected and not (
        distribution.leaves_out and measures.records < expected
    ):
        raise SuiteError(
            f"{measures.records:,} of {expected:,} records of {distribution.name} arrived.",
            "This is a bug in the suite; please report it.",
        )


def _outcomes(distribution: Distribution, measures: Measures) -> list[Outcome]:
    """The tests of one subject's measures; a subject that crashed has failed them all."""
    if CRASH in measures.first:
        record, told = measures.first[CRASH]
        detail = f"crashed in the block of record {record:,}: {told}"
        return [exact_test("answers", measures.records, failures=1, detail=detail)]
    return list(distribution.judge(measures))


def _compared(
    order: Order, distribution: Distribution, expected: Measures, measures: Measures, whom: str
) -> list[Outcome]:
    """The tests of a subject against the oracle."""
    if CRASH in measures.first:
        return []
    outcomes = list(distribution.compare(expected, measures))
    if order.compares(distribution) and measures.records == 0:
        outcomes.append(Outcome(RECORD_BY_RECORD, Kind.EXACT, 0, not_run="there are no records"))
    elif order.compares(distribution):
        differences = int(measures.counts[DIFFERENCES][0])
        detail = f"{differences:,} of {measures.records:,} records go elsewhere than with {whom}"
        if differences:
            record, told = measures.first[DIFFERENCES]
            detail += f", the first is record {record:,}: {told}"
        outcomes.append(
            exact_test(RECORD_BY_RECORD, measures.records, failures=differences, detail=detail)
        )
    return outcomes
