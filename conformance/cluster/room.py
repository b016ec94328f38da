"""Whether a machine has room for a cluster: memory and disk, before anything is started."""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil
from rich.filesize import decimal

from conformance.errors import ClusterError
from conformance.text import counted

MEBIBYTE: Final = 2**20
BROKER_MIB: Final = 200
"""A broker that is ready holds 120 to 150 MiB, and its heap may grow by 200 more."""
_DISK_MIB: Final = 32
_CGROUPS: Final = Path("/sys/fs/cgroup")
_OWN: Final = Path("/proc/self/cgroup")


def check_room(brokers: int, folder: Path) -> None:
    """Raise :class:`ClusterError` if so many brokers have too little memory, or disk."""
    needed, free = brokers * BROKER_MIB * MEBIBYTE, free_memory()
    if free < needed:
        raise ClusterError(
            f"{counted(brokers, 'broker')} would need {decimal(needed)} of memory; "
            f"{decimal(free)} are free.",
            "Start fewer (--brokers), or end other processes.",
        )
    needed, free = brokers * _DISK_MIB * MEBIBYTE, shutil.disk_usage(folder).free
    if free < needed:
        raise ClusterError(
            f"{counted(brokers, 'broker')} would need {decimal(needed)} of room in {folder}; "
            f"{decimal(free)} are free.",
            "Make room there, or name another folder with TMPDIR.",
        )


def free_memory() -> int:
    """Bytes that can be had without swapping, within the limits of this process's cgroups."""
    return min([int(psutil.virtual_memory().available), *_left_by_cgroups(_OWN, _CGROUPS)])


def _left_by_cgroups(own: Path, mounted: Path) -> Iterator[int]:
    """What each limit of memory leaves, in bytes, of v1 and v2; nothing where there is none."""
    try:
        lines = own.read_text("utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            yield from _left(mounted, path, "memory.max", "memory.current", "inactive_file ")
        elif "memory" in controllers.split(","):
            names = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "
            yield from _left(mounted / "memory", path, *names)


def _left(root: Path, path: str, limit: str, used: str, cache: str) -> Iterator[int]:
    """Of a group and those above it; in a container its own may be the root."""
    for group in [root / path.lstrip("/"), *(root / path.lstrip("/")).parents]:
        with suppress(OSError, ValueError):  # "max" is no limit
            most, now = (int((group / name).read_text("utf-8")) for name in (limit, used))
            # What is only kept in case somebody reads a file again is given up when it is needed.
            lines = (group / "memory.stat").read_text("utf-8").splitlines()
            kept = sum(int(line.split()[1]) for line in lines if line.startswith(cache))
            yield most - now + kept
        if group == root:
            return
