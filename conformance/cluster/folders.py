"""The temporary folder of a cluster: held by its process, and removed by the next one if not.

A process holds its folder by a lock (``flock``) on the folder itself, which the system releases
however the process ends. So a folder that can be locked is of a cluster that nobody runs: its
brokers are ended, and it is removed.
"""

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from conformance.errors import ClusterError
from conformance.processes.tree import end_orphans

_PREFIX: Final = "kafka-conformance-cluster-"
_TRIES: Final = 5


class HeldFolder:
    """A new folder for a cluster's data, below the usual one for temporary files.

    Raises :class:`ClusterError` if there can be none.
    """

    def __init__(self) -> None:
        for _ in range(_TRIES):
            try:
                self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
            except OSError as error:
                raise ClusterError(
                    f"A cluster has no place for its data: {error.strerror or error} "
                    f"({tempfile.gettempdir()}).",
                    "Make room there, or name another folder with TMPDIR.",
                ) from error
            # Another process may take it for left behind, before it is locked.
            lock = _lock(self.path)
            if lock is not None:
                self._lock = lock
                return
        raise ClusterError(
            f"Other processes keep removing new folders from {tempfile.gettempdir()}.",
            "Name another folder with TMPDIR.",
        )

    @property
    def run(self) -> str:
        """What the marks of the cluster's processes begin with: its name, which is unique."""
        return self.path.name

    def remove(self) -> None:
        """Remove it with all that is in it, and let go of it; what cannot be removed stays."""
        shutil.rmtree(self.path, ignore_errors=True)
        with suppress(OSError):
            os.close(self._lock)


def remove_left_behind() -> list[Path]:
    """End the processes of clusters whose own process is gone, and remove their folders.

    Only this user's. Answers the folders that were there.
    """
    found = []
    for path in sorted(Path(tempfile.gettempdir()).glob(f"{_PREFIX}*")):
        lock = _lock(path)
        if lock is None:
            continue
        try:
            end_orphans(path.name)
            shutil.rmtree(path, ignore_errors=True)
            found.append(path)
        finally:
            os.close(lock)
    return found


def _lock(path: Path) -> int | None:
    """A descriptor that holds a folder, or None: it is held, of somebody else, or gone."""
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(folder).st_uid == os.getuid() and os.path.samestat(
            os.fstat(folder), path.stat()
        ):
            return folder
    except OSError:
        pass
    os.close(folder)
    return None
