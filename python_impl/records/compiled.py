"""Numba's decorators, typed, for the loops that it compiles. Importing this imports Numba."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit
from numba.extending import intrinsic

_Array = TypeVar("_Array")
_Function = TypeVar("_Function", bound=Callable[..., Any])


def jit(function: _Function) -> _Function:
    """Numba's ``njit``; works where there is no directory for its cache."""
    try:
        return cast(_Function, njit(nogil=True, cache=_is_the_ports(function))(function))
    except RuntimeError:  # neither the package's folder nor the user's cache is writable
        return cast(_Function, njit(nogil=True)(function))


def inline(function: _Function) -> _Function:
    """As :func:`jit`, compiled into the caller: constant arguments are constants there.

    An array that is an argument should be :func:`uncounted`: else Numba may count references to
    it at each call.
    """
    return cast(_Function, njit(nogil=True, forceinline=True)(function))


def _is_the_ports(function: Callable[..., Any]) -> bool:
    """Whether a function stands in the port, not in a copy with a mutation.

    What Numba caches bears the module's name and is found by the file's, so a module that was
    loaded under another name must leave the cache alone.
    """
    file = Path(function.__code__.co_filename)
    return function.__module__ == ".".join(file.with_suffix("").parts[-3:])


def _uncounted(typing_context: Any, array: Any) -> Any:  # noqa: ARG001 -- Numba's signature
    def code(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        view = context.make_array(array)(context, builder, arguments[0])
        for counted in ("meminfo", "parent"):
            setattr(view, counted, getattr(view, counted).type(None))
        return view._getvalue()

    return array(array), code


uncounted = cast(Callable[[_Array], _Array], intrinsic(_uncounted))
"""The same array, whose references Numba does not count: that is an atomic addition at each call.

For an argument of what is called from Python, which keeps the array meanwhile.
"""
