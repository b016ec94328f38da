"""What the distributions' ways of asking a subject share."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Answers, Ask, Block, ImpossibleAnswerError
from conformance.model.subject import CouldNotTryError
from conformance.model.values import INT32_RANGE, shown_number
from conformance.oracle.jvm import thread_random_seed


def seed_of_java(client: ClientVersion) -> str:
    """The purpose of a real client's seeds: no two versions get the same randomness."""
    return f"java {client.version}"


def java_draws(block: Block, client: ClientVersion) -> AbstractContextManager[None]:
    """While it lasts, a real client draws in this thread what this block alone determines."""
    return thread_random_seed(block.seed_for(seed_of_java(client)))


def port_random(block: Block, client: ClientVersion, draws: int) -> Callable[[], int]:
    """A port's source of randomness: int32 values that only this block determines.

    Fetching them in one go is ten times cheaper than drawing them one by one; a port that needs
    more than ``draws`` goes on drawing.
    """
    generator = block.generator(f"port {client.version}")

    def values() -> Any:
        while True:
            yield from generator.integers(-(2**31), 2**31, draws, dtype=np.int64).tolist()

    return values().__next__  # type: ignore[no-any-return]


def asked(
    ask: Ask, behaviour: str, client: ClientVersion, block: Block, members: Mapping[str, Any]
) -> Answers:
    """What a testee answers; raises :class:`CouldNotTryError` if it has no way to.

    Raises :class:`ImpossibleAnswerError` for a number beyond int32, which is no partition.
    """
    answer = ask(behaviour, client.version, block.seed_for("testee"), members)
    if isinstance(answer, str):
        raise CouldNotTryError(answer)
    for number in (min(answer, default=0), max(answer, default=0)):
        if number not in INT32_RANGE:
            raise ImpossibleAnswerError(f"answered {shown_number(number)}")
    return np.array(answer, np.int32)


def empty_answers(*shape: int) -> Answers:
    """Room for answers that Java writes through a direct buffer."""
    return np.empty(shape, np.int32)
