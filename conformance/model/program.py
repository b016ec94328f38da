"""Programs: lists of reflective Java calls that cross into the JVM once.

A call through JPype costs microseconds; a history has hundreds of them. So a behaviour writes
its case down as a *program* (plain integers and one blob of bytes), ``Runner.java`` interprets
it beside the client, and the answers come back as one JSON text. Nothing here imports JPype: a
program can be written, and tested, without a JVM.

A program works on *slots*, numbered variables that hold Java objects. What a call answered is
*emitted* (appended to the results) or not, by its :class:`Mode`.
"""

import struct
from collections.abc import Callable, Hashable, Sequence
from enum import IntEnum
from itertools import chain
from typing import Any, Final, Protocol, TypeAlias

Argument: TypeAlias = tuple[int, ...]
"""One encoded argument; made by the functions below and by :class:`Program`."""

# The same numbers stand in Runner.java.
_CALL, _EACH, _LET, _SEED, _MOCK, _DRAWS, _SKIP_IF, _EMIT = range(8)
_NULL, _SLOT, _INT, _BOOLEAN, _BYTES, _TEXT, _INTS, _LONG, _DOUBLE, _SLOT_OR, _TEXTS = range(11)

NULL: Final[Argument] = (_NULL,)


class Mode(IntEnum):
    """What happens to a call's outcome."""

    SILENT = 0
    """Kept in a slot, not emitted; an exception is the oracle's own failure."""
    ANSWER = 1
    """Emitted, also if it is an exception: this is the call that the case asks for."""
    OBSERVE = 2
    """Emitted; a null receiver gives null. An exception is the oracle's own failure."""
    FOLLOW = 3
    """Like OBSERVE, but only kept in a slot: one link of a chain of fields."""
    TRY = 4
    """Like ANSWER, but any answer is emitted as null: an intermediate step."""


class Linker(Protocol):
    """Resolves names in one client's class loader to the numbers that programs use.

    A missing name raises :class:`~conformance.errors.OracleError`.

    Parameter types are Java's names: ``int``, ``java.lang.String``, ``[B``, ``[I``, a class.
    """

    def method(self, class_name: str, name: str, *parameters: str) -> int:
        """The method of that class with exactly these parameters, public or not."""

    def constructor(self, class_name: str, *parameters: str) -> int:
        """The constructor with exactly these parameters, public or not."""

    def private_method(self, class_name: str, name: str, *parameters: str) -> int:
        """The same, or the only method with exactly these parameters, whatever its name."""

    def type_returned(self, class_name: str, name: str, *parameters: str) -> str:
        """The name of the class that a method answers an object of."""

    def field(self, class_name: str, name: str, of_type: str = "") -> int:
        """The field of that class, to be read.

        ``of_type`` is what it has to be, a class's or an interface's name, with the arguments of
        a generic one: ``java.util.Map<java.lang.String, java.lang.Integer>``. Then a field of
        another name does as well if it is the only such one of the class.
        """

    def setter(self, class_name: str, name: str) -> int:
        """The field of that class, to be set, final or not; takes the value as its argument."""

    def has(self, class_name: str, member: str = "", of_type: str = "") -> bool:
        """Whether the client has that class, or in it a field or method of that name.

        With ``of_type``, whether it has what :meth:`field` answers.
        """

    def mock_by(self, class_name: str, field: str) -> None:
        """Choose the static field that :meth:`Program.mock` sets, a ``Supplier`` or null."""

    def allocator(self, class_name: str) -> int:
        """Makes an object of that class without a constructor: every field is null or 0."""

    def neighbour(self, source: str, class_name: str, beside: str) -> Any:
        """Compile a class of the suite's own Java into the package of the client's ``beside``.

        Once per client: a name stands for one source. From then on the class can be linked by its
        name, like the client's own.
        """


class LoadedClient(Linker, Protocol):
    """One real client in a JVM, driven by classes of the suite's own Java."""

    version: str
    """The version that its jar declares."""
    loader: Any
    """Its class loader."""

    def java_class(self, name: str) -> Any:
        """The client's class of that name, as JPype sees it; a class that moved has both names."""

    def helper(self, source: str, class_name: str) -> Any:
        """A class of the suite's own Java that may name this client's public classes."""


def slot(number: int) -> Argument:
    """The object in a slot."""
    return (_SLOT, number)


def slot_or(number: int, otherwise: int) -> Argument:
    """The object in a slot, or that ``int`` where the slot holds null (its call failed)."""
    return (_SLOT_OR, number, otherwise)


def integer(value: int) -> Argument:
    """A Java ``int``, which must be in its range."""
    return (_INT, value)


