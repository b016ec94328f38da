"""The adapters' descriptions: complete, told in the findings, with known divergences that load."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from conformance.engine.known import load_known

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "ports").glob("*/ports.toml"))
FINDINGS = ROOT / "docs" / "findings.md"


def entries_of(file: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))["testee"]
    return entries


EVERY = [(file, entry) for file in FILES for entry in entries_of(file)]


def test_there_are_ports_in_six_languages() -> None:
    languages = {tomllib.loads(file.read_text("utf-8"))["language"] for file in FILES}
    assert {"C", "Go", "Java", "Node", "Python", "Rust"} <= languages


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_a_folder_says_what_it_needs_and_how_it_is_built(file: Path) -> None:
    document = tomllib.loads(file.read_text("utf-8"))
    assert "tools" in document
    assert all(isinstance(command, list) and command for command in document["build"])


@pytest.mark.parametrize(("file", "entry"), EVERY, ids=[entry["name"] for _, entry in EVERY])
def test_a_testee_says_what_is_claimed_and_where(file: Path, entry: dict[str, Any]) -> None:
    assert {"name", "title", "library", "version", "command", "claim", "source"} <= set(entry)
    assert entry["source"].startswith("https://")
    assert f"`{entry['name']}`" in FINDINGS.read_text("utf-8")


def test_names_are_unique() -> None:
    names = [entry["name"] for _, entry in EVERY]
    assert len(names) == len(set(names))


def test_known_divergences_belong_to_a_testee_and_have_causes() -> None:
    named = {file.parent / "known" / f"{entry['name']}.toml" for file, entry in EVERY}
    found = set((ROOT / "ports").glob("*/known/*.toml"))
    assert found <= named
    for file in found:
        for known in load_known(file).entries:
            assert known.cause
            assert "?" not in known.cause
            assert known.link.startswith("https://")
