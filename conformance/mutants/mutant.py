"""Mutants: the port with one bug planted in its source."""

import importlib.util
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.abc import ExecutionLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import python_impl
from conformance.model.port import Port

ROOT = Path(python_impl.__file__).parent
"""The folder of the port, whose sources are mutated."""

_KERNELS = {
    "murmur2_kernel": ("hash_keys",),
    "records.segment_kernel": ("plain_ends", "decode", "decode_headers"),
    "records.column_writer_kernel": ("encode",),
}
"""Modules that Numba compiles, and what is called of each."""


@dataclass(frozen=True)
class Mutant:
    """One planted bug."""

    name: str
    bug: str
    """What a person would call the bug, and where it was seen, if it was."""
    file: str
    """The source file, relative to ``python_impl``."""
    before: str
    """The source text that is replaced; stands exactly once in the file."""
    after: str
    behaviour: str
    """The behaviour that must kill the mutant ..."""
    client: str
    """... on this client version."""
    seen_in: str = ""
    """The real port that had this bug, if one is known."""

    @property
    def package(self) -> str:
        """The name of the package that :meth:`load` makes."""
        return "mutant_" + re.sub(r"\W", "_", self.name)

    def load(self) -> Port:
        """A copy of the whole port, under another name, with the bug in it."""
        package = self.package
        if package not in sys.modules:
            # Now: what raises when a column is hashed first would count as a bug that is found.
            self.patched((ROOT / self.file).read_text("utf-8"))
            # The finder stays: the port imports its columns, and they their kernel, at first use.
            # First, because the package's path would lead the usual finder to the unpatched files.
            sys.meta_path.insert(0, _Finder(package, self))
            importlib.import_module(package)
        return cast("Port", sys.modules[package])

    def patched(self, source: str) -> str:
        """The source with the bug; raises :class:`LookupError` if it is not to be placed."""
        count = source.count(self.before)
        if count != 1:
            raise LookupError(
                f"mutant {self.name}: {self.before!r} stands {count} times in {self.file}, not "
                "once; update the mutant"
            )
        return source.replace(self.before, self.after)


@cache
def compile_kernel() -> None:
    """Compile the port's own kernels for columns, which takes seconds, in this process."""
    import pyarrow as pa  # noqa: PLC0415 -- only columns need it

    for kind in (pa.binary(), pa.large_binary()):
        python_impl.murmur2_column(pa.array([b"a key"], kind))
    batch = python_impl.kafka_3_8_0.MemoryRecordsBuilder()
    batch.append(0, b"a key", None, [python_impl.records.RecordHeader("a header", None)])
    python_impl.records.read_records(batch.build()).read_all()
    next(python_impl.records.write_records(pa.table({"key": [b"a key"]}), compiled=True))


def load_with_kernel(mutant: Mutant) -> Port:
    """A mutated port whose kernels are compiled: its own if it is mutated, else the port's.

    Whoever loads mutants in several processes calls :func:`compile_kernel` before they begin.
    """
    compile_kernel()
    port = mutant.load()
    for name, functions in _KERNELS.items():
        original: Any = importlib.import_module(f"{python_impl.__name__}.{name}")
        if mutant.file != f"{name.replace('.', '/')}.py":
            sys.modules[f"{mutant.package}.{name}"] = original
            continue
        kernel: Any = importlib.import_module(f"{mutant.package}.{name}")
        for function in functions:
            for signature in getattr(original, function).signatures:
                getattr(kernel, function).compile(signature)
    return port


class _Finder(MetaPathFinder):
    def __init__(self, package: str, mutant: Mutant) -> None:
        self._package = package
        self._mutant = mutant

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.split(".", maxsplit=1)[0] != self._package:
            return None
        relative = Path(*fullname.split(".")[1:])
        folder = ROOT / relative
        file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
        if not file.is_file():
            return None
        loader = _Loader(file, self._mutant)
        return importlib.util.spec_from_file_location(fullname, file, loader=loader)


class _Loader(ExecutionLoader):
    """Compiles the (patched) source each time: no cached bytecode, which would be the port's."""

    def __init__(self, file: Path, mutant: Mutant) -> None:
        self._file = file
        self._mutant = mutant

    def get_filename(self, fullname: str) -> str:
        # Numba keeps compiled code by file name: a patched file must not be taken for the port's.
        return f"<{fullname}>" if self._is_patched() else str(self._file)

    def _is_patched(self) -> bool:
        return self._file == ROOT / self._mutant.file

    def get_source(self, fullname: str) -> str:
        source = self._file.read_text("utf-8")
        return self._mutant.patched(source) if self._is_patched() else source

    def is_package(self, fullname: str) -> bool:
        return self._file.name == "__init__.py"
