"""When a folder of adapters is built, and when what was built before is used again."""

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
COMPILER = """
import pathlib
here = pathlib.Path()
(here / "left.o").touch()
(here / "made").mkdir(exist_ok=True)
(here / "made" / "program").write_text((here / "source.c").read_text().upper())
with open("../times", "a") as times:
    times.write("x")
"""
VERSION = "import pathlib; print(pathlib.Path('../version').read_text())"


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """``adapters/builds.py``, which is no part of a package."""
    monkeypatch.syspath_prepend(ROOT / "adapters")
    return importlib.import_module("builds")


@pytest.fixture
def folder(builds: ModuleType, tmp_path: Path) -> Any:
    """One whose compiler capitalises, leaves an object behind and counts how often it has run."""
    path = tmp_path / "perl"
    path.mkdir()
    (path / "source.c").write_text("one", "utf-8")
    (tmp_path / "version").write_text("1", "utf-8")
    return builds.Folder(
        path,
        "Perl",
        (),
        (("{python}", "-c", COMPILER),),
        versions=(("{python}", "-c", VERSION),),
        sources=("*.c",),
        makes=("made",),
        leaves=("*.o",),
    )


@pytest.fixture
def build(builds: ModuleType, tmp_path: Path) -> Callable[..., str]:
    """Build, and answer what is told; a problem is one of the test."""

    def run(folder: Any, **options: bool) -> str:
        built = builds.build(folder, tmp_path / "log", builds.Processes(), **options)
        assert built.problem is None
        told: str = built.told
        return told

    return run


def _times(folder: Any) -> int:
    return len((folder.path.parent / "times").read_text())


def test_what_has_not_changed_is_built_once(build: Callable[..., str], folder: Any) -> None:
    assert "there is no earlier build" in build(folder)
    assert build(folder) == "reused, because nothing has changed"
    assert _times(folder) == 1


def test_rebuild_builds_from_nothing(build: Callable[..., str], folder: Any) -> None:
    build(folder)
    (folder.path / "left.o").write_text("old", "utf-8")
    assert build(folder, rebuild=True).endswith("(--rebuild)")
    assert (folder.path / "left.o").read_text("utf-8") == ""


def _new_source(folder: Any) -> None:
    (folder.path / "other.c").touch()


def _edit(folder: Any) -> None:
    (folder.path / "source.c").write_text("two", "utf-8")


def _rename(folder: Any) -> None:
    _new_source(folder)
    (folder.path / "other.c").rename(folder.path / "source.h.c")


@pytest.mark.parametrize("change", [_edit, _new_source, _rename])
def test_another_source_is_built_on_what_compilers_left(
    build: Callable[..., str], folder: Any, change: Callable[[Any], None]
) -> None:
    build(folder)
    (folder.path / "left.o").write_text("old", "utf-8")
    change(folder)
    assert build(folder).endswith("(its sources changed)")
    assert (folder.path / "left.o").read_text("utf-8") == "old"
    made = (folder.path / "made" / "program").read_text("utf-8")
    assert made == (folder.path / "source.c").read_text("utf-8").upper()
    assert build(folder).startswith("reused")


def _delete(folder: Any) -> None:
    (folder.path / "made" / "program").unlink()


def _truncate(folder: Any) -> None:
    (folder.path / "made" / "program").write_text("", "utf-8")


def _add(folder: Any) -> None:
    (folder.path / "made" / "more").touch()


def _delete_all(folder: Any) -> None:
    _delete(folder)
    (folder.path / "made").rmdir()


@pytest.mark.parametrize("damage", [_delete, _truncate, _add, _delete_all])
@pytest.mark.parametrize("edited", [False, True])
def test_what_is_damaged_or_gone_is_built_from_nothing(
    build: Callable[..., str], folder: Any, damage: Callable[[Any], None], edited: bool
) -> None:
    build(folder)
    (folder.path / "left.o").write_text("old", "utf-8")
    damage(folder)
    if edited:
        _edit(folder)
    assert build(folder).endswith("are damaged or missing)")
    assert (folder.path / "left.o").read_text("utf-8") == ""
    assert [path.name for path in (folder.path / "made").iterdir()] == ["program"]


def test_a_broken_link_in_what_was_made_is_damage(build: Callable[..., str], folder: Any) -> None:
    """As of a virtual environment whose Python has gone."""
    target = folder.path.parent / "python"
    target.touch()
    command = f"{COMPILER}\n(here / 'made' / 'link').symlink_to({str(target)!r})"
    folder = replace(folder, build=(("{python}", "-c", command),))
    build(folder)
    assert build(folder).startswith("reused")
    target.unlink()
    assert build(folder).endswith("are damaged or missing)")


