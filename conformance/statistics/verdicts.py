"""From outcomes to verdicts: the correction for the number of tests, and what a test can find."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

from statsmodels.stats.multitest import multipletests

from conformance.model.outcome import Effect, Outcome
from conformance.model.results import TestResult, Verdict
from conformance.statistics.tests import detectable_w
from conformance.text import percent

FALSE_ALARMS = 0.001
"""How often, at most, a whole run of correct subjects has a diverging statistical test."""
POWER = 0.999
"""The probability with which a bias of the reported size is found."""


@dataclass(frozen=True, slots=True)
class Subjected:
    """Whose distribution a test was about."""

    distribution: str
    client: str
    subject: str
    kind: str
    """What the subject is, whatever the version, such as ``Java``."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An outcome with its verdict among all tests of the run.

    ``corrected_p`` is Holm's; ``smallest_w`` the effect size that would have been found with
    probability :data:`POWER`, at the strictest level that Holm's procedure could have applied.
    """

    of: Subjected
    outcome: Outcome
    verdict: Verdict
    corrected_p: float | None
    smallest_w: float | None

    @property
    def smallest_bias(self) -> float | None:
        """:attr:`smallest_w` as the share by which one partition is taken too often."""
        effect = self.outcome.first.effect
        return None if self.smallest_w is None or effect is None else effect.bias(self.smallest_w)

    @property
    def _effect(self) -> Effect | None:
        """What was seen; where all is well, of the outcome that :attr:`smallest_w` is of."""
        conforms = self.verdict is Verdict.CONFORMS
        return self.outcome.first.effect if conforms else self.outcome.effect

    @property
    def result(self) -> TestResult:
        """The same for people."""
        outcome = self.outcome
        return TestResult(
            distribution=self.of.distribution,
            test=outcome.test,
            verdict=self.verdict,
            records=outcome.records,
            detail=outcome.not_run or outcome.detail or self._by_chance(),
            p=outcome.p,
            corrected_p=self.corrected_p,
            w=None if self._effect is None else self._effect.w,
            smallest_w=self.smallest_w,
            smallest_bias=self.smallest_bias,
        )

    def _by_chance(self) -> str:
        """What a statistical test found, in words."""
        effect = self._effect
        if effect is None or self.corrected_p is None:
            return ""
        if self.outcome.even and self.verdict is Verdict.DIVERGES:
            return f"{self.outcome.even} (p = {self.corrected_p:.2g} among all tests)"
        return (
            f"off as if one of {effect.choices:.3g} partitions were taken "
            f"{percent(effect.bias(effect.w))} too often "
            f"(p = {self.corrected_p:.2g} among all tests, {self.outcome.records:,} choices)"
        )


def judge_all(
    found: Sequence[tuple[Subjected, Outcome]], *, false_alarms: float = FALSE_ALARMS
) -> list[Judged]:
    """The verdicts of a whole run.

    Holm's procedure keeps the probability of any false alarm among the statistical tests at
    ``false_alarms``, whatever their number and however they depend on each other.
    """
    found = [(of, _computable(outcome)) for of, outcome in found]
    values = [outcome.p for _, outcome in found if outcome.p is not None]
    corrected = iter(multipletests(values, method="holm")[1].tolist() if values else [])
    strictest = false_alarms / max(len(values), 1)
    judged = []
    for of, outcome in found:
        corrected_p = None if outcome.p is None else next(corrected)
        if outcome.not_run is not None:
            verdict = Verdict.NOT_RUN
        elif outcome.failed or (corrected_p is not None and corrected_p <= false_alarms):
            verdict = Verdict.DIVERGES
        else:
            verdict = Verdict.CONFORMS
        smallest = detectable_w(outcome, level=strictest, power=POWER)
        judged.append(Judged(of, outcome, verdict, corrected_p, smallest))
    return judged


def _computable(outcome: Outcome) -> Outcome:
    """A p-value that is no number is no p-value: such a test was not made."""
    if outcome.p is None or isfinite(outcome.p):
        return outcome
    return replace(outcome, p=None, effect=None, not_run="its statistic could not be computed")
