"""What the suite itself reports when it cannot go on: a message for a person, an exit code.

Exit codes of every command: 0 all conform, 1 a divergence, 2 the user's mistake,
3 the suite could not run something.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """The documented exit codes of ``kafka-conformance``."""

    CONFORMS = 0
    DIVERGES = 1
    USAGE = 2
    NOT_RUN = 3


class SuiteError(Exception):
    """The suite could not do something: no Java, no jar, a JVM that died.

    ``what`` says what was wrong and where, ``remedy`` what the user can do about it.
    """

    exit_code: ExitCode = ExitCode.NOT_RUN

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what}\n  {remedy}")
        self.what = what
        self.remedy = remedy

    def __reduce__(self) -> tuple[type["SuiteError"], tuple[str, str]]:
        return type(self), (self.what, self.remedy)


class UsageError(SuiteError):
    """The user asked for something that does not exist or cannot be."""

    exit_code = ExitCode.USAGE


class NotWrittenError(SuiteError):
    """Results that are known, and that could not be written; a divergence is one all the same."""

    def __init__(self, what: str, remedy: str, known: ExitCode = ExitCode.NOT_RUN) -> None:
        super().__init__(what, remedy)
        if known is ExitCode.DIVERGES:
            self.exit_code = known


class JavaNotUsableError(SuiteError):
    """No Java, one that is too old, or one whose virtual machine does not start."""


class JarError(SuiteError):
    """A jar is missing and cannot be fetched, or is not what the lock says it is."""


class OracleError(SuiteError):
    """The real client could not be driven: the oracle's own failure, never an answer."""


class ClusterError(SuiteError):
    """A cluster of real brokers does not start, or one of its brokers has ended by itself."""


class FatalClassError(OracleError):
    """A class of the client ends the process that loads it, or never comes to an end of it."""


class ClientFailedError(OracleError):
    """The client itself failed in what a case takes for granted, such as making a partitioner.

    ``thrown`` is the name of the exception's class.
    """

    def __init__(self, what: str, remedy: str, thrown: str) -> None:
        super().__init__(what, remedy)
        self.thrown = thrown

    def __reduce__(self) -> tuple[type["ClientFailedError"], tuple[str, ...]]:  # type: ignore[override]
        return type(self), (self.what, self.remedy, self.thrown)
