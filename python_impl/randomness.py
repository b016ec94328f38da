"""Where the ports draw from when the caller does not hand them a source."""

import random
from collections.abc import Callable
from typing import TypeAlias

RandomInts: TypeAlias = Callable[[], int]
"""Answers the next int32 (-2**31 to 2**31 - 1), as ``ThreadLocalRandom.nextInt()`` does."""

_random = random.Random()


def random_int32() -> int:
    """A uniformly distributed int32; the ports' default source."""
    return _random.getrandbits(32) - 2**31
