"""Java that is missing, too old, or does not start: exit code 3, and what to install."""

from pathlib import Path
from typing import Any

import psutil
import pytest

from conformance import java_home
from conformance.errors import JavaNotUsableError
from tests.cli.running import ONE_CELL, QUICK, Suite, check_schema
from tests.landing import later, nightly

_REMEDY = "Install a JDK or JRE of version 17 or newer and point JAVA_HOME at it"


def _fake_java(suite: Suite, *lines: str) -> Path:
    """A Java home whose ``java`` is this shell script; what every child process then uses."""
    home = suite.place / "jdk"
    (home / "bin").mkdir(parents=True)
    java = home / "bin" / "java"
    java.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    java.chmod(0o755)
    suite.environment["JAVA_HOME"] = str(home)
    return java


def _properties(version: str, home: Path) -> list[str]:
    """The lines of a script that claims to be this version."""
    return [
        "cat >&2 <<END",
        "Property settings:",
        f"    java.home = {home}",
        f"    java.specification.version = {version}",
        f"    java.version = {version}.0.1",
        "END",
    ]


def test_no_java_on_the_path(suite: Suite) -> None:
    (suite.place / "empty").mkdir()
    suite.environment = {"PATH": str(suite.place / "empty")}
    outcome = suite.run("run", *ONE_CELL, "--json", "r.json", without=["JAVA_HOME"])
    outcome.expect(3, "No Java: JAVA_HOME is not set, no java on the PATH.", _REMEDY)
    assert outcome.out == ""
    assert suite.files() == ["r.json"]
    assert "No Java" in check_schema(suite.cwd / "r.json", "unfinished")["reason"]


@pytest.mark.parametrize("kind", ["nowhere", "not executable"])
def test_java_home_without_java(suite: Suite, kind: str) -> None:
    if kind == "nowhere":
        suite.environment = {"JAVA_HOME": str(suite.place / "nowhere")}
    else:
        _fake_java(suite).chmod(0o644)
    message = f"JAVA_HOME is {suite.environment['JAVA_HOME']}, but it has no bin/java"
    suite.run("run", *ONE_CELL).expect(3, message, _REMEDY)


@pytest.mark.parametrize(("version", "found"), [("11", "11.0.1"), ("1.8", "1.8.0.1")])
def test_old_java(suite: Suite, version: str, found: str) -> None:
    java = _fake_java(suite, *_properties(version, suite.place))
    message = f"Java 17 or newer is needed; {java} is Java {found}."
    suite.run("run", *ONE_CELL).expect(3, message, _REMEDY)


def test_java_that_fails(suite: Suite) -> None:
    java = _fake_java(suite, "echo Picked up JAVA_TOOL_OPTIONS: -x >&2", "echo Broken. >&2; exit 9")
    suite.run("run", *ONE_CELL).expect(3, f"{java} ended with code 9: Broken.\n", _REMEDY)


def test_java_that_says_something_else(suite: Suite) -> None:
    java = _fake_java(suite, "echo hello")
    suite.run("run", *ONE_CELL).expect(3, f"{java} is Java of an unknown version", _REMEDY)


def test_java_that_is_no_program(suite: Suite) -> None:
    java = _fake_java(suite)
    java.write_bytes(b"\0garbage")
    suite.run("run", *ONE_CELL).expect(3, f"{java} could not be run: ", _REMEDY)


def test_java_without_a_jvm_library(suite: Suite) -> None:
    home = suite.place / "no jvm"
    java = _fake_java(suite, *_properties("17", home))
    outcome = suite.run("run", *ONE_CELL)
    outcome.expect(3, f"{java} is Java 17, but there is no JVM library under {home}", _REMEDY)
    assert "libjvm.so" in outcome.err


