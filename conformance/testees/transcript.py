"""What is said between the suite and a testee, written down for the testee's author."""

import itertools
import os
from pathlib import Path
from typing import Final

from conformance.errors import UsageError

_NUMBERS: Final = itertools.count(1)


class Transcript:
    """A file for one process: ``> `` before each line of the suite, ``< `` before the testee's.

    The lines after ``> ``, fed to a testee, ask it the same again.
    """

    def __init__(self, folder: Path) -> None:
        """Raises :class:`UsageError` if no file can be written there."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Each of several workers starts its testees one after the other.
            self._file = (folder / f"testee-{os.getpid()}-{next(_NUMBERS):03}.txt").open("wb")
        except OSError as error:
            raise UsageError(
                f"No transcript can be written to {folder}: {error.strerror}.",
                "Name a folder that can be written to with --transcripts.",
            ) from error

    def sent(self, line: bytes) -> None:
        """A line of the suite, with its end."""
        self._written(b"> " + line)

    def received(self, line: bytes) -> None:
        """A line of the testee, without its end."""
        self._written(b"< " + line + b"\n")

    def close(self, rest: bytes = b"") -> None:
        """Write down what is no whole line, too; once."""
        if rest and not self._file.closed:
            self.received(rest)
        self._file.close()

    def _written(self, line: bytes) -> None:
        self._file.write(line)
        self._file.flush()  # or the last lines of a run that is killed are missing
