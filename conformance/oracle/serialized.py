"""What every serializer of a client makes of some values: more than keys usually have."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import jpype

from conformance.errors import OracleError, SuiteError
from conformance.model.program import LoadedClient
from conformance.oracle.kafka_classes import COMMON
from conformance.oracle.looking import look_at_each

_PACKAGE: Final = f"{COMMON}.serialization"
_WHOLE: Final = (0, 1, -1, 127, 128, -128, 255, 256, 2**15 - 1, -(2**15), 2**31 - 1, -(2**31))
_TEXTS: Final = ("", "a", "\0", "\u00e9", "e\u0301", "\u20ac", "\U0001f600", "x" * 300)
_BYTES: Final = (b"", b"\0", b"\x7f\x80\xff", bytes(range(256)))
_FRACTIONS: Final = (0.0, -0.0, 1.5, -1e-40, 3.4028234e38, float("inf"), float("nan"))

Serialized = Mapping[str, Mapping[str, str] | SuiteError]
"""By serializer (its simple name) and by value, the bytes as hex digits, or what was thrown.

Of one that cannot be asked, the reason.
"""


def serialized_by(jars: Sequence[Sequence[Path]]) -> list[Serialized | SuiteError]:
    """For each client (the jars of its class loader, its own first) what its serializers make."""
    return look_at_each(_serialized, jars)


def _serialized(java: LoadedClient) -> Serialized:
    try:
        values = _values(java)
        return {name: of for name in _names(java) if (of := _of_one(java, name, values))}
    except (jpype.JException, TypeError) as error:  # or JPype finds no such constructor
        raise _cannot("The serializers", java, error) from error


def _of_one(
    java: LoadedClient, name: str, values: Mapping[str, Sequence[tuple[str, Any]]]
) -> Mapping[str, str] | SuiteError | None:
    """What a serializer makes of the values of its type; None if it cannot be made by itself."""
    try:
        wanted = java.java_class(f"{_PACKAGE}.{name}").class_
        constructors = [one for one in wanted.getConstructors() if not one.getParameterCount()]
        if not constructors:  # an interface, or what wants more than it can be given
            return None
        serializer = constructors[0].newInstance()
        if name == "ListSerializer":
            inner = java.java_class(f"{_PACKAGE}.IntegerSerializer")()
            serializer = java.java_class(f"{_PACKAGE}.{name}")(inner)
        types = [one.getParameterTypes() for one in wanted.getMethods() if _serializes(one)]
    except OracleError as error:  # which names the class
        return error
    except jpype.JException as error:
        return _cannot(name, java, error)
    given = {str(one[1].getName()) for one in types}
    mine = [value for type_name in sorted(given) for value in values.get(type_name, [])]
    return {told: _bytes(serializer, value) for told, value in [*mine, ("null", None)]}


def _cannot(what: str, java: LoadedClient, error: Exception) -> OracleError:
    return OracleError(
        f"{what} of kafka-clients {java.version} cannot be asked: {error}.",
        "This client differs from the versions that the suite knows.",
    )


def _names(java: LoadedClient) -> list[str]:
    """Of all serializers that the client's own jar has."""
    folder = _PACKAGE.replace(".", "/")
    names = set()
    for url in java.loader.getURLs():
        with zipfile.ZipFile(str(jpype.JClass("java.io.File")(url.toURI()))) as jar:
            inside = (Path(one) for one in jar.namelist() if one.startswith(f"{folder}/"))
            names |= {one.stem for one in inside if one.name.endswith("Serializer.class")}
    return sorted(names)


def _serializes(method: Any) -> bool:
    return str(method.getName()) == "serialize" and int(method.getParameterCount()) == 2


def _bytes(serializer: Any, value: Any) -> str:
    try:
        made = serializer.serialize("t", value)
    except jpype.JException as error:
        return f"throws {error.getClass().getName()}"
    return "null" if made is None else bytes(made).hex()


def _values(java: LoadedClient) -> dict[str, list[tuple[str, Any]]]:
    """By the type that a serializer takes: values, each with what it is called."""
    boxed: dict[str, tuple[Any, ...]] = {
        "Short": tuple(one for one in _WHOLE if -(2**15) <= one < 2**15),
        "Integer": _WHOLE,
        "Long": (*_WHOLE, 2**53 + 1, 2**63 - 1, -(2**63)),
        "Float": _FRACTIONS,
        "Double": (*_FRACTIONS, 5e-324, 1.7976931348623157e308),
        "Boolean": (True, False),
    }
    numbers = {
        f"java.lang.{name}": [(repr(one), jpype.JClass(f"java.lang.{name}")(one)) for one in all_of]
        for name, all_of in boxed.items()
    }
    arrays = [(one[:8].hex(), jpype.JArray(jpype.JByte)(one)) for one in _BYTES]
    buffer = jpype.JClass("java.nio.ByteBuffer")
    bytes_class = java.java_class(f"{COMMON}.utils.Bytes")
    part = buffer.wrap(jpype.JArray(jpype.JByte)(b"abcdef"), 2, 3)
    integers = jpype.java.util.ArrayList([jpype.java.lang.Integer(one) for one in (7, -1)])
    uuid = jpype.JClass("java.util.UUID")
    return numbers | {
        "java.lang.String": [(ascii(one[:8]), jpype.JString(one)) for one in _TEXTS],
        "[B": arrays,
        bytes_class.class_.getName(): [(told, bytes_class(one)) for told, one in arrays],
        "java.nio.ByteBuffer": [
            *((told, buffer.wrap(one)) for told, one in arrays),
            ("the middle of one", part),
            ("a slice", part.slice()),
            ("a direct one", buffer.allocateDirect(5).putInt(1)),
        ],
        "java.util.UUID": [(hex(one), uuid(one, ~one)) for one in (0, 2**62 + 1)],
        "java.util.List": [("[7, -1]", integers), ("[]", jpype.java.util.ArrayList())],
    }
