"""What a program emitted, read back in order."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from conformance.trace import Answer, thrown

# Tags in the upper half of each emitted value; the same numbers stand in Runner.java.
_T_INT, _T_NULL, _T_ERROR, _T_OBJECT, _T_ARRAY = range(5)
OBJECT = "object"
"""The answer that stands for any Java object that is not a number, a boolean or an array."""


class Results:
    """A reader over the values that a program emitted, in the order of its instructions."""

    def __init__(self, emitted: npt.NDArray[np.int64], error_name: Callable[[int], str]) -> None:
        self._tags: list[int] = (emitted >> 32).tolist()
        self._values: list[int] = emitted.astype(np.int32).tolist()
        self._next = 0
        self._error_name = error_name

    def answer(self) -> Answer:
        """The next emitted value: int, list of ints, None, an error, or :data:`OBJECT`."""
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
        if tag == _T_OBJECT:
            return OBJECT
        self._next += value
        return self._values[at + 1 : at + 1 + value]

    def finish(self) -> None:
        """Assert that everything emitted was read: a misread trace must not look like one."""
        if self._next != len(self._tags):
            raise AssertionError(
                f"{len(self._tags) - self._next} emitted values were not read: "
                "the program and the code that reads its results disagree"
            )
