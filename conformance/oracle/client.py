"""One real Java client: a verified jar in a class loader of its own, run by programs."""

import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jpype
import numpy as np

from conformance.draws import GAMMA, GAMMA_INVERSE, UNMIX_1, UNMIX_2
from conformance.errors import ClientFailedError, FatalClassError, JarError, OracleError
from conformance.jars.lock import compiler_among
from conformance.jars.pyspark import codec_jars
from conformance.jars.verify import version_in
from conformance.java.sources import java_source
from conformance.model.program import Program
from conformance.oracle.class_files import PROBES
from conformance.oracle.compiler import (
    Compiler,
    define_class,
    load_class,
    platform_loader,
    url_class_loader,
)
from conformance.oracle.emitted import Results
from conformance.oracle.jvm import start_jvm
from conformance.oracle.moved import MOVED
from conformance.oracle.program_buffer import ProgramBuffer
from conformance.processes.alone import about

_PRIMITIVES = {
    "boolean": "java.lang.Boolean",
    "double": "java.lang.Double",
    "int": "java.lang.Integer",
    "long": "java.lang.Long",
}
_NO_SUCH = [
    f"java.lang.{name}Exception" for name in ("NoSuchMethod", "NoSuchField", "ClassNotFound")
]
_ALWAYS_THERE = (
    "org.apache.kafka.clients.producer.ProducerRecord",
    "org.apache.kafka.common.TopicPartition",
)
"""Public classes of every version: if neither is whole, this Java does not load the jar."""
_RUNNER = "conformance.oracle.Runner"
_ANSWERS = "conformance.oracle.Answers"
_FAILED_CHECK = "java.lang.IllegalStateException"
"""What our own Java throws if a client does not do what it has to."""
_JAVA = ("java.", "jdk.", "sun.")
_runner_class: Any = None


