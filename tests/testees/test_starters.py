"""``testee --init`` and ``--protocol-only``: what a testee's author meets first."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.behaviours.registry import BEHAVIOURS
from conformance.commands.starters import STARTERS
from tests.cli.running import Outcome, Suite
from tests.landing import later
from tests.testees.running import TINY, run_here

TOOLS = {
    "c": ("cc", "pkg-config"),
    "go": ("go",),
    "java": ("javac",),  # java alone may be one that cannot compile what it runs
    "javascript": ("node",),
    "python": ("python",),
    "rust": ("cargo",),
}
ENVIRONMENT = dict(os.environ)
"""As it is before tests have homes of their own: compilers keep what they have built there."""
PORT = Path(__file__).with_name("port.py")
TESTEE = """
import json, sys
behaviours, entry = json.loads(sys.argv[1]), json.loads(sys.argv[2])
for line in sys.stdin:
    question = json.loads(line)
    told = {"type": "hello", "protocol": 1, "name": "x", "version": "1", "language": "x"}
    told["behaviours"] = behaviours
    if question["type"] == "cases":
        traces = [entry and [entry] * len(case["steps"]) for case in question["cases"]]
        traces = [trace or {"could not try": "not yet"} for trace in traces]
        told = {"type": "traces", "id": question["id"], "traces": traces}
    print(json.dumps(told), flush=True)
sys.exit(int(sys.argv[3]))
"""


def _written(language: str, folder: Path) -> list[str]:
    """Write a starter, build it, and answer the command that runs it there."""
    for tool in TOOLS[language]:
        if shutil.which(tool) is None:
            pytest.skip(f"there is no {tool}")
    if language == "c" and subprocess.run(["pkg-config", "jansson"], check=False).returncode:
        pytest.skip("there is no jansson with headers (Debian: libjansson-dev)")
    run_here(["testee", "--init", language, "--folder", str(folder)]).expect(0, "Wrote")
    starter = STARTERS[language]
    if starter.build:
        built = subprocess.run(
            starter.build,
            shell=True,
            cwd=folder,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert built.returncode == 0, built.stderr
    return shlex.split(starter.run)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("language", [*[one for one in TOOLS if one != "rust"], later("rust")])
def test_a_starter_runs_at_once_and_conforms(language: str, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    words = _written(language, folder)
    place = ["--folder", str(folder), "--hello-seconds", "60", "--answer-seconds", "60"]
    alone = run_here(["testee", "--protocol-only", *place, "--", *words])
    alone.expect(0, "keyed: 100 cases as 3.8.0", "The protocol is kept")
    options = ["--profile", TINY, "--no-cache"]
    run_here(["testee", *options, *place, "--", *words]).expect(0, "keyed: matches Java 3.8.0")


@pytest.mark.parametrize("language", STARTERS)
def test_a_starter_says_how_it_is_built_and_run(language: str, tmp_path: Path) -> None:
    told = run_here(["testee", "--init", language.upper(), "--folder", str(tmp_path)]).expect(0)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    text = "".join(path.read_text("utf-8") for path in files)
    for words in filter(None, (STARTERS[language].build, STARTERS[language].run)):
        assert words in text
        assert words in told.text
    assert "docs/write-a-testee.md" in text
    again = run_here(["testee", "--init", language, "--folder", str(tmp_path)])
    again.expect(2, "is there already, so nothing was written")


def test_every_starter_is_tried() -> None:
    assert sorted(TOOLS) == sorted(STARTERS)


def test_neither_java_nor_jars_are_needed(suite: Suite) -> None:
    suite.environment |= {"JAVA_HOME": "", "PATH": str(suite.place), "KAFKA_CONFORMANCE_JARS": ""}
    names = [one.name for one in BEHAVIOURS if one.for_testees]
    words = [sys.executable, PORT, *names]
    suite.environment["PYTHONPATH"] = str(suite.project)
    outcome = suite.run("testee", "--protocol-only", "--", *words)
    outcome.expect(0, "The protocol is kept", "keyed/uuid: records: 65,536 partitions answered")
    outcome.expect(0, "error index", "error assertion", "error null", "error arithmetic")
    for name in names:
        assert f"{name}: 100 cases as " in outcome.out


def _checked(folder: Path, support: dict[str, object], entry: object, code: int = 0) -> Outcome:
    """What is told of a testee with one answer for all steps (none: "could not try"); its end."""
    program = folder / "testee.py"
    program.write_text(TESTEE, "utf-8")
    hello = {"round-robin": {"mode": "exact", "claims": ["3.8.0"], **support}}
    words = [sys.executable, str(program), json.dumps(hello), json.dumps(entry), str(code)]
    return run_here(["testee", "--protocol-only", "--", *words])


def test_no_answer_is_compared(tmp_path: Path) -> None:
    told = _checked(tmp_path, {}, 77)
    told.expect(0, "round-robin: 100 cases as 3.8.0", "(number: ", "No answer was compared")


def test_how_it_ends_is_checked(tmp_path: Path) -> None:
    _checked(tmp_path, {}, 77, 7).expect(3, "exited with code 7", "after its last answer")


@pytest.mark.parametrize(
    ("support", "entry", "told"),
    [
        ({"observes": ["state"]}, 1, "says that it observes state of round-robin, but step 0"),
        ({"observes": ["draws"]}, {"answer": 1, "state": {}}, "observes draws of round-robin"),
        ({}, None, "more than half of its cases could not be tried"),
        ({}, "moved", "against the schema"),
        ({"records": True}, 1, "which was not asked"),
    ],
    ids=["no state", "no draws", "not yet", "not an answer", "no records"],
)
def test_what_a_run_would_not_take_is_told(
    support: dict[str, object], entry: object, told: str, tmp_path: Path
) -> None:
    _checked(tmp_path, support, entry).expect(3, told)


@pytest.mark.parametrize("option", ["--java-client", "--client"])
def test_the_version_to_compare_with_has_an_old_name(option: str) -> None:
    words = ["testee", option, "9.9", "--", sys.executable, str(PORT), "keyed"]
    run_here(words).expect(2, "There is no client version '9.9'")


def test_the_old_name_is_not_shown() -> None:
    told = run_here(["testee", "--help"]).expect(0, "--java-client")
    assert " --client" not in told.out


def test_a_command_is_wanted() -> None:
    run_here(["testee"]).expect(2, "There is no testee to run", "--init")
