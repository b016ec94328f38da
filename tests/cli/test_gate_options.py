"""``gate`` with accepted changes, a time budget, kept answers, a summary, and replay."""

import json
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from conformance.cli import main
from tests.cli.running import PROJECT, Suite, check_schema, share
from tests.landing import later, nightly

ROUND_ROBIN = ("--behaviour", "round-robin")
CHANGED = (
    *("gate", "--profile", "quick", "--baseline", "3.2.3", "--candidate", "3.8.0"),
    *("--json", "gate.json"),
)


def report(suite: Suite) -> Any:
    return check_schema(suite.cwd / "gate.json", "report")


def accept(suite: Suite, **changes: Any) -> str:
    """A file of one accepted change, as the gate itself drafts it, with a cause."""
    entry = {
        "behaviour": "round-robin",
        "clients": ["3.2.3"],
        "differences": [],
        "cause": "it counts before it looks",
        "link": "https://example.org/1",
    } | changes
    suite.cwd.mkdir(parents=True, exist_ok=True)
    lines = [f"{name} = {json.dumps(value)}" for name, value in entry.items()]
    (suite.cwd / "accepted.toml").write_text("\n".join(["[[divergence]]", *lines]), "utf-8")
    return "accepted.toml"


def kinds_of_change(suite: Suite) -> list[str]:
    """What the gate calls the differences in round-robin."""
    suite.run(*CHANGED, *ROUND_ROBIN).expect(1, "changed")
    [cell] = report(suite)["cells"]
    return list(cell["differences"])


@nightly
def test_accepted_changes_pass_and_their_absence_does_not(suite: Suite) -> None:
    kinds = kinds_of_change(suite)
    file = accept(suite, differences=kinds)
    suite.run(
        *CHANGED, *ROUND_ROBIN, "--accepted", file, "--junit", "gate.xml", "--markdown", "gate.md"
    ).expect(0, "changed (accepted)", "it counts before it looks")
    [change] = report(suite)["gate"]["changes"]
    assert change["change"] == "changed (accepted)"
    assert "it counts before it looks (https://example.org/1)" in change["what"]
    assert ET.parse(suite.cwd / "gate.xml").findall(".//failure") == []
    assert "it counts before it looks" in (suite.cwd / "gate.md").read_text("utf-8")
    # One kind more than there is, and one less.
    file = accept(suite, differences=[*kinds, "partition: another draws"])
    answer = suite.run(*CHANGED, *ROUND_ROBIN, "--accepted", file, "--junit", "gate.xml")
    answer.expect(1, "changed (accepted)", "Accepted, but no longer occurs", "another draws")
    [failure] = ET.parse(suite.cwd / "gate.xml").findall(".//failure")
    assert "another draws" in failure.get("message", "")


@nightly
def test_what_is_gone_can_be_accepted(suite: Suite) -> None:
    chosen = ("--behaviour", "round-robin-null-key", "--behaviour", "murmur2")
    gate = ("gate", "--profile", "quick", "--baseline", "2.3.1", "--candidate", "3.2.3", *chosen)
    file = accept(
        suite, behaviour="round-robin-null-key", clients=["2.3.1", "3.2.3"], differences=["gone"]
    )
    suite.run(*gate, "--accepted", file, "--json", "gate.json").expect(0, "gone (accepted)")
    assert [one["change"] for one in report(suite)["gate"]["changes"]][-1] == "gone (accepted)"
    build = accept(
        suite, behaviour="keyed", clients=["2.3.1-SNAPSHOT"], differences=["gone", "no such thing"]
    )
    suite.run(*gate, "--accepted", build).expect(1, "gone")  # of another baseline: says nothing
    file = accept(suite, behaviour="murmur2", clients=["2.3.1"], differences=["gone"])
    suite.run(*gate, "--accepted", file).expect(1, "murmur2[2.3.1]: 'gone' is listed, but did not")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"behaviour": "sticki"}, "There is no behaviour 'sticki'"),
        later(({"clients": ["3.2.33"]}, "There is no baseline version '3.2.33'")),
        later(({"differences": []}, "it lists no difference")),
        later(({"differences": ["partition: died"]}, "cannot be excused")),
        later(({"link": ""}, "link must be a string")),
        later(({"why": "because"}, "why missing or unknown")),
    ],
)
def test_an_accepted_file_with_errors(suite: Suite, changes: dict[str, Any], message: str) -> None:
    file = accept(suite, **({"differences": ["gone"]} | changes))
    suite.run(*CHANGED, "--accepted", file).expect(2, message)


def test_an_accepted_file_that_is_no_toml(suite: Suite) -> None:
    suite.cwd.mkdir(parents=True, exist_ok=True)
    (suite.cwd / "accepted.toml").write_text("[[divergence", "utf-8")
    answer = suite.run(*CHANGED, "--accepted", "accepted.toml")
    answer.expect(2, "accepted.toml cannot be read as TOML", "docs/gate.md")
    suite.run(*CHANGED, "--accepted", "nowhere.toml").expect(2, "nowhere.toml")


