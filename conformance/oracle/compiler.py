"""Compile the suite's own Java: with ECJ, a compiler in one jar, so a JRE is enough.

ECJ gets a class loader of its own, so neither it nor what it compiles can be seen by a client, or
shadow anything in one. What it made is kept in the user's cache, by all that it was made from.
"""

import hashlib
import os
import tempfile
import time
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

import jpype
import platformdirs

from conformance.errors import OracleError, SuiteError
from conformance.files import first_writable
from conformance.java_home import MINIMUM_JAVA

KEPT_DAYS: Final = 30


def url_class_loader(jars: Sequence[Path], parent: Any) -> Any:
    """A ``java.net.URLClassLoader`` over jar files."""
    urls = [jpype.JClass("java.io.File")(str(jar)).toURI().toURL() for jar in jars]
    return jpype.JClass("java.net.URLClassLoader")(urls, parent)


def platform_loader() -> Any:
    """The class loader of the JDK's own classes."""
    return jpype.JClass("java.lang.ClassLoader").getPlatformClassLoader()


class Compiler:
    """ECJ, and the jars of classes that it made before.

    ``ecj`` is its jar. The sources are of Java 17 and may have several classes: nested ones, and
    further ones of the same file. Needs a running JVM. Raises :class:`OracleError` for a source
    that does not compile, or has no folder to go to.
    """

    def __init__(self, ecj: Path, *, folder: Path | None = None) -> None:
        self._ecj = ecj
        self._folder = folder

    def made(self, source: str, class_name: str, jars: Sequence[Path] = ()) -> Path:
        """The jar of classes that a source becomes, made now unless it is there and whole.

        The source may name the JDK's classes and those in ``jars``.
        """
        folder = self._folder or _usual_folder()
        parts = [class_name, source, *(_digest(jar) for jar in (self._ecj, *jars))]
        key = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        made = folder / f"{key}.jar"
        if _is_whole(made):
            with suppress(OSError):
                os.utime(made)  # it is in use, so it is not old
            return made
        try:
            folder.mkdir(parents=True, exist_ok=True)  # somebody may have emptied the cache
            with tempfile.TemporaryDirectory(prefix=".compile-", dir=folder) as scratch:
                self._compile(source, class_name, jars, Path(scratch))
                (Path(scratch) / "made.jar").replace(made)
        except OSError as error:
            reason = error.strerror or error
            raise OracleError(
                f"The suite's own Java cannot be compiled into {folder}: {reason}.",
                "Make room there, or set XDG_CACHE_HOME to a writable folder.",
            ) from error
        _forget_old(folder)
        return made

    def _compile(self, source: str, class_name: str, jars: Sequence[Path], scratch: Path) -> None:
        file = scratch / f"{class_name.rpartition('.')[2]}.java"
        file.write_text(source, "utf-8")
        classes = scratch / "classes"
        told = jpype.JClass("java.io.StringWriter")()
        printer = jpype.JClass("java.io.PrintWriter")(told)
        options = [
            *(f"-{MINIMUM_JAVA}", "-proc:none", "-nowarn", "-g", "-encoding", "UTF-8", "-Xemacs"),
            # Without one it would take the JVM's own.
            *("-classpath", os.pathsep.join(str(jar) for jar in jars) or str(scratch)),
            *("-d", str(classes), str(file)),
        ]
        if not _batch_compiler(self._ecj).compile(
            jpype.JArray(jpype.JString)(options), printer, printer, None
        ):
            raise OracleError(
                f"The suite's own Java source for {class_name} does not compile: "
                f"{_problems(str(told), scratch)}.",
                "Either this client has other classes than the versions that the suite knows, or "
                "this is a bug in the suite: then please report it.",
            )
        with zipfile.ZipFile(scratch / "made.jar", "w") as archive:
            for path in sorted(classes.rglob("*.class")):
                # The same bytes each time: without the time at which they were written.
                name = path.relative_to(classes).as_posix()
                archive.writestr(zipfile.ZipInfo(name), path.read_bytes())


def load_class(made: Path, class_name: str, parent: Any = None) -> Any:
    """A class of a jar that :meth:`Compiler.made` answered, as JPype sees it.

    In a loader of its own, above which is ``parent``, or the platform's.
    """
    loader = url_class_loader([made], platform_loader() if parent is None else parent)
    return jpype.JClass(class_name, loader=loader)


def define_class(made: Path, class_name: str, beside: Any) -> Any:
    """The same in the package, and the loader, of another class, whose internals it may use.

    ``beside`` is its ``java.lang.Class``. A loader defines a name only once.
    """
    lookup = jpype.JClass("java.lang.invoke.MethodHandles")
    private = lookup.privateLookupIn(beside, lookup.lookup())
    waiting = _classes(made)
    defined: dict[str, Any] = {}
    while waiting:
        before = len(waiting)
        for name, content in list(waiting.items()):
            # One that derives from another of them comes after it.
            with suppress(jpype.JClass("java.lang.NoClassDefFoundError")):
                defined[name] = private.defineClass(jpype.JArray(jpype.JByte)(content))
                del waiting[name]
        if len(waiting) == before:
            raise OracleError(
                f"The suite's own Java class {class_name} cannot be defined beside "
                f"{beside.getName()}: what {', '.join(waiting)} derives from is missing.",
                "This is a bug in the suite; please report it.",
            )
    return jpype.JClass(defined[class_name])


def _problems(told: str, scratch: Path) -> str:
    """What ECJ says is wrong: ``Stays.java:31: error: ...``, without its drawings of the lines."""
    lines = [line.replace(f"{scratch}{os.sep}", "") for line in told.splitlines()]
    return "; ".join(line for line in lines if ": error: " in line) or " ".join(lines)


@cache
def _batch_compiler(ecj: Path) -> Any:
    loader = url_class_loader([ecj], platform_loader())
    return jpype.JClass("org.eclipse.jdt.core.compiler.batch.BatchCompiler", loader=loader)


@cache
def _usual_folder() -> Path:
    """The user's cache; where that cannot be written, a folder that ends with this process."""
    usual = platformdirs.user_cache_path("kafka-conformance") / "classes"
    with suppress(SuiteError):
        return first_writable("Compiled classes", [usual], "")
    return Path(_until_the_end().name)


@cache
def _until_the_end() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="kafka-conformance-classes-")


@cache
def _digest(jar: Path) -> str:
    return hashlib.sha256(jar.read_bytes()).hexdigest()


def _is_whole(made: Path) -> bool:
    """Whether a jar of classes is there and undamaged."""
    try:
        with zipfile.ZipFile(made) as archive:
            return archive.testzip() is None and bool(archive.namelist())
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError, RuntimeError):
        return False


def _classes(made: Path) -> dict[str, bytes]:
    """The class files of a jar by their names in Java."""
    with zipfile.ZipFile(made) as archive:
        return {
            name.removesuffix(".class").replace("/", "."): archive.read(name)
            for name in archive.namelist()
        }


def _forget_old(folder: Path) -> None:
    """Delete what nobody has used for long; if anybody still needs it, it is made again."""
    for path in folder.glob("*.jar"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > KEPT_DAYS * 86400:
                path.unlink()
