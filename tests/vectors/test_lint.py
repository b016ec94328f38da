"""The lint notices whatever is wrong with a folder of vectors, and says it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.errors import UsageError
from conformance.vectors import flags
from conformance.vectors.document import document_text
from conformance.vectors.files import read_document
from conformance.vectors.lint import lint

VECTORS = Path(__file__).parents[2] / "vectors"
Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the committed vectors."""
    return Path(shutil.copytree(VECTORS, tmp_path / "vectors"))


def _changed(folder: Path, change: Change, name: str = "sticky.json") -> list[str]:
    """What the lint says after a change of one document."""
    document = read_document(folder / name)
    change(document)
    (folder / name).write_text(document_text(document), "utf-8")
    return lint(folder)


def test_the_committed_vectors_pass() -> None:
    assert lint(VECTORS) == []


def _without_note(document: dict[str, Any]) -> None:
    del document["notes"]["StaleBatch"]


def _with_unused_note(document: dict[str, Any]) -> None:
    for case in document["cases"]:
        case["flags"] = [flag for flag in case["flags"] if flag != "StaleBatch"]


def _with_unknown_flag(document: dict[str, Any]) -> None:
    document["cases"][0]["flags"].append("Mystery")
    document["notes"]["Mystery"] = {"bug": "nobody knows", "seenIn": []}


def _with_other_note(document: dict[str, Any]) -> None:
    document["notes"]["StaleBatch"]["bug"] = "something else"


def _with_wrong_count(document: dict[str, Any]) -> None:
    document["numberOfCases"] += 1


def _with_case_twice(document: dict[str, Any]) -> None:
    document["cases"].append(document["cases"][0])
    document["numberOfCases"] += 1


def _with_other_inputs(document: dict[str, Any]) -> None:
    document["cases"][0]["steps"][0]["topic"] = "other"


def _with_short_trace(document: dict[str, Any]) -> None:
    document["cases"][0]["answers"][0]["trace"].pop()


def _with_other_draws(document: dict[str, Any]) -> None:
    document["cases"][0]["steps"][0]["draws"][1] = 7


def _with_foreign_client(document: dict[str, Any]) -> None:
    document["cases"][0]["answers"][0]["clients"].append("1.0.0")


def _without_client(document: dict[str, Any]) -> None:
    for case in document["cases"]:
        for answer in case["answers"]:
            if len(answer["clients"]) > 1:
                answer["clients"].remove("3.2.3")
                return


def _with_more_drawn(document: dict[str, Any]) -> None:
    document["cases"][0]["answers"][0]["trace"][0]["draws"] = 100


def _with_other_jar(document: dict[str, Any]) -> None:
    document["source"]["jars"][0]["sha256"] = "0" * 64


def _with_other_behaviour(document: dict[str, Any]) -> None:
    document["behaviour"] = "sticky-cache"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_without_note, "The flag StaleBatch has no note."),
        (_with_unused_note, "The note StaleBatch belongs to no case."),
        (_with_unknown_flag, "The flag Mystery is unknown"),
        (_with_other_note, "The note StaleBatch differs from"),
        (_with_wrong_count, "numberOfCases is "),
        (_with_case_twice, " stands 2 times."),
        (_with_other_inputs, " does not follow from the inputs: sticky-"),
        (_with_short_trace, " answers to "),
        (_with_other_draws, "draws that do not follow from the first."),
        (_with_foreign_client, "has answers of 1.0.0, 3.2.3, 3.8.0, not of 3.2.3, 3.8.0."),
        (_without_client, "has answers of 3.8.0, not of 3.2.3, 3.8.0."),
        (_with_more_drawn, "more is drawn than the step has."),
        (_with_other_jar, "source does not name this suite, its clients and their locked jars."),
        (_with_other_behaviour, "The vectors of sticky-cache are not in a file of that name."),
        (_with_wrong_count, "README.md is not about these files."),
    ],
)
def test_a_change_is_noticed(folder: Path, change: Change, told: str) -> None:
    problems = _changed(folder, change)
    assert any(told in problem for problem in problems), problems


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.pop("source"),
        lambda document: document.update(extra=1),
        lambda document: document["cases"][0].update(id="7"),
        lambda document: document["cases"][0].update(flags=["StaleBatch", "StaleBatch"]),
        lambda document: document["cases"][0]["steps"][0].update(op="dance"),
        lambda document: document["cases"][0]["answers"].clear(),
        lambda document: document["cases"][0]["answers"][0]["trace"][0].update(answer="2"),
        lambda document: document["cases"][0].update(metadata=[[["t", [[0]]]]]),
        lambda document: document["source"]["jars"][0].update(sha256="ABC"),
    ],
)
def test_the_schema_is_held(folder: Path, change: Change) -> None:
    assert any("violates the schema" in problem for problem in _changed(folder, change))


def test_another_schema_is_noticed(folder: Path) -> None:
    (folder / "vectors.schema.json").write_text("{}", "utf-8")
    assert lint(folder) == ["vectors.schema.json is not the suite's."]


def test_a_missing_file_is_noticed(folder: Path) -> None:
    (folder / "sticky.json").unlink()
    (folder / "README.md").unlink()
    assert lint(folder) == ["sticky.json is missing.", "README.md is not about these files."]


def test_a_planted_bug_without_class_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    without = flags._flags() | {"CounterStep": {"bug": "", "planted": ["no such bug"]}}
    monkeypatch.setattr(flags, "_flags", lambda: without)
    first, second = lint(VECTORS)[:2]
    assert "CounterStep names 'no such bug', which is not a planted bug" in first
    assert second == "The planted bug 'counter steps by two' has no flag, not one."


def test_what_is_no_json_is_the_users_mistake(folder: Path) -> None:
    (folder / "keyed.json").write_text('{"cases": [', "utf-8")
    with pytest.raises(UsageError, match=r"keyed\.json is not JSON"):
        lint(folder)


def test_a_folder_without_vectors_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There are no vectors in"):
        lint(tmp_path)
    with pytest.raises(UsageError, match="cannot be read"):
        lint(tmp_path / "missing")


def test_no_file_is_large() -> None:
    sizes = {path.name: path.stat().st_size for path in VECTORS.iterdir()}
    assert sum(sizes.values()) < 2_500_000
    for path in VECTORS.glob("*.json"):
        assert json.loads(path.read_text("ascii")), "plain ASCII, for any reader"
