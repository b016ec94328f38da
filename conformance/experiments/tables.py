"""The tables that an experiment leaves: of records, of batches, and of partitions in each run."""

from typing import Final

import pyarrow as pa

_NAME: Final = pa.dictionary(pa.int32(), pa.string())
_RUN: Final = (("experiment", _NAME), ("variant", _NAME), ("round", pa.int32()))
RECORDS_SCHEMA: Final = pa.schema(
    [
        *(pa.field(name, kind, nullable=False) for name, kind in _RUN),
        pa.field("record", pa.int32(), nullable=False),
        pa.field("partition", pa.int32()),
        pa.field("broker", pa.int32()),
        pa.field("called_ms", pa.float64(), nullable=False),
        pa.field("returned_ms", pa.float64(), nullable=False),
        pa.field("ended_ms", pa.float64()),
        pa.field("error", _NAME),
    ]
)
BATCHES_SCHEMA: Final = pa.schema(
    [
        *(pa.field(name, kind, nullable=False) for name, kind in _RUN),
        pa.field("partition", pa.int32(), nullable=False),
        pa.field("broker", pa.int32(), nullable=False),
        pa.field("request", pa.int32(), nullable=False),
        pa.field("records", pa.int32(), nullable=False),
        pa.field("bytes", pa.int32(), nullable=False),
        pa.field("opened_ms", pa.float64(), nullable=False),
        pa.field("left_ms", pa.float64(), nullable=False),
        pa.field("appended_ms", pa.float64()),
    ]
)
PARTITIONS_SCHEMA: Final = pa.schema(
    [
        *(pa.field(name, kind, nullable=False) for name, kind in _RUN),
        pa.field("partition", pa.int32(), nullable=False),
        pa.field("broker", pa.int32(), nullable=False),
        pa.field("slow", pa.bool_(), nullable=False),
    ]
)
TABLES: Final = {
    "records": RECORDS_SCHEMA,
    "batches": BATCHES_SCHEMA,
    "partitions": PARTITIONS_SCHEMA,
}
"""Each table by the name of its file, without ``.parquet``."""
