"""Processes whose parent has died, found even if they have dropped their environment.

On Linux a process can ask to be given the orphans among its descendants. Without this a daemon
that forks twice, and clears its environment, would be nobody's, and outlive the run.
"""

import ctypes
import os
import sys
from collections.abc import Collection
from contextlib import suppress
from functools import cache

import psutil

_PR_SET_CHILD_SUBREAPER = 36
_SECONDS = 1.0


@cache
def adopt_orphans() -> None:
    """Let orphans among the descendants of this process become its children, where possible."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def adopted(own: Collection[int]) -> list[psutil.Process]:
    """Children that this process has not started; ``own`` are those of another session it has.

    Whatever else it starts, workers above all, stays in its session; testees do not.
    """
    session = os.getsid(0)
    found = []
    for child in psutil.Process().children():
        with suppress(OSError):
            if child.pid not in own and os.getsid(child.pid) != session:
                found.append(child)
    return found


def end_adopted(own: Collection[int]) -> None:
    """Kill them, and what becomes an orphan by that, and clear their remains away."""
    while orphans := adopted(own):
        for orphan in orphans:
            with suppress(psutil.Error):
                orphan.kill()
        for orphan in orphans:
            try:
                orphan.wait(_SECONDS)
            except psutil.NoSuchProcess:
                continue
            except psutil.Error:  # it hangs in the kernel: nobody can end it
                return