@nightly
def test_a_draft_of_accepted_changes_is_refused_until_it_has_causes(suite: Suite) -> None:
    suite.run(*CHANGED, *ROUND_ROBIN, "--write-accepted", "draft.toml").expect(1)
    text = (suite.cwd / "draft.toml").read_text("utf-8")
    suite.run(*CHANGED, "--accepted", "draft.toml").expect(2, "cause must be a string")
    (suite.cwd / "draft.toml").write_text(text.replace('""', '"x"'), "utf-8")
    suite.run(*CHANGED, *ROUND_ROBIN, "--accepted", "draft.toml").expect(0)


def test_a_cache_that_is_wanted_and_not(suite: Suite) -> None:
    answer = suite.run(*CHANGED, "--cache", "kept", "--no-cache")
    answer.expect(2, "--cache and --no-cache exclude each other")


@nightly
def test_kept_answers_give_the_same_report(suite: Suite) -> None:
    def run(*options: str) -> Any:
        suite.run(*CHANGED, *ROUND_ROBIN, *options).expect(1, "changed")
        document = report(suite)
        for cell in document["cells"]:
            del cell["seconds"], cell["kept"]
        return document["gate"].pop("kept"), document["cells"], document["gate"]

    kept, *first = run()
    assert kept == []
    folder = suite.home / "cache" / "kafka-conformance" / "answers"
    [file] = folder.iterdir()
    kept, *again = run()
    assert (kept, again) == (["round-robin"], first)
    assert run("--no-cache")[0] == []
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    answer = suite.run(*CHANGED, *ROUND_ROBIN, "--seed", "0")
    answer.expect(1, f"{file} is damaged", "The real client is asked again", "changed")
    assert file.read_bytes() != content[: len(content) // 2]


@nightly
def test_another_seed_is_another_recording(suite: Suite) -> None:
    gate = ("gate", "--profile", "quick", "--baseline", "3.8.0", "--candidate", "3.8.0")
    chosen = ("--behaviour", "murmur2", "--cache", "kept")
    for seed in ("0", "1"):
        suite.run(*gate, *chosen, "--seed", seed).expect(0)
    assert len([name for name in suite.files() if name.startswith("kept/")]) == 2


@nightly
def test_cases_do_not_depend_on_what_else_is_compared(suite: Suite) -> None:
    def digest(*names: str) -> str:
        chosen = [word for name in names for word in ("--behaviour", name)]
        pair = ("--baseline", "3.8.0", "--candidate", "3.8.0", "--json", "gate.json")
        suite.run("gate", "--profile", "quick", *pair, *chosen).expect(0)
        cells = {cell["behaviour"]: cell for cell in report(suite)["cells"]}
        return str(cells["keyed"]["digest"])

    assert digest("keyed") == digest("keyed", "built-in")


def test_too_little_time_is_never_the_same(suite: Suite) -> None:
    gate = ("gate", "--baseline", "3.8.0", "--candidate", "3.8.0", "--behaviour", "sticky-cache")
    files = ("--minutes", "0.001", "--json", "gate.json", "--junit", "gate.xml")
    suite.run(*gate, *files).expect(3, "not comparable", "Out of time: ")
    [change] = report(suite)["gate"]["changes"]
    assert (change["change"], change["planned"]) == (
        "not comparable",
        share("sticky-cache", "default"),
    )
    assert change["cases"] < 100
    [error] = ET.parse(suite.cwd / "gate.xml").findall(".//error")
    assert "Out of time" in error.get("message", "")


@nightly
def test_a_case_is_replayed_on_two_jars(suite: Suite) -> None:
    suite.run(*CHANGED, *ROUND_ROBIN).expect(1)
    file = "conformance-results/round-robin-3.2.3-to-3.8.0.json"
    replay = ("replay", file, "--baseline", "3.2.3", "--candidate")
    answer = suite.run(*replay, "3.8.0")
    answer.expect(1, "kafka-clients 3.8.0 differs from kafka-clients 3.2.3", "Replay: ")
    suite.run(*replay, "3.2.3").expect(0, "fixed. kafka-clients 3.2.3 answers as kafka-clients")
    suite.run(*replay, "2.3.1").expect(3, "round-robin cannot be compared: 2.3.1 has no")
    suite.run("replay", file, "--baseline", "3.2.3").expect(2, "need each other")
    suite.run(*replay, "3.8.0", "--subject", "java").expect(2, "need each other")


def test_the_example_workflow_uses_what_there_is() -> None:
    text = (PROJECT / "examples" / "ci" / "kafka-clients-gate.yml").read_text("utf-8")
    commands = text.replace("\\\n", " ")
    line = next(one for one in commands.splitlines() if "kafka-conformance gate" in one)
    options = {word.partition("=")[0] for word in line.split() if word.startswith("--")}
    known = {name for parameter in main.commands["gate"].params for name in parameter.opts}
    assert options <= known
    assert {"--baseline", "--candidate", "--minutes", "--markdown", "--junit"} <= options
