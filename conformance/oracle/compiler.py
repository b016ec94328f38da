"""Compile the suite's own Java in memory with Janino: no JDK, no class files on disk.

Janino comes with PySpark, which the suite depends on anyway. It gets a class loader of its
own, so neither it nor what it compiles can be seen by a client, or shadow anything in one.
"""

from pathlib import Path
from typing import Any

import jpype

from conformance.errors import OracleError
from conformance.jars.pyspark import REINSTALL_PYSPARK, pyspark_jars


def url_class_loader(jars: list[Path], parent: Any) -> Any:
    """A ``java.net.URLClassLoader`` over jar files."""
    urls = [jpype.JClass("java.io.File")(str(jar)).toURI().toURL() for jar in jars]
    return jpype.JClass("java.net.URLClassLoader")(urls, parent)


def compile_class(source: str, class_name: str, parent: Any = None) -> Any:
    """Compile one Java source and answer the class as JPype sees it.

    ``parent`` is the class loader whose classes the source may name; by default only the JDK's.
    Janino understands Java 8 without lambdas and without generics. Needs a running JVM; raises
    :class:`OracleError` when Janino is missing or the source does not compile.
    """
    compiler = _cook(source, class_name, parent)
    return jpype.JClass(class_name, loader=compiler.getClassLoader())


def define_class(source: str, class_name: str, beside: Any) -> Any:
    """Compile one Java source of one class into the package, and the loader, of another.

    ``beside`` is the ``java.lang.Class`` whose package-private neighbours the source may use.
    As :func:`compile_class` otherwise; a loader defines a name only once.
    """
    compiler = _cook(source, class_name, beside.getClassLoader())
    lookup = jpype.JClass("java.lang.invoke.MethodHandles")
    private = lookup.privateLookupIn(beside, lookup.lookup())
    defined = private.defineClass(compiler.getBytecodes().get(class_name))
    return jpype.JClass(defined)


def _cook(source: str, class_name: str, parent: Any) -> Any:
    """Janino's compiler after it has compiled a source."""
    jars = [
        jar
        for pattern in ("janino-*.jar", "commons-compiler-*.jar")
        for jar in sorted(pyspark_jars().glob(pattern))
    ]
    if len(jars) < 2:
        raise OracleError(
            f"Janino is not among PySpark's jars in {pyspark_jars()}.", REINSTALL_PYSPARK
        )
    platform = jpype.JClass("java.lang.ClassLoader").getPlatformClassLoader()
    janino = url_class_loader(jars, platform)
    compiler = jpype.JClass("org.codehaus.janino.SimpleCompiler", loader=janino)()
    compiler.setParentClassLoader(platform if parent is None else parent)
    try:
        compiler.cook(source)
    except jpype.JException as error:
        raise OracleError(
            f"The suite's own Java source for {class_name} does not compile: {error}.",
            "Either this client has other classes than the versions that the suite knows, or this "
            "is a bug in the suite or an unexpected Janino version: then please report it.",
        ) from error
    return compiler
