"""What becomes of each testee in broken/: the verdict, and words that its author is told."""

from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum

from conformance.errors import ExitCode
from tests.testees.broken import FAULTS


class Stated(Enum):
    """What becomes of a testee."""

    ACCEPTED = "accepted"
    DIVERGES = "diverges"
    NOT_RUN = "not run"
    NO_START = "does not start"
    """Not run, and nothing is: it is not known who it is."""

    @property
    def exit_code(self) -> ExitCode:
        """Of the command."""
        return {
            Stated.ACCEPTED: ExitCode.CONFORMS,
            Stated.DIVERGES: ExitCode.DIVERGES,
        }.get(self, ExitCode.NOT_RUN)


@dataclass(frozen=True)
class Entry:
    """A fault and what is to come of it."""

    fault: str
    stated: Stated
    words: tuple[str, ...]
    """What the command says, among other things."""
    seconds: float
    """The limits that it runs into, together: it may not take much longer."""
    options: tuple[str, ...]
    behaviour: str
    whole: bool
    """Whether the command is also run as a process, as its users do."""

    @property
    def kind(self) -> tuple[Hashable, ...]:
        """What becomes of it, what is told first, and of what it was asked: one is like another."""
        return self.stated, self.words[:1], self.behaviour, self.options

    @property
    def what(self) -> str:
        """What the testee does."""
        return (FAULTS[self.fault].__doc__ or "").strip()


def _entry(
    fault: str,
    stated: Stated,
    *words: str,
    seconds: float = 0.0,
    options: tuple[str, ...] = (),
    behaviour: str = "keyed",
    whole: bool = False,
) -> Entry:
    return Entry(fault, stated, words, seconds, options, behaviour, whole)


_OK, _DIVERGES, _NOT_RUN, _NO_START = Stated
_EMPTY = "Its standard error is empty."
_LOG = "The end of its standard error:"
_NOT_JSON = "The testee wrote a line that is not JSON"
_SCHEMA = "against the schema"
_NO_MESSAGE = "The testee wrote a line that is not a message of the protocol"
_CONFORMS = "keyed: matches Java 3.8.0"
_ONE_SECOND = ("--answer-seconds", "1")
_RECORDS = ("--records", "3000")
_STATISTICAL = {"behaviour": "sticky", "options": ("--records", "900k")}
_OVERLOADED = {"seconds": 5.0, "options": ("--memory-mib", "100")}

