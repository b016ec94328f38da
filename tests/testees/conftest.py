"""Fixtures of the tests with testees."""

from pathlib import Path

import pytest

from conformance.engine.profiles import PROFILES, Profile
from conformance.subjects.java_client import JavaSubject
from tests.cli.conftest import good_jars, suite
from tests.testees.running import TINY

__all__ = ["good_jars", "suite"]


@pytest.fixture
def here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, good_jars: Path, java: JavaSubject
) -> None:
    """The environment of commands that run in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HYPOTHESIS_STORAGE_DIRECTORY", str(tmp_path / "hypothesis"))
    # Some fifty cases of keyed: enough for a batch of questions and the start of a second one.
    monkeypatch.setitem(PROFILES, TINY, Profile(TINY, 3407, "broken testees"))
