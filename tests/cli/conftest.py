"""Fixtures of the tests of the command line."""

import shutil
from pathlib import Path

import pytest

from conformance.clients.versions import jars_of_matrix
from conformance.jars.lock import jars_of_client
from conformance.jars.store import JarStore
from tests.cli.running import Suite


@pytest.fixture(scope="session")
def good_jars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every jar of the lock, whichever folders they come from."""
    folder = tmp_path_factory.mktemp("jars")
    for path in JarStore().ensure(jars_of_matrix()):
        (folder / path.name).symlink_to(path.resolve())
    return folder


@pytest.fixture
def suite(tmp_path: Path, good_jars: Path) -> Suite:
    """The command line, with good jars and an empty home and working directory."""
    return Suite(tmp_path, good_jars)


@pytest.fixture
def clone(suite: Suite) -> Suite:
    """The command line of a fresh clone of the project: the code and the lock, no jars."""
    project = suite.place / "project"
    for package in ("conformance", "python_impl"):
        no_cache = shutil.ignore_patterns("__pycache__")
        shutil.copytree(suite.project / package, project / package, ignore=no_cache)
    (project / "jars").mkdir()
    shutil.copy(suite.project / "jars" / "lock.toml", project / "jars")
    suite.project = project
    suite.environment["KAFKA_CONFORMANCE_JARS"] = ""
    return suite


@pytest.fixture
def own_jars(tmp_path: Path, good_jars: Path) -> Path:
    """A folder with copies of the jars that client 3.8.0 needs, to be spoilt."""
    folder = tmp_path / "own jars"
    folder.mkdir()
    for jar in jars_of_client("3.8.0"):
        shutil.copy(good_jars / jar.name, folder)
    return folder
