"""Fixtures of the tests with real brokers."""

from pathlib import Path

import pytest

from conformance.errors import JarError
from conformance.jars.lock import jars_of_broker
from conformance.jars.store import JarStore
from tests.cli.running import Suite


@pytest.fixture(scope="session")
def broker_jars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every jar of a broker, whichever folders they come from."""
    try:
        found = JarStore().ensure(jars_of_broker())
    except JarError as error:
        pytest.skip(f"no brokers without their jars: {error.what}")
    folder = tmp_path_factory.mktemp("broker jars")
    for path in found:
        (folder / path.name).symlink_to(path.resolve())
    return folder


@pytest.fixture
def store(broker_jars: Path) -> JarStore:
    """The jars of a broker."""
    return JarStore(broker_jars)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files of this test alone, so that all that is left is its own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def suite(tmp_path: Path, broker_jars: Path, temporary: Path) -> Suite:
    """The command line, with good jars and a folder for temporary files of its own."""
    return Suite(tmp_path, broker_jars, environment={"TMPDIR": str(temporary)})
