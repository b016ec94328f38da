"""What a program emitted, read back in order."""

import struct
from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from conformance.model.behaviour import Reader
from conformance.model.trace import Answer
from conformance.model.values import INT64, double_of_bits, mapping, thrown

# Tags in the upper half of each emitted word; the same numbers stand in Runner.java.
_T_INT, _T_NULL, _T_ERROR, _T_INTS, _T_BYTES, _T_TEXT, _T_LIST, _T_MAP, _T_LONG, _T_DOUBLE = (
    *range(10),
)


def _text(words: list[int]) -> str:
    try:
        return bytes(words).decode("latin-1")  # most texts, in a third of the time
    except ValueError:
        return struct.pack(f">{len(words)}H", *words).decode("utf-16-be", "surrogatepass")


def _long(words: list[int]) -> Answer:
    high, low = words
    return {INT64: str(high << 32 | low & 0xFFFFFFFF)}  # two words hold nothing else


def _double(words: list[int]) -> Answer:
    return double_of_bits(struct.pack(">2i", *words))


_OF_WORDS: Final[dict[int, Callable[[list[int]], Answer]]] = {
    _T_INTS: list,
    _T_BYTES: bytes,
    _T_TEXT: _text,
    _T_LONG: _long,
    _T_DOUBLE: _double,
}


class Results(Reader):
    """A reader over the values that a program emitted, in the order of its instructions."""

    def __init__(self, emitted: npt.NDArray[np.int64], error_name: Callable[[int], str]) -> None:
        self._tags: list[int] = (emitted >> 32).tolist()
        self._values: list[int] = emitted.astype(np.int32).tolist()
        self._next = 0
        self._error_name = error_name

    def answer(self) -> Answer:
        """The next emitted value."""
        at = self._next
        self._next = at + 1
        tag = self._tags[at]
        value = self._values[at]
        if tag == _T_INT:
            return value
        if tag == _T_NULL:
            return None
        if tag == _T_ERROR:
            return thrown(self._error_name(value))
        return self._longer(tag, value)

    def _longer(self, tag: int, size: int) -> Answer:
        """A value of several words, the first of which tells its type and how many follow."""
        if tag == _T_LIST:
            return [self.answer() for _ in range(size)]
        if tag == _T_MAP:
            return mapping([(self.answer(), self.answer()) for _ in range(size)])
        begin, self._next = self._next, self._next + size
        return _OF_WORDS[tag](self._values[begin : self._next])

    def finish(self) -> None:
        """Assert that everything emitted was read: a misread trace must not look like one."""
        if self._next != len(self._tags):
            raise AssertionError(
                f"{len(self._tags) - self._next} emitted values were not read: "
                "the program and the code that reads its results disagree"
            )
