"""How a process ended, in words."""

import signal
from contextlib import suppress


def how_it_ended(code: int) -> str:
    """What its exit code says, to stand after its name; below 0: the signal that killed it."""
    if code >= 0:
        return f"exited with code {code}"
    with suppress(ValueError):
        return f"was killed by {signal.Signals(-code).name}"
    return f"was killed by signal {-code}"
