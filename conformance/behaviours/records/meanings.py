"""What differences mean to users, where behaviours of record batches share it."""

from typing import Final

SIZES: Final = (
    "Sizes differ from Java's: batches are full earlier or later, so since 2.4 other records go to "
    "other partitions, and a limit on requests or messages is met too early or too late."
)
READING: Final = (
    "A batch is not read as Java reads it: consumers see other records, fail where others go on, "
    "or go on over damage that others notice."
)
BYTES: Final = (
    "A batch has other bytes than Java's: brokers or consumers refuse it, or read other records."
)
