"""The kinds of subject that the command line can hold against Java, registered here."""

from collections.abc import Callable, Mapping

from conformance.jars.store import JarStore
from conformance.model.subject import Subject
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort

SUBJECTS: Mapping[str, Callable[[JarStore], Subject]] = {
    "port": lambda _store: PythonPort(),
    "java": JavaSubject,
}
"""By the name that ``--subject`` takes; each is made from the jars that the user chose."""
