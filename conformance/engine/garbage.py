"""Python's collector of garbage while cases are generated and performed."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_YOUNG_OBJECTS: Final = 100_000
"""Containers that were made and not freed. Python's own number is 700 or 2,000, by its version."""


@contextmanager
def collected_rarely() -> Iterator[None]:
    """Look for cycles only after many new objects, and not in what was there before.

    Cases, programs and traces are many small containers, of which hardly any is in a cycle. With
    Python's own thresholds a fifth of the time for a case goes into looking for some. Puts the
    thresholds back.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