class JavaClient:
    """A Kafka client library loaded from its jars, isolated from every other one.

    ``jars`` are the client's own jar and what driving it takes (slf4j, the compiler); the parent
    of their loader is the platform's, so nothing of Kafka leaks between versions. ``assertions``
    switches the client's Java ``assert`` statements on (``-ea``); production runs without.
    Implements :class:`conformance.model.program.Linker`. Starts the JVM if need be.
    """

    def __init__(
        self,
        version: str | None,
        jars: Sequence[Path],
        *,
        assertions: bool = False,
        marked: Sequence[Path] = (),
        fatal: Mapping[str, str] | None = None,
    ) -> None:
        """``version`` is what the jar has to call itself; None for a jar of any version.

        ``marked`` are jars with classes of the client in which probes stand, and :data:`PROBES`.
        ``fatal`` are classes that a process did not survive, and how it ended: they are not loaded.
        """
        start_jvm()
        self._fatal = fatal or {}
        self.assertions = assertions
        jars, ecj = compiler_among(jars)
        # 3.8.0 and 3.8.1 ask zstd for its levels as soon as a producer is configured. Where
        # nothing asks and nothing is compressed, these jars are not even opened.
        self._jars = [*jars, *codec_jars()]
        self._compiler = Compiler(ecj)
        self.loader = url_class_loader([*marked, *self._jars], platform_loader())
        self.loader.setDefaultAssertionStatus(assertions)
        self.version = version or jars[0].name
        self.version = self._checked_version(version, jars)
        self._helpers: dict[str, Any] = {}
        self._symbols: dict[tuple[str, ...], int] = {}
        of_draws = (GAMMA, GAMMA_INVERSE, UNMIX_2, UNMIX_1)
        self._runner = _runner(self._compiler)(*map(_signed, of_draws))
        self._buffer = ProgramBuffer()

    def java_class(self, name: str) -> Any:
        """The client's class of that name, as JPype sees it; one that has moved by either name."""
        found = self._find_class(name)
        if found is None:
            raise OracleError(
                f"kafka-clients {self.version} has no class {name}.",
                "Check that this behaviour exists in that version.",
            )
        return found

    def has(self, class_name: str, member: str = "", of_type: str = "") -> bool:
        """See :meth:`conformance.model.program.Linker.has`."""
        found = self._find_class(class_name)
        if found is None or not member:
            return found is not None
        try:
            if of_type:
                return self._field(found.class_, member, of_type) is not None
            declared = found.class_
            members = [*declared.getDeclaredFields(), *declared.getDeclaredMethods()]
        except jpype.JException as error:
            raise self._broken(class_name, error) from error
        return any(str(one.getName()) == member for one in members)

    def _find_class(self, name: str) -> Any:
        """The class, or None; raises :class:`OracleError` for one that is there and broken."""
        return self._class_called(self._as_here(name))

    def _class_called(self, name: str) -> Any:
        self._about_to_load(name)
        try:
            return jpype.JClass(name, loader=self.loader)
        except jpype.JException as error:
            if type(error).__name__ in _NO_SUCH:
                return None
            raise self._broken(name, error) from error

    def _about_to_load(self, name: str) -> None:
        if name in self._fatal:
            raise FatalClassError(
                f"{self._jars[0].name}: class {name} cannot be loaded: {self._fatal[name]}.",
                "See what it does when it is initialised.",
            )
        about(name)

    def _broken(self, name: str, error: Any) -> OracleError:
        told = ", caused by ".join(map(told_of, _chain(error)))
        return OracleError(
            f"{self._jars[0].name}: class {name} cannot be loaded: {told}.",
            "It was built for a newer Java (set JAVA_HOME), lacks a class that it needs, is "
            "damaged, or fails when it is initialised.",
        )

    def method(self, class_name: str, name: str, *parameters: str) -> int:
        """See :meth:`conformance.model.program.Linker.method`."""
        return self._link("method", class_name, name, *parameters)

    def constructor(self, class_name: str, *parameters: str) -> int:
        """See :meth:`conformance.model.program.Linker.constructor`."""
        return self._link("constructor", class_name, "<init>", *parameters)

    def private_method(self, class_name: str, name: str, *parameters: str) -> int:
        """See :meth:`conformance.model.program.Linker.private_method`."""
        wanted = [self._type(parameter) for parameter in parameters]
        methods = self.java_class(class_name).class_.getDeclaredMethods()
        fitting = [one for one in methods if list(one.getParameterTypes()) == wanted]
        if any(str(one.getName()) == name for one in fitting) or len(fitting) != 1:
            return self.method(class_name, name, *parameters)
        return self.method(class_name, str(fitting[0].getName()), *parameters)

    def type_returned(self, class_name: str, name: str, *parameters: str) -> str:
        """See :meth:`conformance.model.program.Linker.type_returned`."""
        self.method(class_name, name, *parameters)  # or it says what is missing
        types = [self._type(parameter) for parameter in parameters]
        found = self.java_class(class_name).class_.getDeclaredMethod(name, *types)
        return str(found.getReturnType().getName())

    def field(self, class_name: str, name: str, of_type: str = "") -> int:
        """See :meth:`conformance.model.program.Linker.field`."""
        found = self._field(self.java_class(class_name).class_, name, of_type) if of_type else None
        return self._link("field", class_name, name if found is None else str(found.getName()))

    def _field(self, owner: Any, name: str, of_type: str) -> Any:
        """The field of that type and name, or the only one of that type; else None."""
        raw, _, arguments = of_type.partition("<")
        wanted = self._class_called(self._as_here(raw))
        if wanted is None:
            return None
        fitting = [
            one
            for one in owner.getDeclaredFields()
            if wanted.class_.isAssignableFrom(one.getType())
            and (not arguments or _arguments(one) in (arguments, ""))
        ]
        named = [one for one in fitting if str(one.getName()) == name]
        return (named or fitting)[0] if named or len(fitting) == 1 else None

    def setter(self, class_name: str, name: str) -> int:
        """See :meth:`conformance.model.program.Linker.setter`."""
        return self._link("field", class_name, name)  # with an argument it is set

    def mock_by(self, class_name: str, field: str) -> None:
        """See :meth:`conformance.model.program.Linker.mock_by`."""
        self._runner.mockBy(self.java_class(class_name).class_.getDeclaredField(field))

    def allocator(self, class_name: str) -> int:
        """See :meth:`conformance.model.program.Linker.allocator`."""
        return int(self._runner.linkClass(self.java_class(class_name).class_))

    def run(self, program: Program) -> Results:
        """Run a program in one crossing; raises :class:`OracleError` if it cannot be run."""
        written = self._buffer.write(program)
        sizes = len(program.code), len(program.blob)
        try:
            emitted = self._runner.run(written, *sizes, program.slots)
        except jpype.JException as error:
            raise self._failure(error) from error
        return Results(bytes(memoryview(emitted)))

    def _failure(self, error: Any) -> OracleError:
        """Whose failure it is that a program did not come to its end: ours, or the client's.

        A check of ours that the client fails is the client's. Anything else that our own Java
        throws says that the client is built otherwise than it expects.
        """
        chain = _chain(error)
        root, where = chain[-1], _thrown_in(chain[-1])
        # The first one, if it has a cause, says only which call of the program it was.
        told = ", caused by ".join(told_of(one) for one in chain[1:] or chain)
        checked = where in self._helpers and told_of(root).startswith(_FAILED_CHECK)
        if where in (_RUNNER, _ANSWERS, *self._helpers) and not checked:
            return OracleError(
                f"kafka-clients {self.version} cannot be driven: {told}.",
                "It is not built as the suite expects. If it is a release that the suite "
                "knows, please report it.",
            )
        return ClientFailedError(
            f"kafka-clients {self.version} failed at a step that every case relies on: {told}.",
            "If it is a release, this is a bug in the suite; please report it.",
            str(root.getClass().getName()),
        )

    def helper(self, source: str, class_name: str) -> Any:
        """A class of the suite's own Java that may name this client's public classes.

        Compiled once: a name stands for one source.
        """
        if class_name not in self._helpers:
            source = self._as_here(source)
            made = self._compiler.made(source, class_name, self._jars)
            self._helpers[class_name] = load_class(made, class_name, self.loader)
        return self._helpers[class_name]

    def neighbour(self, source: str, class_name: str, beside: str) -> Any:
        """The same in the package of the client's class ``beside``, whose internals it may use."""
        if class_name not in self._helpers:
            neighbour = self.java_class(beside).class_
            source = self._as_here(source)
            made = self._compiler.made(source, class_name, self._jars)
            self._helpers[class_name] = define_class(made, class_name, neighbour)
            self._jars.append(made)  # the next ones may name it
        return self._helpers[class_name]

    def _as_here(self, text: str) -> str:
        """A name, a type or a source with the classes that this client has elsewhere."""
        for first, now in MOVED.items():
            if first in text and self._class_called(first) is None:
                text = re.sub(rf"{re.escape(first)}\b", now, text)
        return text

    def last_messages(self) -> list[str]:
        """ "class: message" of each exception among the answers of the last program."""
        return [str(message) for message in self._runner.lastMessages()]

    def probes_that_ran(self) -> list[int]:
        """Their numbers; of a client whose loader got marked classes."""
        ran = jpype.JClass(PROBES, loader=self.loader).RAN
        return [int(number) for number in np.flatnonzero(np.asarray(ran[:]))]

    def _link(self, kind: str, class_name: str, name: str, *parameters: str) -> int:
        key = (kind, class_name, name, *parameters)
        if key not in self._symbols:
            java_class = self.java_class(class_name).class_
            try:
                types = [self._type(parameter) for parameter in parameters]
                if kind == "method":
                    symbol = java_class.getDeclaredMethod(name, *types)
                elif kind == "constructor":
                    symbol = java_class.getDeclaredConstructor(types)
                else:
                    symbol = java_class.getDeclaredField(name)
            except jpype.JException as error:
                if type(error).__name__ not in _NO_SUCH:
                    raise self._broken(class_name, error) from error
                of = "" if kind == "field" else f"({', '.join(parameters)})"
                raise OracleError(
                    f"kafka-clients {self.version} has no {kind} {class_name}.{name}{of}.",
                    "This client differs from the versions that the suite knows.",
                ) from error
            self._symbols[key] = int(self._runner.link(symbol))
        return self._symbols[key]

    def _type(self, name: str) -> Any:
        if name in _PRIMITIVES:
            return jpype.JClass(_PRIMITIVES[name]).TYPE
        name = self._as_here(name)
        self._about_to_load(name)
        return jpype.JClass("java.lang.Class").forName(name, True, self.loader)

    def _checked_version(self, version: str | None, jars: Sequence[Path]) -> str:
        try:
            self.java_class(_ALWAYS_THERE[0])
        except OracleError as first:
            try:
                self.java_class(_ALWAYS_THERE[1])
            except OracleError:
                raise first from None
        with zipfile.ZipFile(jars[0]) as archive:
            reported = version_in(archive) or "unknown"
        if version is not None and reported != version:
            raise JarError(
                f"The client loaded from {jars[0]} calls itself {reported}, not {version}.",
                "Put the right jar there, or delete it and run: kafka-conformance jars",
            )
        return reported


