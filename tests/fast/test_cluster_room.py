"""Whether a cluster has room is told before anything starts, and in whose words."""

import shutil
from pathlib import Path

import pytest

from conformance.cluster import room
from conformance.cluster.cluster import Cluster
from conformance.errors import ClusterError, UsageError

MEBIBYTE = 2**20


def test_too_little_memory_names_what_is_free_and_what_is_needed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(room, "free_memory", lambda: 4 * room.BROKER_MIB * MEBIBYTE)
    room.check_room(4, tmp_path)
    monkeypatch.setattr(room, "free_memory", lambda: 4 * room.BROKER_MIB * MEBIBYTE - 1)
    with pytest.raises(ClusterError, match=r"4 brokers would need 838\.9 MB of memory") as raised:
        room.check_room(4, tmp_path)
    assert "--brokers" in raised.value.remedy


def test_too_little_disk_names_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(room, "free_memory", lambda: 2**40)
    usage = shutil.disk_usage(tmp_path)._replace(free=10)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(ClusterError, match=f"of room in {tmp_path}; 10 bytes are free") as raised:
        room.check_room(1, tmp_path)
    assert "TMPDIR" in raised.value.remedy


@pytest.mark.parametrize(
    ("line", "group", "files", "left"),
    [
        ("0::/a/b", "a", {"memory.max": "1000", "memory.current": "900"}, [100 + 50]),
        ("0::/a/b", "a", {"memory.max": "max", "memory.current": "900"}, []),
        (
            "9:cpu,memory:/a/b",
            "memory/a",
            {"memory.limit_in_bytes": "1000", "memory.usage_in_bytes": "900"},
            [100 + 50],
        ),
        ("9:cpu:/a/b", "memory/a", {"memory.limit_in_bytes": "1000"}, []),
    ],
)
def test_limits_of_groups_above_count_without_what_is_only_kept(
    tmp_path: Path, line: str, group: str, files: dict[str, str], left: list[int]
) -> None:
    own = tmp_path / "cgroup"
    own.write_text(line + "\n")
    mounted = tmp_path / "mounted"
    (mounted / group).mkdir(parents=True)
    for name, text in files.items():
        (mounted / group / name).write_text(text)
    cache = "inactive_file 50\n" if line.startswith("0::") else "total_inactive_file 50\n"
    (mounted / group / "memory.stat").write_text(f"anon 7\n{cache}")
    assert [*room._left_by_cgroups(own, mounted)] == left


def test_a_system_without_cgroups_has_no_limits(tmp_path: Path) -> None:
    assert [*room._left_by_cgroups(tmp_path / "none", tmp_path)] == []


@pytest.mark.parametrize("brokers", [0, -1, 101])
def test_a_number_of_brokers_that_cannot_be_is_refused_at_once(brokers: int) -> None:
    with pytest.raises(UsageError, match=f"A cluster of {brokers} brokers cannot be"):
        Cluster(brokers)
