"""Keys by the thousand, and their hashes."""

import numpy as np

from python_impl.murmur2 import murmur2


def mixed_keys(count: int, longest: int, seed: int) -> list[bytes]:
    rng = np.random.default_rng(seed)
    return [rng.bytes(size) for size in rng.integers(0, longest, count, endpoint=True)]


def expected(keys: list[bytes | None]) -> list[int | None]:
    return [None if key is None else murmur2(key) for key in keys]
