"""Check one cell: generate cases, run two subjects, compare, shrink."""

import hashlib
import time
from collections import Counter
from collections.abc import Callable

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity
from hypothesis.errors import Flaky

from conformance.behaviour import Behaviour
from conformance.case import Case
from conformance.clients import ClientVersion
from conformance.engine.generation import ignore_local_constants
from conformance.engine.minimise import minimise
from conformance.engine.results import Cell, CellResult, Divergence, Seconds, Verdict
from conformance.errors import SuiteError
from conformance.subjects.subject import Performer, Subject
from conformance.trace import Trace, first_difference

Progress = Callable[[int], None]
"""Told the number of cases so far, a few times a second."""

_PROGRESS_SECONDS = 0.2


class _DivergedError(Exception):
    """Tells Hypothesis that a case is a counterexample."""


class _Unprinted:
    """Holds a case: Hypothesis would write out the whole of it, with its keys of 1 MiB."""

    def __init__(self, case: Case) -> None:
        self.case = case

    def __repr__(self) -> str:
        return "a case"


class _Abort(BaseException):
    """Carries the suite's own failure past Hypothesis, which would take it for a finding."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(cause)
        self.cause = cause


def reason_of(error: Exception) -> str:
    """Why a cell was not run: the message of the suite's own errors; any other is a bug."""
    if isinstance(error, SuiteError):
        return str(error)
    return (
        f"The suite failed: {type(error).__name__}: {error}\n"
        "  This is a bug in the suite or a broken installation; please report it."
    )


def cell_seed(seed: int, cell: Cell) -> int:
    """The seed of one cell: independent of the others, whichever of them are run."""
    text = f"{seed} {cell}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def check_cell(
    behaviour: Behaviour,
    client: ClientVersion,
    oracle: Subject,
    subject: Subject,
    *,
    cases: int,
    seed: int,
    progress: Progress = lambda _cases: None,
    diverged: Callable[[CellResult], None] = lambda _result: None,
    shrink: bool = True,
) -> CellResult:
    """Try ``cases`` cases of one behaviour of one client version on two subjects.

    A failure of the suite or of a subject to perform at all gives a result that was not run,
    never one that conforms; but a divergence that was found before stays one. ``diverged`` is
    told of it at once, before it is shrunk.
    """
    cell = Cell(behaviour.name, client.version)
    started = time.perf_counter()
    try:
        comparison = _Comparison(behaviour, client, oracle, subject, progress)
    except SuiteError as error:
        return CellResult(cell, Verdict.NOT_RUN, reason=reason_of(error))
    start_up = time.perf_counter() - started

    def result() -> CellResult:
        total = time.perf_counter() - started
        divergence = comparison.divergence(cell, seed)
        return CellResult(
            cell,
            Verdict.CONFORMS if divergence is None else Verdict.DIVERGES,
            cases=comparison.cases,
            steps=comparison.steps,
            seconds=Seconds(
                start_up,
                total - start_up - comparison.execution - comparison.book_keeping,
                comparison.execution,
                comparison.book_keeping,
            ),
            labels={label: comparison.labels[label] for label in behaviour.interesting},
            digest=comparison.digest.hexdigest(),
            divergence=divergence,
        )

    comparison.on_first_divergence = lambda: diverged(result())
    try:
        comparison.explore(cases=cases, seed=cell_seed(seed, cell), shrink=shrink)
        comparison.ask_for_remarks()
    except (SuiteError, _Abort) as error:
        cause = error.cause if isinstance(error, _Abort) else error
        if not comparison.has_diverged:
            return CellResult(cell, Verdict.NOT_RUN, reason=reason_of(cause))
        comparison.remarks.append(f"Shrinking stopped early: {cause}")
    return result()


