"""What a program emitted, read back in order."""

import json
from typing import Any, Final

from conformance.model.behaviour import Reader
from conformance.model.trace import Answer
from conformance.model.values import HEX, MAP, mapping


def _value(written: dict[str, Any]) -> Any:
    """A value that names its type, from what ``Answers.java`` wrote."""
    if HEX in written:
        return bytes.fromhex(written[HEX])
    return mapping(written[MAP]) if MAP in written else written


_DECODER: Final = json.JSONDecoder(object_hook=_value)


class Results(Reader):
    """A reader over the values that a program emitted, in the order of its instructions."""

    def __init__(self, emitted: bytes) -> None:
        """``emitted`` is what ``Answers.java`` wrote: a JSON array."""
        self._answers: list[Answer] = _DECODER.decode(emitted.decode("ascii"))
        self._read = 0

    def answer(self) -> Answer:
        """The next emitted value."""
        at = self._read
        self._read = at + 1
        return self._answers[at]

    def finish(self) -> None:
        """Assert that everything emitted was read: a misread trace must not look like one."""
        if self._read != len(self._answers):
            raise AssertionError(
                f"{len(self._answers) - self._read} emitted values were not read: "
                "the program and the code that reads its results disagree"
            )
