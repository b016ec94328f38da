"""What only a port in Python can be asked: values of other types, and what no type of Java holds.

Java cannot show such a difference. So a step is asked again with the same value as another type,
which has to give the same answer, and with what Java's compiler refuses, which has to be refused.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from conformance.model.trace import Answer, answer_of

SHORT: Final = 64
"""Bytes of a key that is cheap enough to be asked about more than once."""


def other_buffers(key: bytes) -> Iterator[bytearray | memoryview]:
    """The same bytes as other buffers, one of them part of a longer one, one of wider items."""
    yield bytearray(key)
    yield memoryview(key)
    yield memoryview(b"<" + key + b">")[1:-1]
    if key and len(key) % 4 == 0:
        yield memoryview(key).cast("I")


def no_ints(count: int) -> tuple[Any, ...]:
    """What is not an int32 of Java, though it looks like one."""
    return count + 2**32 if count >= 0 else count - 2**32, count + 0.5, str(count)


def asked_in_python(
    answer: Answer, again: Iterable[Callable[[], Answer]], refused: Iterable[Callable[[], Answer]]
) -> Answer:
    """The answer, if it is the same ``again`` and if what has to be ``refused`` is; or else all."""
    others = [answer_of(ask) for ask in again]
    taken = [told for told in map(_taken, refused) if told is not None]
    return (
        answer if others.count(answer) == len(others) and not taken else [answer, *others, *taken]
    )


def _taken(ask: Callable[[], Answer]) -> str | None:
    try:
        return f"{ask()} for what is no value of Java"
    except Exception:  # whatever it says of that
        return None
