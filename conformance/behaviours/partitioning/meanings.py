"""What differences mean to users, where behaviours share it."""

from typing import Final

KEYS_MOVE: Final = (
    "A key written by this library and by the Java client lands on different partitions: joins, "
    "compaction and per-key order break."
)
STICKY_MEANING: Final = (
    "{records} go to a different partition than in Java, given the same random numbers: batches "
    "may be smaller, and shares less even."
)
