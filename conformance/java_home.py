"""Find a Java that can run the oracle, before JPype is asked to load it.

One source of truth: the ``java`` executable that the user would run (``JAVA_HOME`` first,
then ``PATH``) is asked for its own version and home, and the JVM library is looked up there.
"""

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conformance.errors import JavaNotUsableError
from conformance.processes.tree import ProcessTree

MINIMUM_JAVA = 17
JVM_OPTIONS = (
    # Signals belong to Python: Ctrl-C ends a run cleanly.
    "-Xrs",
    "-XX:+UseSerialGC",
    "-Xmx1g",
    # No files in the folder for temporary ones, which a JVM that is killed leaves there.
    "-XX:-UsePerfData",
    "-XX:+DisableAttachMechanism",
    # A crash is reported by the parent process; no hs_err file in the user's folder.
    "-XX:+SuppressFatalErrorMessage",
)
"""What every JVM of the suite is started with; understood by Java 8 and everything since."""

_OPTIONS_OF_USERS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
_SECONDS = 60.0
_REMEDY = (
    f"Install a JDK or JRE of version {MINIMUM_JAVA} or newer "
    "and point JAVA_HOME at it, or put its java on the PATH."
)
_JVM_LIBRARIES = (
    "lib/server/libjvm.so",
    "lib/server/libjvm.dylib",
    "bin/server/jvm.dll",
    "lib/client/libjvm.so",
)


@dataclass(frozen=True)
class JavaInstallation:
    """A Java that answered: its executable, feature version (17, 21 ...) and JVM library."""

    executable: Path
    version: int
    library: Path


def find_java() -> JavaInstallation:
    """The Java that the suite will use.

    Raises :class:`JavaNotUsableError` when there is none, when it does not answer, is older
    than 17, or has no JVM library beside it.
    """
    executable = _java_executable()
    properties = _ask_properties(executable, tuple(map(os.environ.get, _OPTIONS_OF_USERS)))
    version = _feature_version(properties.get("java.specification.version", ""))
    if version is None or version < MINIMUM_JAVA:
        found = properties.get("java.version", "of an unknown version")
        raise JavaNotUsableError(
            f"Java {MINIMUM_JAVA} or newer is needed; {executable} is Java {found}.", _REMEDY
        )
    home = Path(properties.get("java.home", executable.parent.parent))
    for candidate in _JVM_LIBRARIES:
        if os.access(home / candidate, os.R_OK):
            return JavaInstallation(executable, version, home / candidate)
    raise JavaNotUsableError(
        f"{executable} is Java {version}, but there is no JVM library under {home} "
        f"(looked for {', '.join(_JVM_LIBRARIES)}).",
        _REMEDY,
    )


def _java_executable() -> Path:
    java_home = os.environ.get("JAVA_HOME")
    if java_home:
        for name in ("java", "java.exe"):
            candidate = Path(java_home) / "bin" / name
            if os.access(candidate, os.X_OK):
                return candidate
        raise JavaNotUsableError(
            f"JAVA_HOME is {java_home}, but it has no bin/java that can be run.", _REMEDY
        )
    on_path = shutil.which("java")
    if on_path is None:
        raise JavaNotUsableError("No Java: JAVA_HOME is not set, no java on the PATH.", _REMEDY)
    return Path(on_path)


@cache
def _ask_properties(executable: Path, options: tuple[str | None, ...]) -> dict[str, str]:
    """What a Java says of itself, asked once in a process: it takes a JVM to answer."""
    del options  # the JVM reads them itself, and may answer otherwise with others
    # With the suite's options, because a JVM that cannot start inside this process ends it.
    command = [str(executable), *JVM_OPTIONS, "-XshowSettings:properties", "-version"]
    with tempfile.TemporaryFile() as output:
        try:
            tree = ProcessTree(command, stdout=output, stderr=subprocess.STDOUT)
            try:
                code = tree.wait(_SECONDS)
            finally:
                tree.end()
        except subprocess.TimeoutExpired as error:
            raise JavaNotUsableError(
                f"{executable} did not print its version within {_SECONDS:g} s.",
                _REMEDY,
            ) from error
        except OSError as error:
            raise JavaNotUsableError(f"{executable} could not be run: {error}.", _REMEDY) from error
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    if code != 0:
        said = [line.strip() for line in text.splitlines() if line.strip()]
        # The JVM mentions JAVA_TOOL_OPTIONS first, then says what is wrong.
        wrong = [line for line in said if not line.startswith("Picked up ")]
        raise JavaNotUsableError(
            f"{executable} ended with code {code}: "
            f"{' '.join(wrong[:2]).rstrip('.') or 'no message'}.",
            f"Check JAVA_TOOL_OPTIONS, if it is set, and free memory "
            f"(the suite asks for up to 1 GiB). {_REMEDY}",
        )
    return dict(re.findall(r"^\s*(java\.[\w.]+) = (.*)$", text, flags=re.MULTILINE))


def _feature_version(specification: str) -> int | None:
    """17 for "17", 8 for "1.8", None for anything else."""
    match = re.fullmatch(r"(?:1\.)?(\d+)", specification.strip())
    return int(match.group(1)) if match else None
