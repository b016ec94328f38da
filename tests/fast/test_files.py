"""Files that are written, and that cannot be: noticed before, said where, and no result lost."""

import os
from pathlib import Path

import psutil
import pytest
from rich.console import Console

from conformance.commands.divergences import report_divergences
from conformance.commands.running import Outputs
from conformance.errors import ExitCode, JarError, NotWrittenError, SuiteError, UsageError
from conformance.files import (
    check_folder_writable,
    check_writable,
    replace_folder,
    write_whole,
    writing_results,
)
from conformance.jars.fetch import fetch_jars
from conformance.jars.lock import jars_of_client
from conformance.java_home import JavaInstallation
from conformance.model.results import RunResult
from tests.reports.samples import diverging

RUN = RunResult((diverging(),), 1.0, 1)


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o007])
def test_the_umask_holds_for_what_is_written(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_whole(tmp_path / "r.json", "{}")
        replace_folder(tmp_path / "all", lambda new: write_whole(new / "r.json", "{}"))
    finally:
        os.umask(before)
    for file in (tmp_path / "r.json", tmp_path / "all" / "r.json"):
        assert file.stat().st_mode & 0o777 == 0o666 & ~mask
    assert (tmp_path / "all").stat().st_mode & 0o777 == 0o777 & ~mask


def test_missing_folders_are_made_for_everybody(tmp_path: Path) -> None:
    file = tmp_path / "new" / "newer" / "r.json"
    check_writable(file)
    assert list(tmp_path.iterdir()) == []
    write_whole(file, "{}")
    assert file.read_text() == "{}"


@pytest.mark.parametrize("place", ["/proc/r.json", "/sys/new/r.json", "/dev/full", "link"])
def test_places_that_only_seem_writable_are_refused_before(tmp_path: Path, place: str) -> None:
    path = tmp_path / place
    if place == "link":
        path.symlink_to("/dev/full")
    if not (path.exists() or path.parents[-2].is_dir()):
        pytest.skip("this system has no such place")
    with pytest.raises(UsageError, match=f"{path} cannot be written: "):
        check_writable(path)
    if path.suffix:
        with pytest.raises(UsageError, match="cannot be written: "):
            check_folder_writable(path)


def test_devices_are_written_through() -> None:
    check_writable(Path("/dev/null"))
    write_whole(Path("/dev/null"), "{}")


@pytest.mark.parametrize("code", ExitCode)
def test_a_report_that_cannot_be_written_costs_neither_the_other_nor_a_divergence(
    tmp_path: Path, code: ExitCode
) -> None:
    (tmp_path / "file").touch()
    outputs = Outputs(tmp_path / "file" / "r.json", tmp_path / "r.xml", tmp_path)
    more = {tmp_path / "r.md": "more"}
    with pytest.raises(NotWrittenError, match=r"file/r\.json cannot be written: ") as failed:
        outputs.write({"exit_code": int(code)}, RUN, {"keyed[3.8.0]": "replay"}, more=more)
    diverges = code is ExitCode.DIVERGES
    assert failed.value.exit_code is (code if diverges else ExitCode.NOT_RUN)
    assert "<testsuite" in (tmp_path / "r.xml").read_text()
    assert (tmp_path / "r.md").read_text() == "more"


@pytest.mark.parametrize("code", ExitCode)
def test_a_folder_of_results_that_cannot_be_written_hides_no_divergence(code: ExitCode) -> None:
    with pytest.raises(NotWrittenError, match="No room") as failed, writing_results(code):
        raise SuiteError("No room.", "Make some.")
    assert failed.value.exit_code is (code if code is ExitCode.DIVERGES else ExitCode.NOT_RUN)


def test_a_divergence_that_can_be_saved_nowhere_is_printed_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is room for a first file in both folders, and none for the second: a full disk."""
    places = (tmp_path / "output", tmp_path / "state")
    monkeypatch.setattr("platformdirs.user_state_path", lambda _name: places[1])
    for place in places:
        (place / "keyed-3.8.0.json").mkdir(parents=True)  # where no file can go
    console = Console(record=True, width=120)
    [command] = report_divergences(console, RUN, places[0], []).values()
    assert command.startswith("not possible")
    told = console.export_text()
    for place in places:
        assert f"{place}/keyed-3.8.0.json cannot be written" in told
    assert '"format": "kafka-conformance divergence 1"' in told
    (places[1] / "keyed-3.8.0.json").rmdir()
    [command] = report_divergences(console, RUN, places[0], []).values()
    assert command == f"kafka-conformance replay {places[1]}/keyed-3.8.0.json"


@pytest.mark.parametrize(
    ("log", "remedy"),
    [
        ("java.io.IOException: No space left on device", "Make room there"),
        ("Host repo1.maven.org not found", "Connect to the network"),
    ],
)
def test_a_full_disk_is_no_trouble_with_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: str, remedy: str
) -> None:
    java = tmp_path / "java"
    java.write_text(f"#!/bin/sh\necho '{log}'\nexit 1\n")
    java.chmod(0o700)
    found = JavaInstallation(java, 17, java)
    monkeypatch.setattr("conformance.jars.fetch.find_java", lambda: found)
    [jar, *_] = jars_of_client("3.8.0")
    with pytest.raises(JarError, match=remedy) as failed:
        fetch_jars([jar], tmp_path, ivy=tmp_path / "ivy.jar", progress=lambda *_: None)
    assert f"{jar.coordinates} is not here and could not be fetched" in failed.value.what
    assert [path.name for path in tmp_path.iterdir()] == ["java"]


def test_nothing_that_fetches_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A java that is a script, as of version managers: it is not the script alone that ends."""
    java, pid = tmp_path / "java", tmp_path / "pid"
    java.write_text(f"#!/bin/sh\nsleep 600 &\necho $! > '{pid}'\nwait\n")
    java.chmod(0o700)
    found = JavaInstallation(java, 17, java)
    monkeypatch.setattr("conformance.jars.fetch.find_java", lambda: found)
    monkeypatch.setattr("conformance.jars.fetch._TIMEOUT_SECONDS", 5)
    with pytest.raises(JarError, match="no answer within 5 s"):
        fetch_jars(jars_of_client("3.8.0")[:1], tmp_path, ivy=java, progress=lambda *_: None)
    child = int(pid.read_text())
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == "zombie"


def test_a_folder_that_cannot_be_written_is_no_trouble_with_the_network(tmp_path: Path) -> None:
    [jar, *_] = jars_of_client("3.8.0")
    with pytest.raises(JarError, match="Make room there") as failed:
        fetch_jars([jar], tmp_path / "gone", ivy=tmp_path, progress=lambda *_: None)
    assert f"Jars cannot be written to {tmp_path}/gone: No such file" in failed.value.what
