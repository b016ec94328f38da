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
TELLS_OF_READING: Final = {
    "read": "each batch, then 'end', or 'refused' if what follows cannot begin one",
    "records": (
        "[offset, timestamp, key, value, [[header key, value], ...]] for each record, then "
        "'refused' where it stopped at what it cannot read"
    ),
    "columns": (
        "[offset, timestamp, sequence, key, value, headers, producer id, epoch, transactional, "
        "control] for each record, or 'refused'"
    ),
    "refusals": "null or why it is refused for each batch, then 'end' or why what follows is",
    "delete horizons": "for each batch null or the ms from which on tombstones may go",
}
TELLS_OF_SIZES: Final = {
    "varint": "[its length, its bytes]",
    "varlong": "[its length, its bytes]",
    "sequence": "[the sequence so much later, the one so much earlier]",
}
