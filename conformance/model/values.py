"""Values of a trace: possible answers, as plain data that JSON holds without loss.

An int32 (and a boolean, as 0 or 1) is an ``int``, text a ``str``, a ``byte[]`` ``bytes``, null
None; a list, or an ``int[]``, is a list of values. Values that JSON or Python would mistake for
these name their type: ``{"int64": "5"}``, ``{"double": "3ff0000000000000"}`` (its bits, so that
NaN equals NaN and 0.0 does not equal -0.0), ``{"map": [[key, value], ...]}`` and ``{"error":
class}``. So two values are equal exactly if they are the same value of the same type.
"""

import json
import marshal
import re
import struct
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

Value: TypeAlias = Any
"""One value; see the module."""

INT64: Final = "int64"
DOUBLE: Final = "double"
MAP: Final = "map"
ERROR: Final = "error"
HEX: Final = "hex"
"""The mark of bytes in JSON; a value in Python never has it."""

INT32_RANGE: Final = range(-(2**31), 2**31)
_INT64_RANGE = range(-(2**63), 2**63)
_DIGITS = re.compile(r"0|-?[1-9][0-9]*")
_BITS = re.compile(r"[0-9a-f]{16}")


def int64(value: int) -> dict[str, str]:
    """A Java ``long``; raises ``ValueError`` for any other number."""
    if value not in _INT64_RANGE:
        raise ValueError(f"{value} is not an int64")
    return {INT64: str(value)}


def double(value: float) -> dict[str, str]:
    """A Java ``double``, bit for bit (any NaN payload)."""
    return double_of_bits(struct.pack(">d", value))


def double_of_bits(bits: bytes) -> dict[str, str]:
    """The same from its eight bytes, because a float may change the bits of a NaN."""
    return {DOUBLE: bits.hex()}


def float_of(digits: str) -> float:
    """The double whose bits are these 16 hexadecimal digits."""
    (value,) = struct.unpack(">d", bytes.fromhex(digits))
    return float(value)


def mapping(pairs: Iterable[tuple[Value, Value]]) -> dict[str, Any]:
    """A ``java.util.Map``: equal to another with the same pairs, in any order.

    No key is there twice, so the keys as JSON tell the order of the pairs.
    """
    return {MAP: sorted(([key, value] for key, value in pairs), key=_in_order)}


def thrown(java_class: str) -> dict[str, str]:
    """The answer of a step that ended in an exception of that (Java) class."""
    return {ERROR: java_class}


def is_error(value: Value) -> bool:
    """Whether a value was made by :func:`thrown`."""
    return isinstance(value, dict) and ERROR in value


def kind_of(value: Value) -> str:
    """The kind of a value, in a few words that distinguish it from other types."""
    if isinstance(value, dict):
        (name,) = value
        return _TYPED[name]
    if isinstance(value, int) and value not in INT32_RANGE:
        return "a number beyond int32"
    return "a list" if isinstance(value, list) else _PLAIN[type(value)]


def shown_number(number: int) -> str:
    """A number for people; a testee's answer may be beyond int32, such as an unsigned hash."""
    if number in INT32_RANGE:
        return str(number)
    if number.bit_length() > 64:
        return f"a number of {number.bit_length()} bits"
    signed = (number + 2**31) % 2**32 - 2**31
    return f"{number} (beyond int32; its last 32 bits, signed, are {signed})"


_TYPED: Final = {INT64: "a long", DOUBLE: "a double", MAP: "a map", ERROR: "an error"}
_PLAIN: Final[dict[type, str]] = {int: "a number", str: "text", bytes: "bytes", type(None): "null"}


def is_value(value: object) -> bool:
    """Whether it is a value, and not one that Python takes for equal to another type's."""
    if type(value) in _PLAIN:
        return True
    if isinstance(value, list):
        # Each answer comes here, so plain ones cost no call, and no generator is made.
        for one in value:  # noqa: SIM110
            if type(one) not in _PLAIN and not is_value(one):
                return False
        return True
    if not isinstance(value, dict) or len(value) != 1:
        return False
    ((name, held),) = value.items()
    return name in _HOLDS and _HOLDS[name](held)


def _is_int64(held: object) -> bool:
    return isinstance(held, str) and bool(_DIGITS.fullmatch(held)) and int(held) in _INT64_RANGE


def _is_double(held: object) -> bool:
    return isinstance(held, str) and bool(_BITS.fullmatch(held))


def _is_map(held: object) -> bool:
    if not isinstance(held, list):
        return False
    pairs = all(isinstance(pair, list) and len(pair) == 2 and is_value(pair) for pair in held)
    if not pairs or held != sorted(held, key=_in_order):
        return False
    return len({to_json(key) for key, _ in held}) == len(held)


_HOLDS: Final[dict[object, Callable[[object], bool]]] = {
    INT64: _is_int64,
    DOUBLE: _is_double,
    MAP: _is_map,
    ERROR: lambda held: isinstance(held, str),
}


def fresh(value: Any) -> Any:
    """A copy of plain data in which no value is the same object as another, or as one before.

    Except those that Python has only once: None, small numbers, texts and bytes of length 0 or 1.
    """
    # Version 2 of the format is the last that knows no references, by which copies keep them.
    return marshal.loads(marshal.dumps(value, 2))


def to_json(value: Any, *, indent: int | None = None) -> str:
    """Values, cases and reports as JSON; bytes become ``{"hex": "..."}``, without loss."""
    return json.dumps(value, indent=indent, default=plain_bytes)


def from_json(text: str) -> Any:
    """The inverse of :func:`to_json`; raises ``ValueError`` for anything that is not JSON."""
    return json.loads(text, object_hook=_decode)


def _in_order(pair: list[Value]) -> str:
    key = pair[0]
    return json.dumps(key) if isinstance(key, str) else to_json(key)


def plain_bytes(value: Any) -> dict[str, str]:
    """Bytes for JSON, as the ``default`` of :func:`json.dumps`."""
    if isinstance(value, bytes):
        return {HEX: value.hex()}
    raise TypeError(f"JSON cannot hold {type(value).__name__} {value!r}")


def _decode(value: dict[str, Any]) -> Any:
    return bytes.fromhex(value[HEX]) if value.keys() == {HEX} else value
