"""What a testee can do wrong, as messages for its author."""

from conformance.errors import SuiteError

_REMEDY = (
    "docs/protocol.md says what a testee has to do; with --transcripts FOLDER the suite writes "
    "down what was said."
)


class TesteeError(SuiteError):
    """A testee broke the protocol, or could not be asked: nothing it said counts."""

    def __init__(self, what: str, remedy: str = _REMEDY) -> None:
        super().__init__(what, remedy)


class TesteeDiedError(TesteeError):
    """A testee ended while it owed an answer; ``how``: the same each time that it ends so."""

    def __init__(self, what: str, how: str) -> None:
        super().__init__(what)
        self.how = how

    def __reduce__(self) -> tuple[type["TesteeDiedError"], tuple[str, str]]:
        return type(self), (self.what, self.how)


class TesteeLimitError(TesteeError):
    """A testee took more time or memory than it is given."""
