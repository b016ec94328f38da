"""A counterexample as small as it can be, and such that somebody else sees it, too.

A subject may remember, against the rules, what it was asked in an earlier case: in a variable of a
class, in a cache. While such a difference is shrunk each case is asked of a subject that remembers
all others, so that the smallest one may differ nowhere else. So it is asked again of a *new*
subject; if that answers as it should, cases are shrunk with a new subject for each.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from conformance.engine.comparing import Found, parted_at
from conformance.engine.plainest import plainest
from conformance.model.case import Case
from conformance.model.subject import Performer
from conformance.model.trace import Trace

REMEMBERED: Final = 64
"""How many cases before a counterexample are kept."""
_SECONDS: Final = 20.0
"""How long new subjects are asked."""

FLAKY: Final = "A subject does not always give the same answer to the same case."
ALONE: Final = "Earlier cases change its answers; this case diverges without them."
AFTER_OTHERS: Final = (
    "It remembers what it was asked in other cases: started anew and asked this case alone, it "
    "answers as it should."
)
NOT_ANEW: Final = (
    "Started anew it answers as it should, also after the cases before this one that were tried: "
    "it remembers what it was asked long before, or does not always answer alike."
)

Ask = Callable[[Sequence[Case]], Trace]
"""Puts cases to one subject, in order; answers the trace of the last."""


class Standing(NamedTuple):
    """A counterexample, and what a new subject has to be asked before so that it is one."""

    found: Found
    before: tuple[Case, ...] | None = ()
    """None: nothing is known that makes a new subject differ."""
    remark: str | None = None


@dataclass
class Shrinking:
    """Makes counterexamples smaller."""

    expects: Performer
    """What is right."""
    is_wanted: Callable[[Case, Trace, Trace], bool]
    """Whether two traces differ in the way that is to be shown."""
    can_be_asked: Callable[[Case], bool] = lambda _case: True
    """Whether the subject can be asked a case that nobody generated."""
    deadline: float = math.inf
    """A moment of :func:`time.monotonic`."""

    def here(self, found: Found, answer: Performer) -> Standing:
        """Made smaller with the subject that was asked all other cases, too."""
        return self._shrunk(lambda cases: answer(cases[-1]), (), found)

    def anew(self, shown: Standing, origin: Found, ask: Ask) -> Standing:
        """What stands if ``ask`` puts cases to a new subject each time.

        ``shown`` is what was found so far, ``origin`` the case as it was generated.
        """
        if shown.remark is None and self._differs(ask, (), shown.found.case):
            return shown
        self.deadline = min(self.deadline, time.monotonic() + _SECONDS)
        alone = self._differs(ask, (), origin.case)
        if alone is not None:
            found, _, remark = self._shrunk(ask, (), alone)
            return Standing(found, (), remark or ALONE)
        for count in _doubling(len(origin.before)):
            for case in (shown.found.case, origin.case):
                after_some = self._differs(ask, origin.before[-count:], case)
                if after_some is not None:
                    before = self._fewer(ask, origin.before[-count:], case)
                    # With fewer cases before it, it may differ at another step.
                    with_fewer = self._differs(ask, before, case) or after_some
                    found, _, remark = self._shrunk(ask, before, with_fewer)
                    before = self._smaller(ask, before, found.case)
                    shown_last = self._differs(ask, before, found.case) or found
                    return Standing(shown_last, before, remark or AFTER_OTHERS)
        return Standing(shown.found, None, shown.remark or NOT_ANEW)

    def _differs(self, ask: Ask, before: Sequence[Case], case: Case) -> Found | None:
        expected, answered = self.expects(case), ask([*before, case])
        differs = expected != answered and self.is_wanted(case, expected, answered)
        return Found(case, expected, answered) if differs else None

    def _still_differs(self, ask: Ask, before: Sequence[Case], case: Case) -> Found | None:
        """None also for a case that is none (a needed step is gone), and when time is over."""
        if time.monotonic() > self.deadline:
            return None
        try:
            return self._differs(ask, before, case) if self.can_be_asked(case) else None
        except Exception:
            return None

    def _shrunk(self, ask: Ask, before: Sequence[Case], found: Found) -> Standing:
        last = found

        def parted(case: Case) -> int | None:
            nonlocal last
            differing = self._still_differs(ask, before, case)
            last = differing or last
            return None if differing is None else parted_at(*differing[:3])

        shortest = plainest(found.case, parted_at(*found[:3]) or 0, parted)
        again = self._differs(ask, before, shortest)
        if again is not None:
            return Standing(again)
        # It agrees for once: shown is what it answered when it did not, to a case of which the
        # shortest is the beginning.
        length = len(shortest["steps"])
        return Standing(Found(shortest, last.expected[:length], last.answered[:length]), (), FLAKY)

    def _fewer(self, ask: Ask, before: tuple[Case, ...], case: Case) -> tuple[Case, ...]:
        """Those of the cases before that are needed."""
        for at in reversed(range(len(before))):
            fewer = before[:at] + before[at + 1 :]
            if self._still_differs(ask, fewer, case) is not None:
                before = fewer
        return before

    def _smaller(self, ask: Ask, before: tuple[Case, ...], case: Case) -> tuple[Case, ...]:
        """The same cases, each as small as it can be."""
        for at, one in enumerate(before):
            others = before[:at], before[at + 1 :]

            def parted(
                smaller: Case, others: tuple[tuple[Case, ...], tuple[Case, ...]] = others
            ) -> int | None:
                all_before = (*others[0], smaller, *others[1])
                differs = self._still_differs(ask, all_before, case)
                return None if differs is None else len(smaller["steps"]) - 1

            before = (*others[0], plainest(one, len(one["steps"]), parted), *others[1])
        return before


def _doubling(most: int) -> list[int]:
    """1, 2, 4 ... and the most."""
    return [*(2**power for power in range(most.bit_length()) if 2**power < most), *[most][:most]]
