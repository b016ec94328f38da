"""Fixtures of the experiments' tests: a command that has every jar that it needs."""

from pathlib import Path

import pytest

from conformance.errors import JarError
from conformance.jars.lock import Artifact, jars_beside, jars_of_broker, locked_release
from conformance.jars.store import JarStore
from tests.cli.running import Suite


@pytest.fixture(scope="session")
def experiment_jars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the jars of a broker and of every client of the matrix."""
    clients = ("2.3.1", "3.2.3", "3.8.0", "4.4.0")
    wanted = [locked_release(one).jar(Artifact.CLIENTS) for one in clients]
    try:
        found = JarStore().ensure([*jars_of_broker(), *jars_beside(), *wanted])
    except JarError as error:
        pytest.skip(f"no experiments without jars: {error.what}")
    folder = tmp_path_factory.mktemp("experiment jars")
    for path in {one.name: one for one in found}.values():
        (folder / path.name).symlink_to(path.resolve())
    return folder


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """The folder for temporary files of the command."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.fixture
def suite(tmp_path: Path, experiment_jars: Path, temporary: Path) -> Suite:
    """The command line, with these jars and a folder for temporary files of its own."""
    return Suite(tmp_path, experiment_jars, environment={"TMPDIR": str(temporary)})