@pytest.mark.parametrize("jobs", [later("0"), "1"])
def test_garbage_for_a_jvm_library(suite: Suite, jobs: str) -> None:
    home = suite.place / "garbage"
    library = home / "lib" / "server" / "libjvm.so"
    library.parent.mkdir(parents=True)
    library.write_text("garbage")
    _fake_java(suite, *_properties("17", home))
    outcome = suite.run("run", *ONE_CELL, "--jobs", jobs, "--json", "r.json")
    outcome.expect(
        3,
        f"sticky[3.8.0]: not run: The JVM in {library} does not start: ",
        "-version works",
        "0 conform, 0 diverge, 1 not run",
    )
    (cell,) = check_schema(suite.cwd / "r.json", "report")["cells"]
    assert str(library) in cell["reason"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        # Accepted by itself, but not with the heap that the suite asks for.
        ("-Xms2g", "Initial heap size set to a larger value than the maximum heap size"),
        ("-XX:+NoSuchOption", "Unrecognized VM option 'NoSuchOption'"),
    ],
)
def test_jvm_that_cannot_start(suite: Suite, options: str, reason: str) -> None:
    suite.environment = {"JAVA_TOOL_OPTIONS": options}
    outcome = suite.run("run", *ONE_CELL, "--jobs", "0")
    outcome.expect(3, "ended with code 1: ", reason, "Check JAVA_TOOL_OPTIONS", _REMEDY)


@pytest.mark.parametrize("jobs", [later("0"), "1"])
def test_jdk_with_another_thread_local_random(suite: Suite, jobs: str) -> None:
    suite.bug = "other_random"
    outcome = suite.run("run", *QUICK, "--jobs", jobs, "--json", "r.json")
    # Every cell says so: none may run on a JVM of which it is known that it draws otherwise.
    for cell in ("sticky[3.2.3]", "sticky[3.8.0]"):
        outcome.expect(3, f"{cell}: not run: This JDK's ThreadLocalRandom drew ")
    outcome.expect(3, "Use another JDK", "JAVA_HOME", "0 conform, 0 diverge, 2 not run")
    cells = check_schema(suite.cwd / "r.json", "report")["cells"]
    assert [cell["verdict"] for cell in cells] == ["absent", "not run", "not run", "absent"]


@nightly
def test_replay_without_java(suite: Suite) -> None:
    suite.bug = "wrong_port"
    suite.run("run", *ONE_CELL, "--jobs", "0", "--output", ".").expect(1)
    suite.environment = {"JAVA_HOME": str(suite.place / "nowhere")}
    suite.run("replay", "sticky-3.8.0.json").expect(3, "it has no bin/java", _REMEDY)


def test_fetching_without_java(clone: Suite) -> None:
    clone.environment["JAVA_HOME"] = str(clone.place)
    clone.run("jars").expect(3, "it has no bin/java", _REMEDY)
    assert [path.name for path in (clone.project / "jars").iterdir()] == ["lock.toml"]


def test_a_java_that_hangs_is_ended_with_what_it_started(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = suite.place / "child"
    java = _fake_java(suite, "sleep 100 &", f"echo $! >'{child}'", "wait")
    monkeypatch.setenv("JAVA_HOME", str(java.parents[1]))
    monkeypatch.setattr(java_home, "_SECONDS", 5.0)
    with pytest.raises(JavaNotUsableError) as raised:
        java_home.find_java()
    assert raised.value.what == f"{java} did not print its version within 5 s."
    assert not psutil.pid_exists(int(child.read_text()))


def test_a_java_is_asked_once_for_each_set_of_options(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class Counted(java_home.ProcessTree):
        def __init__(self, *arguments: Any, **more: Any) -> None:
            started.append(arguments)
            super().__init__(*arguments, **more)

    monkeypatch.setattr(java_home, "ProcessTree", Counted)
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dasked=once")
    assert java_home.find_java() == java_home.find_java()
    assert len(started) == 1
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dasked=again")
    java_home.find_java()
    assert len(started) == 2