def _arguments(field: Any) -> str:
    """The type arguments of a field; empty where it has none."""
    return str(field.getGenericType().getTypeName()).partition("<")[2]


def _chain(error: Any) -> list[Any]:
    """An exception of Java's, and its causes."""
    chain = [error]
    while chain[-1].getCause() is not None:
        chain.append(chain[-1].getCause())
    return chain


def told_of(error: Any) -> str:
    """An exception of Java's in words that are the same each time: class and message."""
    message = error.getMessage()
    name = str(error.getClass().getName())
    return name if message is None else without_identity(f"{name}: {message}")


def without_identity(text: str) -> str:
    """What Java prints of objects, without what is another each time: hashes, names of lambdas."""
    return re.sub(r"@[0-9a-f]{2,}\b", "", re.sub(r"\$\$Lambda[$/][\w/]*", "$$Lambda", text))


def _thrown_in(error: Any) -> str:
    """The class, an outer one, whose code threw an exception, or called Java's that did."""
    names = (str(frame.getClassName()) for frame in error.getStackTrace())
    return next((one.split("$")[0] for one in names if not one.startswith(_JAVA)), "")


def _runner(compiler: Compiler) -> Any:
    """The ``Runner`` class: one for all clients of this process."""
    global _runner_class  # noqa: PLW0603 -- there is one JVM per process, so one runner class
    if _runner_class is None:
        answers = compiler.made(java_source("Answers"), _ANSWERS)
        runner = compiler.made(java_source("Runner"), _RUNNER, [answers])
        loader = url_class_loader([answers, runner], platform_loader())
        _runner_class = jpype.JClass(_RUNNER, loader=loader)
    return _runner_class


def _signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value
