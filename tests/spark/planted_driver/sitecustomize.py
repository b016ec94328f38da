"""A bug to plant in the command itself; PLANTED_BUG switches it on."""

import errno
import os


def full_disk() -> None:
    """No table can be written: the disk is full."""
    import pyarrow.parquet

    def write_table(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    pyarrow.parquet.write_table = write_table


if os.environ.get("PLANTED_BUG") == "full_disk":
    full_disk()