class _Comparison:
    """Two subjects on one stream of cases, with what is counted on the way."""

    def __init__(
        self,
        behaviour: Behaviour,
        client: ClientVersion,
        oracle: Subject,
        subject: Subject,
        progress: Progress,
    ) -> None:
        self._behaviour = behaviour
        self._client = client
        self._subjects = (oracle, subject)
        self._expect: Performer = oracle.performer(behaviour, client)
        self._answer: Performer = subject.performer(behaviour, client)
        self._progress = progress
        self._reported = 0.0
        self._found: tuple[Case, Trace, Trace] | None = None
        self.on_first_divergence: Callable[[], None] = lambda: None
        self.remarks: list[str] = []
        self.cases = 0
        self.steps = 0
        self.execution = 0.0
        self.book_keeping = 0.0
        self.labels: Counter[str] = Counter()
        self.digest = hashlib.blake2b(digest_size=16)

    def explore(self, *, cases: int, seed: int, shrink: bool) -> None:
        """Generate and compare until a divergence is found, and shrunk, or all cases are done."""
        ignore_local_constants()
        phases = [Phase.generate, Phase.shrink] if shrink else [Phase.generate]

        @hypothesis.seed(seed)
        @hypothesis.settings(
            max_examples=cases,
            phases=phases,
            database=None,
            deadline=None,
            derandomize=False,
            print_blob=False,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
        )
        @hypothesis.given(self._behaviour.cases(self._client).map(_Unprinted))
        def agree(unprinted: _Unprinted) -> None:
            self._compare(unprinted.case)

        try:
            agree()
        except _DivergedError:
            pass
        except Flaky:
            self.remarks.append("A subject does not always give the same answer to the same case.")
            return
        if shrink and self._found is not None:
            self._minimise()

    def _minimise(self) -> None:
        assert self._found is not None
        case, expected, answered = self._found
        step = first_difference(expected, answered)
        shortest = minimise(case, 0 if step is None else step, self._diverges_at)
        self._found = (shortest, self._expect(shortest), self._answer(shortest))

    def _diverges_at(self, case: Case) -> int | None:
        """Where the subjects part; None also for a case that is none (a needed step is gone)."""
        self._tell()
        self._tell()
        try:
            return first_difference(self._expect(case), self._answer(case))
        except Exception:
            return None

    @property
    def has_diverged(self) -> bool:
        """Whether a counterexample was found."""
        return self._found is not None

    def ask_for_remarks(self) -> None:
        """Let the oracle say more about the counterexample, such as messages of exceptions."""
        if self._found is not None:
            oracle = self._subjects[0]
            self.remarks += oracle.remarks(self._behaviour, self._client, self._found[0])

    def divergence(self, cell: Cell, seed: int) -> Divergence | None:
        """The smallest counterexample, if there was any."""
        if self._found is None:
            return None
        case, expected, answered = self._found
        oracle, subject = self._subjects
        step = first_difference(expected, answered)
        return Divergence(
            cell=cell,
            expected_of=oracle.describe(self._client),
            answered_by=subject.describe(self._client),
            case=case,
            expected=expected,
            answered=answered,
            step=0 if step is None else step,
            java_method=self._behaviour.java_method(
                self._client, case["steps"][min(step or 0, len(case["steps"]) - 1)]
            ),
            seed=seed,
            cases_before=self.cases - 1,
            remarks=tuple(self.remarks),
        )

    def _compare(self, case: Case) -> None:
        before = time.perf_counter()
        try:
            expected = self._expect(case)
            answered = self._answer(case)
            executed = time.perf_counter()
            if self._found is None:
                self.execution += executed - before
                self._count(case, expected)
                self.book_keeping += time.perf_counter() - executed
            self._tell()
        except Exception as error:
            raise _Abort(error) from error
        if expected != answered:
            first = self._found is None
            self._found = (case, expected, answered)
            if first:
                self.on_first_divergence()
            raise _DivergedError

    def _count(self, case: Case, expected: Trace) -> None:
        self.cases += 1
        self.steps += len(expected)
        self.labels.update(set(self._behaviour.labels(case, expected)))
        self.digest.update(repr(case).encode("utf-8", "surrogatepass"))

    def _tell(self) -> None:
        """Report progress now and then; while shrinking too, which is no reason to give up."""
        now = time.perf_counter()
        if now - self._reported > _PROGRESS_SECONDS:
            self._reported = now
            self._progress(self.cases)
