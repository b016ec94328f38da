"""The Java sources of this folder, as text."""

from importlib import resources


def java_source(name: str) -> str:
    """The source of a class; ``name`` is its simple name, such as ``Runner``."""
    return (resources.files("conformance.java") / f"{name}.java").read_text("utf-8")
