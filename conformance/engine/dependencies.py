"""Which of the suite's own sources a thing depends on, read from their imports.

A kept answer holds as long as nothing changed that it depends on. Nobody keeps a list of that:
a module depends on what it imports, late imports included, on what those import, and so on; and on
the Java sources beside them. What is imported for type checkers only does not count.
"""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from conformance.suite_version import digest_of_sources

_PACKAGE: Final = "conformance"
_FOLDER: Final = Path(__file__).parents[1]


def digest_of(modules: Iterable[str]) -> str:
    """A hash of some modules of the suite and of all that they depend on."""
    return _digest(frozenset(modules))


@cache
def _digest(modules: frozenset[str]) -> str:
    return digest_of_sources(sources_of(modules), _FOLDER)


def sources_of(modules: Iterable[str]) -> set[Path]:
    """The files of some modules of the suite and of all that they depend on.

    Raises :class:`LookupError` for a module that is none of the suite.
    """
    files: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module in files:
            continue
        file = _file(module)
        if file is None:
            raise LookupError(f"{module} is no module of the suite")
        files[module] = file
        waiting += _imported(file)
    folders = {file.parent for file in files.values()}
    return {*files.values(), *(java for folder in folders for java in folder.glob("*.java"))}


def _file(module: str) -> Path | None:
    """The file of a module of the suite; None for what is none."""
    package, *names = module.split(".")
    if package != _PACKAGE:
        return None
    place = _FOLDER.joinpath(*names)
    candidates = (place / "__init__.py", place.parent / f"{place.name}.py")
    return next((file for file in candidates if file.is_file()), None)


@cache
def _imported(file: Path) -> frozenset[str]:
    """The suite's modules that a file imports: a submodule itself rather than its package."""
    found = set()
    for node in _at_run_time(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                found.add(submodule if _file(submodule) else node.module)
    return frozenset(module for module in found if _file(module))


def _at_run_time(node: ast.AST) -> Iterator[ast.AST]:
    """A tree without what stands under ``if TYPE_CHECKING``; its ``else`` is what runs."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        for other in node.orelse:
            yield from _at_run_time(other)
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _at_run_time(child)
