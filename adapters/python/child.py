"""Work that may crash or never end: a child process does it, which can be ended."""

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from testee import CouldNotTry

# A copy of this process has the libraries loaded. There must be no threads in it when it is copied.
_FORK = multiprocessing.get_context("fork")


class Crashed(Exception):  # noqa: N818 - as Hung
    """The child died of it."""


class Hung(Exception):  # noqa: N818 - what the library did, not what we did
    """The child came to no end, and was ended."""


def in_child(seconds: float, work: Callable[..., Any], *arguments: Any) -> Any:
    """What the work answers."""
    ours, theirs = _FORK.Pipe(duplex=False)
    child = _FORK.Process(target=_send, args=(theirs, work, arguments), daemon=True)
    child.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            raise Hung(f"no answer within {seconds} s")
        kind, answer = ours.recv()
    except EOFError:
        child.join()
        raise Crashed(f"exit code {child.exitcode}") from None
    finally:
        child.kill()
        child.join()
        ours.close()
    if kind is not None:
        raise kind(answer)
    return answer


def _send(to: Connection, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        to.send((None, work(*arguments)))
    except CouldNotTry as reason:
        to.send((CouldNotTry, str(reason)))
    except Exception as error:
        to.send((RuntimeError, f"{type(error).__name__}: {error}"))
