"""The adapters' descriptions: complete, told in the findings, with known divergences that load."""

import importlib
import tomllib
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest

from conformance.clients.versions import CLIENT_VERSIONS
from conformance.engine.known import load_known

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "adapters").glob("*/adapters.toml"))
FINDINGS = ROOT / "docs" / "findings.md"


def entries_of(file: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))["testee"]
    return entries


EVERY = [(file, entry) for file in FILES for entry in entries_of(file)]


@pytest.fixture
def folders(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """``adapters/folders.py``, which is no part of a package."""
    monkeypatch.syspath_prepend(ROOT / "adapters")
    return importlib.import_module("folders")


def test_there_are_adapters_in_six_languages() -> None:
    languages = {tomllib.loads(file.read_text("utf-8"))["language"] for file in FILES}
    assert {"C", "Go", "Java", "Node", "Python", "Rust"} <= languages


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_a_folder_says_what_it_needs_and_how_it_is_built(file: Path) -> None:
    document = tomllib.loads(file.read_text("utf-8"))
    assert "tools" in document
    for commands in (document["build"], document["versions"]):
        assert commands
        assert all(isinstance(command, list) and command for command in commands)
    assert document["sources"]
    assert document["makes"]
    assert document["seconds"] > 0


@pytest.mark.parametrize(("file", "entry"), EVERY, ids=[entry["name"] for _, entry in EVERY])
def test_a_testee_says_what_is_claimed_and_where(file: Path, entry: dict[str, Any]) -> None:
    assert {"name", "title", "library", "version", "kind", "command", "claim", "source"} <= set(
        entry
    )
    assert entry["source"].startswith("https://")
    assert f"`{entry['name']}`" in FINDINGS.read_text("utf-8")


@pytest.mark.parametrize(("file", "entry"), EVERY, ids=[entry["name"] for _, entry in EVERY])
def test_a_testee_is_of_a_kind_that_we_know(
    folders: ModuleType, file: Path, entry: dict[str, Any]
) -> None:
    assert entry["kind"] in folders.KINDS


def test_every_kind_is_of_a_testee_and_asked_about_a_version_that_we_have(
    folders: ModuleType,
) -> None:
    assert set(folders.KINDS) == {entry["kind"] for _, entry in EVERY}
    assert {kind.client for kind in folders.KINDS.values()} == {
        client.version for client in CLIENT_VERSIONS
    }


def test_quick_runs_one_testee_of_each_kind_of_each_library(folders: ModuleType) -> None:
    chosen = folders.read_folders(())
    folders.keep_first_of_kinds(chosen)
    pairs = [(adapter.library, adapter.kind) for folder in chosen for adapter in folder.adapters]
    assert len(pairs) == len(set(pairs))
    quick = [entry for _, entry in EVERY if entry.get("quick", True)]
    assert set(pairs) == {(entry["library"], entry["kind"]) for entry in quick}
    assert all(folder.adapters for folder in chosen)
    left_out = {folder.path.name for folder in folders.read_folders(())} - {
        folder.path.name for folder in chosen
    }
    assert left_out == {"node-rdkafka"}
    # Not more than CI has time for: see CONTRIBUTING.md before you raise it.
    assert (len(pairs), len(EVERY)) == (52, 105)


def test_quick_takes_the_first_of_those_that_are_named(folders: ModuleType) -> None:
    chosen = folders.read_folders(["sarama-custom-unsigned", "sarama-hash", "kafkajs-legacy"])
    folders.keep_first_of_kinds(chosen)
    names = [adapter.name for folder in chosen for adapter in folder.adapters]
    assert names == ["sarama-hash", "kafkajs-legacy"]


def test_a_quick_run_of_nothing_is_no_pass(folders: ModuleType) -> None:
    chosen = folders.read_folders(["node-rdkafka"])
    with pytest.raises(click.UsageError, match="None of these is quick: leave --quick out"):
        folders.keep_first_of_kinds(chosen)


def test_what_testees_need_is_a_folder_that_makes_what_they_run(folders: ModuleType) -> None:
    every = folders.read_folders(())
    needing = {
        folder.path.name: [adapter.name for adapter in folder.adapters if adapter.needs]
        for folder in every
    }
    assert {name for name, testees in needing.items() if testees} == {
        "node-rdkafka",
        "python",
        "rust",
    }
    # All of one folder; of others only those that talk to a broker: the rest runs without Go.
    assert len(needing["node-rdkafka"]) == 8
    assert needing["python"] == ["confluent-kafka-batches", "confluent-kafka-batches-crcs"]
    assert needing["rust"] == ["kafka-rust-default", "rskafka-batches"]
    makes = {folder.path.name: folder.makes for folder in every}
    for adapter in (adapter for folder in every for adapter in folder.adapters if adapter.needs):
        assert list(adapter.needs) == ["go"]
    assert makes["go"] == ["testee-bin"]


def test_what_is_needed_is_built_without_its_testees(folders: ModuleType) -> None:
    chosen = folders.with_needed(folders.read_folders(["rskafka-batches"]))
    names = {folder.path.name: [one.name for one in folder.adapters] for folder in chosen}
    assert names == {"rust": ["rskafka-batches"], "go": []}
    chosen = folders.with_needed(folders.read_folders(["kafka-python-default"]))
    assert [folder.path.name for folder in chosen] == ["python"]
    both = folders.read_folders(["rskafka-batches", "sarama-hash"])
    assert folders.with_needed(both) == both


def test_a_needed_folder_that_is_not_there_is_a_mistake(folders: ModuleType) -> None:
    (chosen,) = folders.read_folders(["kafkajs-default"])
    chosen.adapters = [replace(chosen.adapters[0], needs=("perl",))]
    with pytest.raises(click.ClickException, match="need perl, which is no folder here"):
        folders.with_needed([chosen])


def test_names_are_unique() -> None:
    names = [entry["name"] for _, entry in EVERY]
    assert len(names) == len(set(names))


def test_known_divergences_belong_to_a_testee_and_have_causes() -> None:
    named = {file.parent / "known" / f"{entry['name']}.toml" for file, entry in EVERY}
    found = set((ROOT / "adapters").glob("*/known/*.toml"))
    assert found <= named
    for file in found:
        for known in load_known(file).entries:
            assert known.cause
            assert "?" not in known.cause
            assert known.link.startswith("https://")