def boolean(value: bool) -> Argument:
    """A Java ``boolean``."""
    return (_BOOLEAN, int(value))


def integers(values: list[int]) -> Argument:
    """A fresh Java ``int[]``."""
    return (_INTS, len(values), *values)


def long(value: int) -> Argument:
    """A Java ``long``."""
    if 0 <= value < 2**31:  # most times and sizes, at a fraction of the cost
        return (_LONG, 0, value)
    return (_LONG, *_halves(value))


def double(value: float) -> Argument:
    """A Java ``double``, bit for bit (any NaN payload)."""
    return (_DOUBLE, *struct.unpack(">2i", struct.pack(">d", value)))


def _halves(value: int) -> tuple[int, int]:
    high, low = struct.unpack(">2i", struct.pack(">Q", value & 0xFFFFFFFFFFFFFFFF))
    return high, low


class Program:
    """Builds one program; ``code`` and ``blob`` cross into the JVM."""

    def __init__(self) -> None:
        self.code: list[int] = []
        self.blob = bytearray()
        self._slots = 0
        self._written: dict[Hashable, list[int]] = {}

    @property
    def slots(self) -> int:
        """How many slots the program uses."""
        return self._slots

    def new_slot(self) -> int:
        """A slot that nothing else uses."""
        self._slots += 1
        return self._slots - 1

    def data(self, value: bytes | None) -> Argument:
        """A fresh Java ``byte[]``, or null."""
        if value is None:
            return NULL
        self.blob += value
        return (_BYTES, len(self.blob) - len(value), len(value))

    def text(self, value: str | None) -> Argument:
        """A Java string, or null; lone surrogates survive, as they do in Java."""
        if value is None:
            return NULL
        encoded = value.encode("utf-16-be", "surrogatepass")
        self.blob += encoded
        return (_TEXT, len(self.blob) - len(encoded), len(encoded))

    def texts(self, values: Sequence[str | None]) -> Argument:
        """A fresh Java ``String[]``, nulls among them."""
        return (_TEXTS, len(values), *chain.from_iterable(map(self.text, values)))

    def call(
        self,
        symbol: int,
        receiver: Argument = NULL,
        *arguments: Argument,
        mode: Mode = Mode.SILENT,
        into: int = -1,
    ) -> None:
        """Call a method, run a constructor or read a field, with the outcome kept in ``into``."""
        code = self.code
        code += (_CALL, symbol, into, mode, *receiver, len(arguments))
        for argument in arguments:
            code += argument

    def again(self, key: Hashable, write: Callable[[], None]) -> None:
        """Add the code that ``write`` adds; reuse it for a key that occurred before.

        That code may read only slots that the key stands for, and slots that it fills itself.
        """
        written = self._written.get(key)
        if written is not None:
            self.code += written
            return
        start = len(self.code)
        write()
        self._written[key] = self.code[start:]

    def each(self, constructor: int, rows: list[tuple[Argument, ...]], *, columns: int) -> int:
        """Construct one object per row; answers the slot of the ``ArrayList`` that holds them."""
        into = self.new_slot()
        code = self.code
        code += (_EACH, constructor, into, len(rows), columns)
        code += chain.from_iterable(chain.from_iterable(rows))
        return into

    def let(self, argument: Argument) -> int:
        """Keep one object, such as an array that a call will change; answers its slot."""
        into = self.new_slot()
        self.code += (_LET, into, *argument)
        return into

    def seed(self, first: int, tail: int) -> None:
        """Seed the thread's ``ThreadLocalRandom`` for a draw, and mock nothing.

        The int32 that it draws first, and the 32 bits that fix the next ones; see
        :mod:`conformance.draws`.
        """
        self.code += (_SEED, first, tail - 2**32 if tail >= 2**31 else tail)

    def mock(self, value: int) -> None:
        """Make the client's random source answer this int32; see :meth:`Linker.mock_by`."""
        self.code += (_MOCK, value)

    def draws(self) -> None:
        """Emit how many values were drawn since the last :meth:`seed` or :meth:`mock`."""
        self.code.append(_DRAWS)

    def emit(self, kept: int) -> None:
        """Emit what a slot holds."""
        self.code += (_EMIT, kept)

    def skip_if(self, condition: int) -> int:
        """Skip the code up to :meth:`end_skip` if that slot holds ``true``."""
        self.code += (_SKIP_IF, condition, 0)
        return len(self.code)

    def end_skip(self, opened: int) -> None:
        """The end of the code that :meth:`skip_if` skips."""
        self.code[opened - 1] = len(self.code) - opened