CATALOGUE = (
    # Starting.
    _entry("exits at once", _NO_START, "exited with code 0 before its hello", "nothing to do"),
    _entry(
        *("exits at once badly", _NO_START, "exited with code 7 before its hello", _LOG),
        *("    cannot find libpartitioner.so",),
        whole=True,
    ),
    _entry("killed at once", _NO_START, "killed by SIGKILL before its hello", _EMPTY),
    _entry(
        *("hangs at hello", _NO_START, "did not answer within 5 s: before its hello"),
        *("connecting to the broker", "--hello-seconds"),
        seconds=5,
        options=("--hello-seconds", "5"),
        whole=True,
    ),
    _entry(
        *("stops itself", _NO_START, "did not answer within 1 s: before its hello"),
        seconds=2,
        options=("--hello-seconds", "1"),
    ),
    _entry("banner", _NO_START, _NOT_JSON, "'Welcome to my-testee 1.0!'", whole=True),
    _entry("empty lines", _NO_START, _NOT_JSON, "''"),
    _entry("byte order mark", _NO_START, _NOT_JSON, r"\ufeff"),
    _entry("UTF-16", _NO_START, _NOT_JSON, r"{\x00"),
    _entry("half a hello", _NO_START, "ended in the middle of a line", "before its hello"),
    _entry("hello of several lines", _NO_START, _NOT_JSON, "'{'", "one JSON object per line"),
    _entry("hello is no hello", _NO_START, "first message is 'traces', not its hello"),
    _entry("other version", _NO_START, "speaks version 2 of the protocol, this suite version 1"),
    _entry("version as text", _NO_START, "speaks version '1' of the protocol"),
    _entry("no version", _NO_START, "speaks version None of the protocol"),
    _entry("huge version", _NO_START, "speaks version [0, 0, 0"),
    _entry("unknown behaviour", _NO_START, _SCHEMA, "keyde"),
    _entry("no behaviours", _NO_START, _SCHEMA, "['behaviours']"),
    _entry("no mode", _NO_START, _SCHEMA, "mode"),
    _entry("two hellos", _NO_START, "wrote without being asked", '"hello"'),
    _entry("answers before questions", _NO_START, "wrote without being asked", '"traces"'),
    _entry("changes its hello", _NOT_RUN, "sends a different hello each time it starts"),
    # Ending.
    _entry(
        *("exits in the middle", _NOT_RUN, "exited with code 9 while", "panic: too many questions"),
        whole=True,
    ),
    _entry("exits well in the middle", _NOT_RUN, "exited with code 0 while"),
    _entry("raises", _NOT_RUN, "exited with code 1 while", "    KeyError: 'no such partition'"),
    _entry("dies once", _NOT_RUN, "killed by SIGABRT while", whole=True),
    _entry("dies of one key", _DIVERGES, "key hex 'ff'", "killed by SIGSEGV"),
    _entry(
        *("dies of its third step", _DIVERGES, "the testee died: it was killed by SIGSEGV"),
    ),
    _entry("dies of everything", _DIVERGES, "the testee died: it exited with code 3"),
    _entry(
        *("bad code after the last answer", _NOT_RUN, "exited with code 5 after its last answer"),
        *("could not write statistics",),
        whole=True,
    ),
    _entry("crashes at exit", _NOT_RUN, "killed by SIGSEGV after its last answer"),
    _entry(
        *("hangs in the middle", _NOT_RUN, "did not answer within 1 s", "waiting for a lock"),
        *("--answer-seconds",),
        seconds=1,
        options=_ONE_SECOND,
    ),
    _entry(
        *("hangs at exit", _NOT_RUN, "did not exit within 1 s of the end of its input"),
        *("waiting for a thread", "--exit-seconds"),
        seconds=1,
        options=("--exit-seconds", "1"),
    ),
    _entry(
        *("ignores SIGTERM", _NOT_RUN, "did not answer within 1 s"),
        seconds=2,
        options=_ONE_SECOND,
        whole=True,
    ),
    _entry(
        *("ignores SIGTERM at exit", _NOT_RUN, "did not exit within 1 s of the end of its input"),
        seconds=2,
        options=("--exit-seconds", "1"),
    ),
    _entry(
        *("waits for the end", _NOT_RUN, "did not answer within 1 s: while it owed", "3 more"),
        seconds=1,
        options=_ONE_SECOND,
    ),
    _entry(
        *("closes its output", _NOT_RUN, "The testee closed its output while"),
        seconds=2,
        options=("--exit-seconds", "1"),
    ),
    _entry(
        *("closes its input", _NOT_RUN, "did not answer within 1 s"),
        seconds=2,
        options=_ONE_SECOND,
    ),
    _entry("talks at its end", _NOT_RUN, "wrote without being asked: b'Goodbye!"),
    # Children.
    _entry("leaves a child", _NOT_RUN, "left child processes behind: python"),
    _entry(
        *("leaves a child in a session of its own", _NOT_RUN, "left child processes behind"),
        whole=True,
    ),
    _entry("leaves a daemon", _NOT_RUN, "left child processes behind"),
    _entry("leaves a daemon without its environment", _NOT_RUN, "left child processes behind"),
    _entry("dies and leaves a child", _NOT_RUN, "exited with code 4 while"),
    _entry(
        *("hangs with children", _NOT_RUN, "did not answer within 1 s"),
        seconds=1,
        options=_ONE_SECOND,
    ),
    # Lines.
    _entry("half a line", _NOT_RUN, "did not answer within 1 s", seconds=1, options=_ONE_SECOND),
    _entry("half a line and exits", _NOT_RUN, 'ended in the middle of a line (b\'{"type"'),
    _entry("invalid UTF-8", _NOT_RUN, "a line that is not UTF-8", r"\\xff\\xfe\\xc0\\x80"),
    _entry("lone surrogates", _NOT_RUN, "half of a surrogate pair"),
    _entry("NUL bytes", _NOT_RUN, _NOT_JSON),
    _entry("a line of 100 MiB", _NOT_RUN, "wrote a line of more than 16 MiB", whole=True),
    _entry("endless output", _NOT_RUN, "wrote a line of more than 16 MiB", whole=True),
    _entry("endless lines", _NOT_RUN, "The testee answered id", "twice"),
    _entry(
        *("endless log", _NOT_RUN, "did not answer within 3 s", "    DEBUG still working"),
        seconds=3,
        options=("--answer-seconds", "3"),
        whole=True,
    ),
    _entry(
        *("endless log of one line", _NOT_RUN, "did not answer within 1 s", "    ...."),
        seconds=1,
        options=_ONE_SECOND,
    ),
    _entry("JSON array", _NOT_RUN, _NO_MESSAGE),
    _entry("JSON text", _NOT_RUN, _NO_MESSAGE),
    _entry("two objects on a line", _NOT_RUN, _NOT_JSON, "Extra data"),
    _entry("Python instead of JSON", _NOT_RUN, _NOT_JSON),
    _entry("deeply nested", _NOT_RUN, "nested too deeply"),
    _entry("duplicate members", _NOT_RUN, "two members with the same name"),
    # Numbers.
    _entry("NaN", _NOT_RUN, "NaN is not a whole number", whole=True),
    _entry("infinity", _NOT_RUN, "-Infinity is not a whole number"),
    _entry("floats", _NOT_RUN, "3.0 is not a whole number"),
    _entry("exponents", _NOT_RUN, "3e0 is not a whole number"),
    _entry("numbers as texts", _NOT_RUN, _SCHEMA, '"3"'),
    _entry("booleans", _NOT_RUN, _SCHEMA, "true"),
    _entry("beyond int32", _DIVERGES, "2147483648 (beyond int32; its last 32 bits, signed, are -"),
    _entry("beyond int64", _DIVERGES, "answers a number of 333 bits"),
    _entry("5000 digits", _NOT_RUN, _NOT_JSON, "4300 digits"),
    _entry("null for a number", _DIVERGES, "answers null"),
    # Answers.
    _entry("unknown id", _NOT_RUN, "The testee answered id 1, which was not asked"),
    _entry("id as text", _NOT_RUN, _SCHEMA, "['id']"),
    _entry("no id", _NOT_RUN, _SCHEMA, "id"),
    _entry("duplicate answers", _NOT_RUN, "The testee answered id", "twice"),
    _entry("other kind of answer", _NOT_RUN, "with 'partitions' instead of 'traces'"),
    _entry("too few traces", _NOT_RUN, "with 15 traces for 16 cases"),
    _entry("too many traces", _NOT_RUN, "with 17 traces for 16 cases"),
    _entry("too few steps", _NOT_RUN, "entries for", "steps"),
    _entry("too many steps", _NOT_RUN, "entries for", "steps"),
    _entry("a trace that could not be tried", _NOT_RUN, _SCHEMA),
    _entry("unknown error", _NOT_RUN, _SCHEMA, "ZeroDivisionError"),
    _entry(
        *("refuses everything", _NOT_RUN, "cases could not be tried, such as"),
        *("keys are not supported yet",),
        whole=True,
    ),
    _entry(
        *("refuses some", _OK, "cases not tried: the key is too long for my buffer"),
        *("CASES NOT TRIED", _CONFORMS),
    ),
    _entry("random", _DIVERGES, "keyed: matches no Java version"),
    _entry("wrong now and then", _DIVERGES, "It remembers what it was asked in other cases"),
    _entry("wrong mask", _DIVERGES, "partition: a number for another"),
    _entry("always 0", _DIVERGES, "the honest one 1.0: answers 0", whole=True),
    _entry("diverges, then breaks a rule", _DIVERGES, "Shrinking stopped early", _NOT_JSON),
    _entry("takes memory", _NOT_RUN, "took more than 100 MiB", "--memory-mib", **_OVERLOADED),
    _entry("its child takes memory", _NOT_RUN, "took more than 100 MiB", **_OVERLOADED),
    # Records.
    _entry("too few partitions", _NOT_RUN, "partitions for", "records", options=_RECORDS),
    _entry("too many partitions", _NOT_RUN, "partitions for", "records", options=_RECORDS),
    _entry("no such partition", _DIVERGES, options=_RECORDS),
    _entry("negative partition", _DIVERGES, options=_RECORDS),
    _entry("one key astray", _DIVERGES, options=_RECORDS),
    _entry("records could not be tried", _NOT_RUN, "records are not written", options=_RECORDS),
    _entry("always the same partition", _DIVERGES, "stayed on their partition", **_STATISTICAL),
    _entry("one state for all topics", _DIVERGES, "two topics: stays", **_STATISTICAL),
    _entry("one seed", _DIVERGES, "second start", "the same seed each time", **_STATISTICAL),
    _entry("partitions without leader", _DIVERGES, "unavailable partitions", **_STATISTICAL),
    _entry("moves within a batch", _DIVERGES, "times where Java stays", **_STATISTICAL),
    _entry(
        *("statistical without distribution", _NO_START, "cannot be judged by its distribution"),
        *("Its mode is 'exact'",),
        behaviour="murmur2",
    ),
    # What is not broken.
    _entry("honest", _OK, _CONFORMS),
    _entry("honest records", _OK, _CONFORMS, options=_RECORDS),
    _entry("honest statistical", _OK, "3.8.0 (sticky)", "found a bias of", **_STATISTICAL),
    _entry("honest topics", _OK, "found a bias of", **_STATISTICAL),
    _entry("shuffled", _OK, _CONFORMS, whole=True),
    _entry("slow", _OK, _CONFORMS, seconds=5),
    _entry("byte by byte", _OK, _CONFORMS),
    _entry("line ends of Windows", _OK, _CONFORMS),
    _entry("unknown members", _OK, _CONFORMS),
    _entry("10 MiB of log for each answer", _OK, _CONFORMS, whole=True),
    _entry("tidies up", _OK, _CONFORMS),
    # Hostile texts; test_hostile_texts.py looks at every character.
    _entry("hostile hello", _DIVERGES, r"[red]<b>&amp;[/] \x1b[31mred"),
    _entry("name is markup", _OK, "a[/]b[bold]c [/nothing] [red]: 1 cell,"),
    _entry("hostile reasons", _OK, r"[red]<b>&amp;[/] \x1b[31mred"),
    _entry("hostile reason for everything", _NOT_RUN, r"[red]<b>&amp;[/] \x1b[31mred"),
    _entry("hostile log", _NOT_RUN, r"    [red]<b>&amp;[/] \x1b[31mred"),
    _entry("hostile line", _NOT_RUN, _NOT_JSON, r"[red]<b>&amp;[/] \x1b[31mred"),
    _entry("hostile member", _NOT_RUN, _SCHEMA),
    _entry(
        *("hostile state", _DIVERGES, "partition: another state"),
    ),
)
