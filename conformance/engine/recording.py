"""What an oracle answered to the cases of one cell, kept as a file for later runs.

Lines of JSON, compressed: what the recording is of, then a case's number, the case and its trace
in each line, then how many there were. A file is written whole or not at all; its own check sum
tells damage.
"""

import gzip
import hashlib
import json
import os
import secrets
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from conformance.engine.comparing import Asked
from conformance.errors import SuiteError
from conformance.model.trace import Trace
from conformance.model.values import from_json, to_json

SUFFIX: Final = ".jsonl.gz"
TEMPORARY: Final = ".recording."
"""How files begin that are being written."""
_FORMAT: Final = "kafka-conformance recording 2"
_DAMAGE: Final = (OSError, EOFError, ValueError, zlib.error)
_LEVEL: Final = 1  # five times as fast as the usual one, and cases hardly compress any better


@dataclass(frozen=True)
class Recording:
    """One recording, there or not. ``of`` is everything that its cases and answers depend on."""

    folder: Path
    behaviour: str
    of: Mapping[str, Any]

    @property
    def path(self) -> Path:
        """Its file."""
        key = hashlib.blake2b(self.header().encode(), digest_size=16).hexdigest()
        return self.folder / f"{self.behaviour}-{key}{SUFFIX}"

    def header(self) -> str:
        """The first line: what it is of."""
        return json.dumps({"format": _FORMAT, **self.of}, sort_keys=True)

    def exists(self) -> bool:
        """Whether there is a file, whatever is in it."""
        return os.access(self.path, os.R_OK)

    def damage(self) -> str | None:
        """What is wrong with the file, or None if it is whole."""
        last = first = b""
        lines = 0
        try:
            with gzip.open(self.path, "rb") as file:
                for last in file:
                    first = first or last
                    lines += 1
        except _DAMAGE as error:
            return str(error) or type(error).__name__
        if first.decode("utf-8", "replace").rstrip("\n") != self.header():
            return "it is of something else than its name says"
        if last != f"{lines - 2}\n".encode():
            return "its end is missing"
        return None

    def read(self) -> Iterator[Asked]:
        """Each case with its trace; SuiteError for what is damaged.

        That there are fewer than there should be is told after the last of them.
        """
        cases, end = 0, ""
        try:
            with gzip.open(self.path, "rt", encoding="utf-8") as file:
                next(file)
                for line in file:
                    number, tab, rest = line.partition("\t")
                    if not tab:
                        end = line
                        break
                    case, _, trace = rest.partition("\t")
                    cases += 1
                    yield Asked(from_json(case), case, int(number), from_json(trace))
                if end != f"{cases}\n":
                    raise ValueError("its end is missing")
        except (*_DAMAGE, StopIteration) as error:
            raise SuiteError(
                f"{self.path} is damaged: {error}.", "Delete it, or run with --no-cache."
            ) from error


class Writer:
    """Takes what a recording is made of; the file is there once it is kept, not before.

    What cannot be written costs the recording, not the run: whoever wants it looks for it
    afterwards.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._cases = 0
        self._temporary: Path | None = None
        self._file: gzip.GzipFile | None = None
        with suppress(OSError):
            recording.folder.mkdir(parents=True, exist_ok=True)
            self._temporary = recording.folder / f"{TEMPORARY}{secrets.token_hex(8)}"
            self._file = gzip.open(self._temporary, "xb", _LEVEL)  # noqa: SIM115 -- closed by keep or drop
        self._write(recording.header())

    def take(self, asked: Asked, trace: Trace) -> None:
        """A case, and what the oracle answered."""
        self._cases += 1
        if self._file is not None:
            self._write(f"{asked.number}\t{asked.text}\t{to_json(trace)}")

    def keep(self) -> None:
        """These were all cases."""
        self._write(str(self._cases))
        if self._file is None or self._temporary is None:
            return
        try:
            self._file.close()
            self._temporary.replace(self._recording.path)
        except OSError:
            self.drop()

    def drop(self) -> None:
        """There will be no recording; nothing happens to one that was kept."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None
        if self._temporary is not None:
            with suppress(OSError):
                self._temporary.unlink(missing_ok=True)

    def _write(self, line: str) -> None:
        if self._file is not None:
            try:
                self._file.write(f"{line}\n".encode())
            except OSError:  # such as a full disk
                self.drop()
