"""What README and docs promise is run, or compared with what is there."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

import python_impl
from conformance import testing
from conformance.behaviours.registry import BEHAVIOURS
from conformance.cli import main
from conformance.clients.versions import CLIENT_VERSIONS
from conformance.engine.check import check_cell
from conformance.engine.profiles import PROFILES
from conformance.errors import ExitCode
from conformance.model.behaviour import Behaviour
from conformance.model.client_version import ClientVersion
from conformance.model.results import Verdict
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort
from python_impl import kafka_3_8_0

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def _python_blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL)


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, Any] = {}
    blocks = _python_blocks(ROOT / "README.md")
    assert len(blocks) == 3
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "00000000000000000000.log").open("wb") as segment:
        for offset in range(3):
            batch = kafka_3_8_0.MemoryRecordsBuilder(base_offset=offset)
            batch.append(5, b"key", None)
            segment.write(batch.build())
    told: list[tuple[str, str]] = []
    for block in blocks:
        exec(block, names)
        told += re.findall(r"^(\w+\(.+\))  # (\[.+\]|\d+)", block, flags=re.MULTILINE)
    assert len(told) == 3
    for call, result in told:
        answer = eval(call, names)
        assert json.loads(result) == (answer if isinstance(answer, int) else answer.to_pylist())
    assert names["partition"] in range(6)
    assert names["info"].produced_bytes == 900
    assert names["table"]["timestamp"].to_pylist() == [5] * 3
    assert names["record"].value == b"a value"
    assert len(names["batches"]) == 1


@pytest.mark.parametrize("client", CLIENT_VERSIONS, ids=str)
def test_the_example_of_a_new_behaviour_runs(
    client: Any, java: JavaSubject, port: PythonPort
) -> None:
    names: dict[str, Any] = {"__name__": "example"}
    exec(_python_blocks(DOCS / "adding.md")[0], names)
    behaviour: Behaviour = names["Absolute"]()
    (way,) = behaviour.ways
    with_it = replace(client, realised_by={**client.realised_by, behaviour.name: way.shown_by})
    assert way.is_in(client.version)
    assert behaviour.meaning
    assert behaviour.java_method(with_it, {"op": "abs"}).endswith("Utils.abs")
    result = check_cell(behaviour, with_it, java, port, cases=300, seed=0)
    assert result.verdict is Verdict.CONFORMS, result.reason or result.divergence
    assert result.labels["-2^31"] > 0


def test_words_stand_where_the_glossary_says() -> None:
    page = (DOCS / "glossary.md").read_text("utf-8")
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| `([^`|]+)` \|$", page, re.MULTILINE)
    assert len(rows) == page.count("\n| ") - 2  # every row but the head's
    words = [word for word, _ in rows]
    assert words == sorted(words)
    assert {"adapter", "behaviour", "case", "cell", "oracle", "port", "subject", "trace"} <= {
        *words
    }
    for word, place in rows:
        assert (ROOT / place).exists(), f"{word}: {place}"


def test_every_behaviour_is_explained() -> None:
    headings = re.findall(r"^## (.+)$", (DOCS / "behaviours.md").read_text("utf-8"), re.MULTILINE)
    assert headings == [behaviour.name for behaviour in BEHAVIOURS]


def test_every_option_and_exit_code_of_run_is_documented() -> None:
    page = (DOCS / "running.md").read_text("utf-8")
    command = main.commands["run"]
    for parameter in command.params:
        assert isinstance(parameter, click.Option)
        assert all(name in page for name in parameter.opts), parameter.opts
    for name in main.commands:
        assert f"kafka-conformance {name}" in page
    assert all(f"| {code} |" in page for code in range(4))


def test_every_option_of_the_gate_is_documented() -> None:
    page = (DOCS / "gate.md").read_text("utf-8")
    for command in ("gate", "gate-stats"):
        for parameter in main.commands[command].params:
            assert any(name in page for name in parameter.opts), parameter.opts


@pytest.mark.parametrize(
    ("command", "page"),
    [
        ("run", "running.md"),
        ("stats", "running.md"),
        ("testee", "testees.md"),
        ("gate", "gate.md"),
    ],
)
def test_exit_codes_are_told_alike_in_help_and_page(command: str, page: str) -> None:
    epilog = re.sub(r"\n {5}", " ", main.commands[command].epilog or "")
    told = re.findall(r"^  (\d)  (.+)$", epilog, flags=re.MULTILINE)
    assert [int(code) for code, _ in told] == list(ExitCode)
    rows = re.findall(r"^\| (\d) \| (.+) \|$", (DOCS / page).read_text("utf-8"), re.MULTILINE)
    assert rows == told


def test_help_fits_a_terminal() -> None:
    with click.Context(main, terminal_width=80) as context:
        assert "..." not in main.get_help(context).replace("[ARGS]...", "")
        for command in main.commands.values():
            assert max(map(len, command.get_help(context).splitlines())) <= 80, command.name


def test_every_command_says_what_its_exit_codes_mean() -> None:
    for name, command in main.commands.items():
        lines = re.findall(r"^  (\d)  ", command.epilog or "", flags=re.MULTILINE)
        assert {"0", "2", "3"} <= set(lines) or name == "list", name


def test_every_option_of_a_testee_and_of_a_replay_is_documented() -> None:
    for name, pages in (("testee", ["testees.md"]), ("replay", ["running.md"])):
        text = "".join((DOCS / page).read_text("utf-8") for page in pages)
        options = [one for one in main.commands[name].params if isinstance(one, click.Option)]
        assert [opt for one in options for opt in one.opts if f"`{opt}" not in text] == []


def test_the_profiles_are_documented_with_their_sizes() -> None:
    page = (DOCS / "running.md").read_text("utf-8")
    totals = [f"{profile.total:,}" for profile in PROFILES.values()]
    assert f"{totals[0]}, {totals[1]} or {totals[2]} cases" in page
    shares = [profile.cases_of(BEHAVIOURS[0]) for profile in PROFILES.values()]
    assert BEHAVIOURS[0].weight == 1
    assert f"today {shares[0]}, {shares[1]} or {shares[2]:,} (" in page


def test_the_page_of_what_can_be_built_on_names_all_of_it() -> None:
    shell, rest = (DOCS / "api.md").read_text("utf-8").split("## For machines")
    commands = shell.split("The commands of `kafka-conformance` (", 1)[1].split(")")[0]
    assert sorted(re.findall(r"`([a-z-]+)`", commands)) == sorted(main.commands)
    public = {*python_impl.__all__, *testing.__all__}
    assert sorted(name for name in public if f"`{name}`" not in rest) == []
    schemas = (ROOT / "conformance" / "schemas").glob("*.json")
    assert [schema.name for schema in schemas if f"[`{schema.name}`]" not in rest] == []


@pytest.mark.parametrize("client", CLIENT_VERSIONS, ids=str)
def test_a_release_of_the_port_lists_all_that_it_has(client: ClientVersion) -> None:
    release = getattr(python_impl, client.port)
    own = {name for name in vars(release) if not name.startswith("_") and name != "producer"}
    assert own == set(release.__all__)


def test_ci_runs_exactly_the_commands_of_the_readme() -> None:
    commands = [
        "python -m pip install tox && tox -e conformance",
        "tox -e adapters -- --quick",
        "python -m pip install tox && tox",
    ]
    ci = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    readme = (ROOT / "README.md").read_text("utf-8").splitlines()
    for command in commands:
        assert command in ci
        assert command in readme


def test_the_claims_name_tests_that_there_are() -> None:
    named = set(re.findall(r"`(test_\w+)`", (DOCS / "claims.md").read_text("utf-8")))
    files = [
        file for name in ("examples", "simulation") for file in (ROOT / "tests" / name).iterdir()
    ]
    tests = "".join(file.read_text("utf-8") for file in files if file.suffix == ".py")
    there = set(re.findall(r"^def (test_\w+)", tests, re.MULTILINE))
    assert len(named) > 10
    assert named <= there