def test_what_running_leaves_in_it_is_no_damage(build: Callable[..., str], folder: Any) -> None:
    build(folder)
    cache = folder.path / "made" / "__pycache__"
    cache.mkdir()
    (cache / "program.pyc").touch()
    assert build(folder).startswith("reused")


def test_another_version_of_a_tool_builds_from_nothing(
    build: Callable[..., str], folder: Any
) -> None:
    build(folder)
    (folder.path / "left.o").write_text("old", "utf-8")
    (folder.path.parent / "version").write_text("2", "utf-8")
    assert build(folder).endswith("(a tool changed)")
    assert (folder.path / "left.o").read_text("utf-8") == ""


def test_other_commands_and_flags_build_anew(
    build: Callable[..., str], folder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(folder)
    monkeypatch.setenv("CFLAGS", "-O0")
    assert build(folder).endswith("(the environment changed)")
    changed = replace(folder, build=(("{python}", "-c", f"{COMPILER}\n# another"),))
    assert build(changed).endswith("(its commands changed)")


@pytest.mark.parametrize("stamp", ["", "{", "[]", "{}", '{"made": 3}'])
def test_a_stamp_that_says_nothing_is_none(
    builds: ModuleType, build: Callable[..., str], folder: Any, stamp: str
) -> None:
    build(folder)
    (folder.path / builds.STAMP).write_text(stamp, "utf-8")
    assert not build(folder).startswith("reused")


def test_a_failed_build_leaves_no_stamp_and_nothing_to_run(
    builds: ModuleType, build: Callable[..., str], folder: Any, tmp_path: Path
) -> None:
    build(folder)
    (folder.path / "source.c").write_bytes(b"\xff")
    failed = builds.build(folder, tmp_path / "log", builds.Processes())
    assert failed.problem.startswith("Perl: not run, because")
    assert "UnicodeDecodeError" in failed.problem
    assert not (folder.path / builds.STAMP).exists()
    assert not (folder.path / "made" / "program").exists()
    _edit(folder)
    assert "no earlier build" in build(folder)


def test_a_build_that_makes_nothing_is_none(
    builds: ModuleType, folder: Any, tmp_path: Path
) -> None:
    idle = replace(folder, build=())
    built = builds.build(idle, tmp_path / "log", builds.Processes())
    assert built.problem.startswith("Perl: not run, because the build made no made")
    assert not (folder.path / builds.STAMP).exists()


def test_a_machine_without_a_tool_is_told(builds: ModuleType, folder: Any, tmp_path: Path) -> None:
    lacking = replace(folder, tools=("no-such-compiler",))
    built = builds.build(lacking, tmp_path / "log", builds.Processes())
    assert built.problem == "Perl: not run, because this machine has no no-such-compiler"


def test_a_build_that_takes_too_long_is_ended_and_told(
    builds: ModuleType, folder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builds, "BUILD_SECONDS", 0.5)
    monkeypatch.setattr(importlib.import_module("processes"), "STOP_SECONDS", 1.0)
    slow = replace(folder, build=((sys.executable, "-c", "import time; time.sleep(600)"),))
    built = builds.build(slow, tmp_path / "log", builds.Processes())
    assert built.problem.startswith(f"Perl: not run, because {sys.executable} failed")


def test_the_stamp_is_readable(builds: ModuleType, build: Callable[..., str], folder: Any) -> None:
    build(folder)
    stamp = json.loads((folder.path / builds.STAMP).read_text("utf-8"))
    assert set(stamp) == {*builds.CHANGED, "made"}
    assert stamp["tools"] == ["0: 1\n"]


def test_every_file_of_a_folder_is_a_source_or_runs_as_it_is(builds: ModuleType) -> None:
    """Or a change to it would go unseen. Nobody builds the adapters in JavaScript and Python."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "adapters"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("this is no git repository")
    tracked = {ROOT / name for name in listed.stdout.splitlines()}
    for folder in importlib.import_module("folders").read_folders(()):
        sources = {
            path.resolve() for pattern in folder.sources for path in folder.path.glob(pattern)
        }
        for pattern in folder.sources:
            assert list(folder.path.glob(pattern)), f"{folder.path.name}: {pattern}"
        rest = {
            path.relative_to(folder.path).as_posix()
            for path in tracked - sources
            if path.is_relative_to(folder.path) and path.exists()
        }
        as_it_is = {"adapters.toml", ".gitignore"} | {
            name
            for name in rest
            if name.startswith("known/") or Path(name).suffix in (".js", ".py")
        }
        assert rest <= as_it_is, folder.path.name
