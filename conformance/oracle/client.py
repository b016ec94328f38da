"""One real Java client: a verified jar in a class loader of its own, run by programs."""

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import jpype
import numpy as np

from conformance.draws import GAMMA_INVERSE
from conformance.errors import JarError, OracleError
from conformance.jars.pyspark import pyspark_jars
from conformance.oracle.compiler import compile_class, define_class, url_class_loader
from conformance.oracle.jvm import start_jvm
from conformance.oracle.program import Program
from conformance.oracle.results import Results

_PRIMITIVES = {"int": "java.lang.Integer", "long": "java.lang.Long", "boolean": "java.lang.Boolean"}
_MOCK_RANDOM = ("org.apache.kafka.clients.producer.internals.BuiltInPartitioner", "mockRandom")
_runner_class: Any = None


class JavaClient:
    """A Kafka client library loaded from its jars, isolated from every other one.

    ``jars`` are the client's own jar and what it needs beside it (slf4j); their parent is the
    platform class loader, so nothing of Kafka leaks between versions. ``assertions`` switches
    the client's Java ``assert`` statements on (``-ea``); production runs without.
    Implements :class:`conformance.oracle.program.Linker`. Starts the JVM if need be.
    """

    def __init__(self, version: str, jars: Sequence[Path], *, assertions: bool = False) -> None:
        start_jvm()
        self.version = version
        self.assertions = assertions
        platform = jpype.JClass("java.lang.ClassLoader").getPlatformClassLoader()
        # 3.8.0 and 3.8.1 ask zstd for its levels as soon as a producer is configured; none is
        # ever compressed with. Where nothing asks, the jar is not even opened.
        zstd = sorted(pyspark_jars().glob("zstd-jni-*.jar"))
        self.loader = url_class_loader([*jars, *zstd], platform)
        self.loader.setDefaultAssertionStatus(assertions)
        self._check_version(jars)
        self._helpers: dict[str, Any] = {}
        self._symbols: dict[tuple[str, ...], int] = {}
        self._runner = _runner()(self._mock_random_field(), _signed(GAMMA_INVERSE))

    def java_class(self, name: str) -> Any:
        """The client's class of that name, as JPype sees it."""
        try:
            return jpype.JClass(name, loader=self.loader)
        except jpype.JException as error:
            raise OracleError(
                f"kafka-clients {self.version} has no class {name}.",
                "Check that this behaviour exists in that version.",
            ) from error

    def method(self, class_name: str, name: str, *parameters: str) -> int:
        """See :meth:`conformance.oracle.program.Linker.method`."""
        return self._link("method", class_name, name, *parameters)

    def constructor(self, class_name: str, *parameters: str) -> int:
        """See :meth:`conformance.oracle.program.Linker.constructor`."""
        return self._link("constructor", class_name, "<init>", *parameters)

    def field(self, class_name: str, name: str) -> int:
        """See :meth:`conformance.oracle.program.Linker.field`."""
        return self._link("field", class_name, name)

    def setter(self, class_name: str, name: str) -> int:
        """See :meth:`conformance.oracle.program.Linker.setter`."""
        return self._link("field", class_name, name)  # with an argument it is set

    def allocator(self, class_name: str) -> int:
        """See :meth:`conformance.oracle.program.Linker.allocator`."""
        return int(self._runner.linkClass(self.java_class(class_name).class_))

    def run(self, program: Program) -> Results:
        """Run a program in one crossing; raises :class:`OracleError` if it cannot be run."""
        code = jpype.JArray.of(np.array(program.code, dtype=np.int32))
        blob = jpype.JArray(jpype.JByte)(bytes(program.blob))
        try:
            emitted = self._runner.run(code, blob, program.slots)
        except jpype.JException as error:
            cause = error.getCause()
            raise OracleError(
                f"Driving kafka-clients {self.version} failed: {error}"
                + (f", caused by {cause}" if cause is not None else ""),
                "This is a failure of the suite, not an answer of the client; please report it.",
            ) from error
        return Results(np.asarray(emitted), self._error_name)

    def helper(self, source: str, class_name: str) -> Any:
        """A class of the suite's own Java that may name this client's public classes.

        Compiled once: a name stands for one source.
        """
        if class_name not in self._helpers:
            self._helpers[class_name] = compile_class(source, class_name, self.loader)
        return self._helpers[class_name]

    def neighbour(self, source: str, class_name: str, beside: str) -> Any:
        """The same in the package of the client's class ``beside``, whose internals it may use."""
        if class_name not in self._helpers:
            neighbour = self.java_class(beside).class_
            self._helpers[class_name] = define_class(source, class_name, neighbour)
        return self._helpers[class_name]

    def last_messages(self) -> list[str]:
        """ "class: message" of each exception among the answers of the last program."""
        return [str(message) for message in self._runner.lastMessages()]

    def _link(self, kind: str, class_name: str, name: str, *parameters: str) -> int:
        key = (kind, class_name, name, *parameters)
        if key not in self._symbols:
            java_class = self.java_class(class_name).class_
            types = [self._type(parameter) for parameter in parameters]
            try:
                if kind == "method":
                    symbol = java_class.getDeclaredMethod(name, *types)
                elif kind == "constructor":
                    symbol = java_class.getDeclaredConstructor(types)
                else:
                    symbol = java_class.getDeclaredField(name)
            except jpype.JException as error:
                raise OracleError(
                    f"kafka-clients {self.version} has no {kind} {class_name}.{name}"
                    f"({', '.join(parameters)}).",
                    "This client differs from the versions that the suite knows.",
                ) from error
            self._symbols[key] = int(self._runner.link(symbol))
        return self._symbols[key]

    def _type(self, name: str) -> Any:
        if name in _PRIMITIVES:
            return jpype.JClass(_PRIMITIVES[name]).TYPE
        return jpype.JClass("java.lang.Class").forName(name, True, self.loader)

    def _mock_random_field(self) -> Any:
        class_name, field = _MOCK_RANDOM
        try:
            return self.java_class(class_name).class_.getDeclaredField(field)
        except (OracleError, jpype.JException):
            return None  # no such class before 3.3, no such field since 3.9

    def _check_version(self, jars: Sequence[Path]) -> None:
        reported = str(self.java_class("org.apache.kafka.common.utils.AppInfoParser").getVersion())
        if reported != self.version:
            raise JarError(
                f"The client loaded from {jars[0]} calls itself {reported}, not {self.version}.",
                "Put the right jar there, or delete it and run: kafka-conformance jars",
            )

    def _error_name(self, number: int) -> str:
        return str(self._runner.errorName(number))


def _runner() -> Any:
    """The compiled ``Runner`` class: one for all clients, compiled once per process."""
    global _runner_class  # noqa: PLW0603 -- there is one JVM per process, so one runner class
    if _runner_class is None:
        source = resources.files("conformance.oracle").joinpath("Runner.java").read_text("utf-8")
        _runner_class = compile_class(source, "conformance.oracle.Runner")
    return _runner_class


def _signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value
