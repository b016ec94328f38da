"""Fixtures that several folders of tests use."""

import pytest

from conformance.jars.store import JarStore
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort


@pytest.fixture(scope="session")
def java() -> JavaSubject:
    """The real Java clients."""
    return JavaSubject(JarStore())


@pytest.fixture(scope="session")
def port() -> PythonPort:
    """The Python port."""
    return PythonPort()
