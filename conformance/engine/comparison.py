"""Two subjects on one stream of cases: generate, compare, count, shrink.

Cases are performed in batches. A subject that performs many at once is surveyed: all cases are
compared, and every difference is counted by its kind; for others the first difference is the last.
What differs is then looked for again and shrunk, one case at a time, with the same seed.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from itertools import chain

from hypothesis.errors import Flaky, Unsatisfiable

from conformance.engine.batches import Batches
from conformance.engine.comparing import (
    Abort,
    Asked,
    DivergedError,
    Found,
    OutOfTimeError,
    Parted,
    Progress,
    Tally,
    Throttled,
    told_of,
)
from conformance.engine.difference import difference_of
from conformance.engine.generation import generate_cases
from conformance.engine.known import KnownDivergences
from conformance.engine.pair import Pair
from conformance.engine.recording import Recording, Writer
from conformance.engine.shrinking import FLAKY, REMEMBERED, Shrinking, Standing
from conformance.errors import SuiteError
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.results import Cell, Divergence, Verdict
from conformance.model.subject import CouldNotTryError, Subject
from conformance.model.trace import Trace, first_difference

_FOR_SHRINKING = 0.25
"""The share of its time that a cell keeps for shrinking, if its time is limited."""


class Comparison:
    """Two subjects on one stream of cases, with what is counted on the way."""

    def __init__(
        self,
        behaviour: Behaviour,
        client: ClientVersion,
        oracle: Subject,
        subject: Subject,
        progress: Progress,
        known: KnownDivergences,
        deadline: float = math.inf,
        recording: Recording | None = None,
    ) -> None:
        """``deadline`` is a moment of :func:`time.monotonic`.

        With a ``recording`` that is there the oracle is asked nothing until something differs;
        one that is not there is made.
        """
        self._cell = Cell(behaviour.name, client.version)
        self._known = known
        self._wanted: str | None = None
        self._first = 0
        """The number of the case from which on the generator's are compared."""
        self._behaviour = behaviour
        self._client = client
        self._subjects = (oracle, subject)
        self._deadline = deadline
        self._time_to_shrink = deadline
        if deadline < math.inf:
            self._time_to_shrink -= _FOR_SHRINKING * (deadline - time.monotonic())
        self._recording = recording
        self.replays = recording is not None and recording.exists()
        """Whether the oracle's answers are those that it gave in an earlier run."""
        self._writer: Writer | None = None
        self._progress = Throttled(progress)
        self._pair = Pair(behaviour, client, oracle, subject, self._tell)
        if not self.replays:
            _ = self._pair.expect
        _ = self._pair.answer
        self._found: Found | None = None
        self._origin: Found | None = None
        """The counterexample as it was generated."""
        self._asked: deque[Case] = deque(maxlen=REMEMBERED)
        """The last cases that were counted."""
        self._before: tuple[Case, ...] | None = ()
        """What the counterexample needs before it; see :class:`Divergence`."""
        self._firsts: dict[str, tuple[int, int, Found]] = {}
        """By kind of difference: how many cases came before, the case's number, what was found."""
        self.on_first_divergence: Callable[[], None] = lambda: None
        self.remarks: list[str] = []
        self.out_of_time = False
        """Whether it stopped before all cases were compared."""
        self.tally = Tally()
        self.book_keeping = 0.0

    @property
    def execution(self) -> float:
        """Seconds that both subjects have taken to perform cases."""
        return self._pair.execution

    def _tell(self) -> None:
        self._progress(self.tally.cases)

    def explore(self, *, cases: int, seed: int, shrink: bool) -> None:
        """Generate and compare until a divergence is found, and shrunk, or all cases are done."""
        if self._recording is not None and not self.replays:
            self._writer = Writer(self._recording)
        try:
            self._explore(cases=cases, seed=seed, shrink=shrink)
        finally:
            self._keep(whole=False)

    def _explore(self, *, cases: int, seed: int, shrink: bool) -> None:
        if self._subjects[1].performs_many:
            self._survey(cases=cases, seed=seed)
            if self._wanted is None:
                return
        elif self._until_parted(cases=cases, seed=seed):
            cases = 1  # that one again
        else:
            self._keep(whole=not self.out_of_time)
            return
        try:
            self._generate(self._compare, cases=cases, seed=seed, shrink=shrink)
        except DivergedError:
            pass
        except OutOfTimeError:
            self.remarks.append("Shrinking stopped early: time ran out.")
            return
        except Flaky:
            self.remarks.append(FLAKY)
        if self._found is None:
            self._found = self._origin
            self.remarks.append(FLAKY)
        if shrink:
            self._shrink()

    def _keep(self, *, whole: bool) -> None:
        """Keep what was written down if these were all cases; what is not kept by then is not."""
        writer, self._writer = self._writer, None
        if writer is not None:
            if whole and not self.tally.refused:
                writer.keep()
            writer.drop()

    def _until_parted(self, *, cases: int, seed: int) -> bool:
        """Compare cases up to the first that differs; whether there is one."""

        def compare(batch: Sequence[Asked]) -> None:
            for asked, full, expected, answered in self._pair.perform(batch, self.tally.refuse):
                self._count(asked, full, expected)
                difference = difference_of(self._behaviour, asked.case, expected, answered)
                if difference is not None:
                    self._first = asked.number
                    earlier = tuple(self._asked)[:-1]
                    self._origin = Found(asked.case, expected, answered, earlier)
                    self.tally.see(difference)
                    self.on_first_divergence()
                    raise Parted

        batches = Batches(compare, first=1)
        try:
            self._hand_out(batches.take, cases=cases, seed=seed)
            batches.flush()
        except Parted:
            return True
        return False

    def _generate(
        self, use: Callable[[Asked], None], *, cases: int, seed: int, shrink: bool
    ) -> None:
        """Hand so many generated cases on, each once, always the same for a seed."""
        behaviour = self._behaviour

        def take(asked: Asked) -> None:
            self._check_time()
            use(asked)

        try:
            generate_cases(
                behaviour.cases(self._client),
                self._pair.scope.narrowed,
                take,
                cases=cases,
                seed=seed,
                shrink=shrink,
                first=self._first,
                explores=lambda: self._found is None,
            )
        except Unsatisfiable as error:
            raise SuiteError(
                f"No case of {self._cell} is left that the subject can be asked.",
                "A testee that can be asked no case of a behaviour does not support it.",
            ) from error

    def _survey(self, *, cases: int, seed: int) -> None:
        """Compare all cases; decide which kind of difference is to be shrunk."""
        batches = Batches(self._compare_many)
        self._hand_out(batches.take, cases=cases, seed=seed)
        batches.flush()
        self._keep(whole=not self.out_of_time)
        if self._firsts:
            fresh = [kind for kind in self._firsts if not self._known.excuse(self._cell, kind)]
            # The plain kinds first: one that needs a context says less.
            kinds, firsts = self.tally.kinds, self._firsts
            self._wanted = min(
                fresh or firsts, key=lambda name: (bool(kinds[name].contexts), firsts[name][0])
            )
            _, self._first, self._origin = self._firsts[self._wanted]

    def _hand_out(self, collect: Callable[[Asked], None], *, cases: int, seed: int) -> None:
        """All cases, from the recording or generated; or as many as there is time for."""
        try:
            if self.replays and self._recording is not None:
                for asked in self._recording.read():
                    self._check_time()
                    collect(asked)
            else:
                self._generate(collect, cases=cases, seed=seed, shrink=False)
        except OutOfTimeError:
            self.out_of_time = True

    def _compare_many(self, batch: Sequence[Asked]) -> None:
        """Compare cases, and count what is found."""
        for asked, full, expected, answered in self._pair.perform(batch, self.tally.refuse):
            self._count(asked, full, expected)
            difference = difference_of(self._behaviour, asked.case, expected, answered)
            if difference is not None:
                kind = self.tally.see(difference)
                if kind not in self._firsts:
                    found = Found(asked.case, expected, answered, tuple(self._asked)[:-1])
                    before = self.tally.cases + self.tally.refused - 1
                    self._firsts[kind] = (before, asked.number, found)

    def _shrink(self) -> None:
        """Show the smallest case that differs so, also for whoever has just started the subject."""
        assert self._found is not None
        kinds = {self._kind(*found[:3]) for found in (self._found, self._origin or self._found)}
        shrinking = Shrinking(
            self._pair.expected,
            lambda *differing: self._kind(*differing) in kinds,
            lambda case: self._pair.scope.narrowed(case) == case,
            self._deadline,
        )
        shown = Standing(self._found, (), FLAKY if FLAKY in self.remarks else None)
        if shown.remark is None:
            shown = shrinking.here(self._found, self._pair.answer)
        first = None if self._origin is None else self._subjects[1].anew()
        if first is not None and self._origin is not None:
            new = chain([first], iter(self._subjects[1].anew, None))
            shown = shrinking.anew(shown, self._origin, lambda cases: self._ask(next(new), cases))
        self._found, self._before, remark = shown
        self.remarks = [] if remark is None else [remark]

    def _ask(self, new: Subject, cases: Sequence[Case]) -> Trace:
        """Put cases to a subject that was asked nothing before; what it answers to the last."""
        try:
            perform = new.performer(self._behaviour, self._client)
            return [perform(case) for case in cases][-1]
        finally:
            new.finish()

    @property
    def has_diverged(self) -> bool:
        """Whether a counterexample was found, be it before the subject broke a rule."""
        return self._counterexample is not None

    @property
    def _counterexample(self) -> Found | None:
        """What was shrunk; or what was seen before, if it came to no more."""
        if self._found is None and self._firsts:
            return self._firsts[self._wanted or next(iter(self._firsts))][-1]
        return self._found or self._origin

    @property
    def verdict(self) -> Verdict:
        """As the differences that were found say; those that are known are no divergence."""
        if self.tally.differences:
            return self._known.verdict(self._cell, self.tally.differences)
        return Verdict.CONFORMS if self._found is None else Verdict.DIVERGES

    def _kind(self, case: Case, expected: Trace, answered: Trace) -> str:
        return str(difference_of(self._behaviour, case, expected, answered))

    def ask_for_remarks(self) -> None:
        """Have more said of the counterexample: how to read it, messages of exceptions."""
        found = self._counterexample
        if found is not None:
            self.remarks += told_of(self._behaviour, *found[:3])
            for subject in self._subjects:
                remarks = subject.remarks(self._behaviour, self._client, found.case)
                self.remarks += [remark for remark in remarks if remark not in self.remarks]

    def divergence(self, cell: Cell, seed: int) -> Divergence | None:
        """The smallest counterexample, if there was any."""
        if self._counterexample is None:
            return None
        case, expected, answered = self._counterexample[:3]
        step = first_difference(expected, answered)
        kind = self._wanted or next(iter(self._firsts), None)
        return Divergence(
            cell=cell,
            expected_of=self._subjects[0].describe(self._client),
            answered_by=self._subjects[1].describe(self._client),
            case=case,
            expected=expected,
            answered=answered,
            step=0 if step is None else step,
            java_method=self._behaviour.java_method(
                self._client, case["steps"][min(step or 0, len(case["steps"]) - 1)]
            ),
            seed=seed,
            cases_before=self.tally.cases - 1 if kind is None else self._firsts[kind][0],
            remarks=tuple(self.remarks),
            before=self._before,
        )

    def _compare(self, asked: Asked) -> None:
        """Compare a case that differed, and the smaller ones that Hypothesis makes of it."""
        case = asked.case
        try:
            expected, answered = self._pair.expected(case), self._pair.attempt(case)
        except Exception as error:
            raise Abort(error) from error
        if isinstance(answered, CouldNotTryError) or expected == answered:
            return
        # Without a survey any kind of difference is to be shrunk.
        if self._wanted in (None, self._kind(case, expected, answered)):
            first, self._found = self._found is None, Found(case, expected, answered)
            if first and self._wanted is not None:  # without a survey it is told already
                self.on_first_divergence()
            raise DivergedError

    def _check_time(self) -> None:
        # What is found wants shrinking; if nothing is, more cases are worth more.
        to_be_shrunk = bool(self._firsts) and self._wanted is None
        if time.monotonic() > (self._time_to_shrink if to_be_shrunk else self._deadline):
            raise OutOfTimeError

    def _count(self, asked: Asked, full: Trace, expected: Trace) -> None:
        started = time.perf_counter()
        self._asked.append(asked.case)
        self.tally.count(asked, full, expected, self._behaviour.labels(asked.case, full))
        if self._writer is not None:
            self._writer.take(asked, full)
        self.book_keeping += time.perf_counter() - started
