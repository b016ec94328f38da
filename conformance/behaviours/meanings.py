"""What differences mean to users, and why versions lack things, where behaviours share it."""

from typing import Final

KEYS_MOVE: Final = (
    "A key written by this library and by the Java client lands on different partitions: joins, "
    "compaction and per-key order break."
)
STICKY_MEANING: Final = (
    "{records} go to another partition than with Java, given the same random numbers: batches may "
    "be smaller, and shares less even."
)
STICKY_ARRIVED: Final = "arrived in 2.4 (KIP-480)"
STICKY_GONE: Final = "removed in 4.0; deprecated since 3.3 (KIP-794)"
