"""What processes that drive jars leave behind in a folder, whatever becomes of them.

A process may hang or be ended in the middle of a case, by the jar that it drives. Which case that
was has to be told before, in a way that costs next to nothing: a file of its own for each process.
"""

import os
import pickle
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from conformance.model.case import Case
from conformance.model.subject import Performed


@dataclass(frozen=True)
class Watch:
    """The folder, and what else is needed to tell which of a jar's methods run."""

    folder: Path
    marked: tuple[Path, ...] = ()
    """See :class:`~conformance.oracle.class_files.ComparedClasses`; of the candidate alone."""

    @contextmanager
    def performing(self, by: str, case: Case) -> Iterator[None]:
        """While a case is performed, its process can be asked which one it is."""
        path = self.folder / f"{os.getpid()}.case"
        if path not in _open_files:
            _open_files[path] = path.open("wb", buffering=0)
        file = _open_files[path]
        # Over what was there: a pickle says itself where it ends.
        file.seek(0)
        file.write(pickle.dumps((by, case)))
        try:
            yield
        finally:
            file.seek(0)
            file.write(_NOTHING)

    def last_case(self, process: int) -> Performed | None:
        """What a process, by its number, was performing when it ended, or performs; or None."""
        path = self.folder / f"{process}.case"
        with suppress(Exception):  # there is none, or it is being written
            began = path.stat().st_mtime
            found = pickle.loads(path.read_bytes())  # a file of our own
            if found is not None:
                by, case = found
                return Performed(by, case, max(0.0, time.time() - began))
        return None

    def keep_probes(self, ran: Sequence[int]) -> None:
        """Say which probes ran in this process so far."""
        (self.folder / f"{os.getpid()}.probes").write_text("\n".join(map(str, ran)), "utf-8")

    def probes(self) -> frozenset[int]:
        """Those that ran in any process."""
        files = self.folder.glob("*.probes")
        return frozenset(int(one) for file in files for one in file.read_text("utf-8").split())


_NOTHING: Final = pickle.dumps(None)
_open_files: dict[Path, BinaryIO] = {}
"""Of this process; opening one for each case would cost more than the case."""
