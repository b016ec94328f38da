"""Running the command line as its users do: as a process, in an environment of its own."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from conformance.engine.plan import behaviour_named
from conformance.engine.profiles import PROFILES

PROJECT = Path(__file__).parents[2]
PLANTED = Path(__file__).parent / "planted"
SCHEMAS = PROJECT / "conformance" / "schemas"
QUICK = ("--profile", "quick", "--behaviour", "sticky")
ONE_CELL = (*QUICK, "--client", "3.8.0")
# For a command that hangs: much more than any takes, on a slow machine with other work beside, too.
_PATIENCE_SECONDS = 600
# What would change the answers, if whoever runs the tests has it set.
_NOT_INHERITED = (
    *("PYTHONPATH", "KAFKA_CONFORMANCE_JARS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"),
    "HYPOTHESIS_STORAGE_DIRECTORY",
    *("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE"),
)
# Root may read and write everything, which hides what users meet: these two rights go
# (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH), by PR_CAPBSET_DROP, before the program starts.
_AS_A_USER = (
    "import ctypes, os, sys\n"
    "libc = ctypes.CDLL(None)\n"
    "for right in (1, 2):\n"
    "    if libc.prctl(24, right, 0, 0, 0):\n"
    "        sys.exit('prctl')\n"
    "os.execv(sys.argv[1], sys.argv[1:])\n"
)


@dataclass(frozen=True)
class Outcome:
    """How a process ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """All that it said."""
        return self.out + self.err

    def expect(self, code: int, *parts: str) -> "Outcome":
        """Check the exit code, that the parts were said, and that no traceback was shown."""
        assert self.code == code, f"exit code {self.code}\n{self.text}"
        assert "Traceback" not in self.text, self.text
        for part in parts:
            assert part in self.text, f"{part!r} is not in:\n{self.text}"
        return self


def _hear_ctrl_c() -> None:
    """As in a terminal; a shell's background jobs, tests among them, ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass
class Suite:
    """The command line with an environment: empty home, an empty working directory."""

    place: Path
    jars: Path
    project: Path = PROJECT
    environment: dict[str, str] = field(default_factory=dict)
    bug: str = ""
    """The name of a bug of :mod:`tests.cli.planted`, in every process that is started."""
    as_user: bool = False
    """Whether permissions of files hold even if the tests run as root."""

    @property
    def cwd(self) -> Path:
        """The working directory of the commands."""
        return self.place / "cwd"

    @property
    def home(self) -> Path:
        """The home directory; caches and states go below it."""
        return self.place / "home"

    def run(
        self,
        *arguments: str | Path,
        without: Sequence[str] = (),
        stdout: int = subprocess.PIPE,
        seconds: float = _PATIENCE_SECONDS,
    ) -> Outcome:
        """Run a command to its end; ``without`` are environment variables to leave out."""
        return end_of(self.start(*arguments, without=without, stdout=stdout), seconds)

    def start(
        self,
        *arguments: str | Path,
        without: Sequence[str] = (),
        streams: int = subprocess.PIPE,
        stdout: int = subprocess.PIPE,
    ) -> "subprocess.Popen[str]":
        """Start a command as the leader of a process group of its own."""
        self.cwd.mkdir(exist_ok=True)
        self.home.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "conformance", *map(str, arguments)]
        if self.as_user and os.geteuid() == 0:
            # -B, because it starts as root and would leave bytecode in a read-only project.
            command = [sys.executable, "-B", "-c", _AS_A_USER, *command]
        environment = self._variables()
        return subprocess.Popen(
            command,
            cwd=self.cwd,
            env={name: environment[name] for name in environment if name not in without},
            stdin=subprocess.DEVNULL if streams == subprocess.PIPE else streams,
            stdout=streams if stdout == subprocess.PIPE else stdout,
            stderr=streams,
            text=True,
            encoding="utf-8",
            start_new_session=True,
            preexec_fn=_hear_ctrl_c,  # noqa: PLW1509 -- it starts no thread and takes no lock
        )

    def _variables(self) -> dict[str, str]:
        inherited = {k: v for k, v in os.environ.items() if k not in _NOT_INHERITED}
        paths = [self.project, PLANTED] if self.bug else [self.project]
        return {
            **inherited,
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "PLANTED_BUG": self.bug,
            "PLANTED_MARKS": str(self.place),
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "KAFKA_CONFORMANCE_JARS": str(self.jars),
            **self.environment,
        }

    def marked(self, mark: str) -> bool:
        """Whether a planted bug got as far as to leave this mark."""
        return (self.place / mark).exists()

    def files(self) -> list[str]:
        """What lies in the working directory."""
        found = self.cwd.rglob("*")
        return sorted(str(path.relative_to(self.cwd)) for path in found if path.is_file())


def share(behaviour: str, profile: str = "quick") -> int:
    """How many cases a cell of a behaviour gets."""
    return PROFILES[profile].cases_of(behaviour_named(behaviour))


def has_privileges() -> bool:
    """Whether permissions cannot be tested: root that may not give up its rights."""
    if os.geteuid() != 0:
        return False
    libc = ctypes.CDLL(None)
    # PR_CAPBSET_READ of CAP_SETPCAP, which giving up other rights needs.
    return not (hasattr(libc, "prctl") and libc.prctl(23, 8, 0, 0, 0) == 1)


needs_permissions = pytest.mark.skipif(has_privileges(), reason="this root may do anything")


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 300) -> None:
    """Wait for something that another process does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.02)


def interrupt(
    process: "subprocess.Popen[str]", *, within: float = 60, by: signal.Signals = signal.SIGINT
) -> Outcome:
    """Press Ctrl-C, as a terminal does it: a signal to the whole process group.

    Any other signal goes to the command alone, as when a CI cancels a job.
    """
    if by is signal.SIGINT:
        os.killpg(process.pid, by)
    else:
        process.send_signal(by)
    outcome = end_of(process, within)
    wait_until(lambda: not _members(process.pid), "the end of the child processes", 30)
    return outcome


def end_of(process: "subprocess.Popen[str]", within: float) -> Outcome:
    """Wait for the end; who is late is killed with all that it started, and fails the test."""
    try:
        out, err = process.communicate(timeout=within)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        pytest.fail(f"not ended within {within} s; it had said:\n{out or ''}\n{err}")
    return Outcome(process.returncode, out or "", err)


def _members(group: int) -> list[int]:
    """The processes of a group that still run."""
    proc = Path("/proc")
    if not proc.is_dir():
        answer = subprocess.run(["pgrep", "-g", str(group)], capture_output=True, check=False)
        return [int(number) for number in answer.stdout.split()]
    members = []
    for folder in proc.iterdir():
        try:
            # The name, in parentheses, may hold anything; then: state, parent, group.
            state, _, member_of = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if int(member_of) == group and state != "Z":
            members.append(int(folder.name))
    return members


def check_schema(path: Path, schema: str) -> Any:
    """The document in a JSON file, which must be valid by one of the suite's schemas."""
    document = json.loads(path.read_text("utf-8"))
    _validator(schema).validate(document)
    return document


@cache
def _validator(schema: str) -> Draft202012Validator:
    schemas = {
        path.name.split(".")[0]: json.loads(path.read_text("utf-8"))
        for path in SCHEMAS.glob("*.schema.json")
    }
    registry: Registry[Any] = Registry().with_resources(
        (document["$id"], Resource.from_contents(document)) for document in schemas.values()
    )
    Draft202012Validator.check_schema(schemas[schema])
    return Draft202012Validator(schemas[schema], registry=registry)
