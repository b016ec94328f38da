"""Fixtures of the tests on Spark."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import good_jars
from tests.cli.running import Suite
from tests.spark.cluster import Cluster
from tests.spark.running import configure

__all__ = ["good_jars"]


@pytest.fixture
def suite(tmp_path: Path, good_jars: Path) -> Suite:
    """The command line, with a temporary folder of its own."""
    suite = Suite(tmp_path, good_jars)
    configure(suite, {})
    return suite


@pytest.fixture(scope="session")
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()


@pytest.fixture
def cluster(_cluster: Cluster) -> Cluster:
    """A cluster with two free workers; each process of pytest-xdist has its own."""
    return _cluster.ensure()
