"""The types that a table of records may have, and the layouts in which they are written."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

EMPTY: Final = pa.array([], pa.large_binary())
_PAIRS: Final = pa.list_(pa.struct([("key", pa.large_binary()), ("value", pa.large_binary())]))
"""Headers, in the layout of those that come as maps."""
_COLUMNS: Final = ("offset", "timestamp", "key", "value", "headers", "is_control")
_Longs = npt.NDArray[np.int64]


def table_of(columns: Any) -> pa.Table:
    """A table of records; raises ``TypeError`` or ``ValueError`` for what is none."""
    if isinstance(columns, pa.RecordBatch):
        columns = pa.table(columns)
    if not isinstance(columns, pa.Table):
        raise TypeError(
            f"columns are a pyarrow.Table or RecordBatch, not {type(columns).__name__}; read_all() "
            "of a reader makes a table"
        )
    for name in _COLUMNS:
        if columns.column_names.count(name) > 1:
            raise ValueError(f"more than one column is called {name}")
    _refuse_control_records(columns)
    return columns


def _refuse_control_records(table: pa.Table) -> None:
    if "is_control" not in table.column_names:
        return
    is_control = table["is_control"]
    if pa.types.is_dictionary(is_control.type):
        is_control = is_control.cast(is_control.type.value_type)
    elif pa.types.is_run_end_encoded(is_control.type):
        is_control = pc.run_end_decode(is_control)
    if pa.types.is_boolean(is_control.type) and pc.any(is_control).as_py():
        raise ValueError(
            f"row {pc.index(is_control, True).as_py()} is a control record, the end of a "
            "transaction, and would become a message: leave such rows out (Arrow can filter what "
            "was cast to PLAIN_SCHEMA)"
        )


def plain_bytes(column: pa.Array) -> pa.LargeBinaryArray:
    """The same bytes or text, one after the other; ``TypeError`` for another type."""
    if len(column) == 0:
        return EMPTY
    if pa.types.is_dictionary(column.type):
        return plain_bytes(column.dictionary).take(column.indices)
    try:
        return column.cast(pa.large_binary())
    except pa.ArrowNotImplementedError:
        raise TypeError(f"keys and values are bytes or text, not {column.type}") from None


def plain_text(column: pa.Array) -> pa.Array:
    """The same; bytes are refused if they are no UTF-8."""
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    if any(is_text(column.type) for is_text in kinds):
        return column
    return plain_bytes(column).cast(pa.large_string())


def header_lists(headers: pa.Array | None) -> pa.Array | None:
    """The same column of headers; ``TypeError`` unless it is of lists of pairs."""
    if headers is None:
        return None
    kind, types = headers.type, pa.types
    if types.is_map(kind) or types.is_null(kind):
        return headers.cast(_PAIRS)
    lists = types.is_list, types.is_large_list, types.is_list_view, types.is_large_list_view
    is_list = any(of_kind(kind) for of_kind in (*lists, types.is_fixed_size_list))
    if is_list and types.is_struct(kind.value_type):
        names = [field.name for field in kind.value_type]
        if names.count("key") == names.count("value") == 1:
            return headers
    raise TypeError(f"headers are lists of structs of key and value, or maps, not {kind}")


def numbers(column: pa.Array) -> _Longs:
    """Integers, or Arrow's timestamps as ms; its durations and times of a day are neither.

    ``ValueError`` for a null and a time that is no whole number of ms, ``TypeError`` for another
    type.
    """
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if column.null_count:
        raise ValueError("offsets and timestamps may not be null; a timestamp of -1 is none")
    if pa.types.is_timestamp(column.type):
        try:
            column = column.cast(pa.timestamp("ms", column.type.tz)).cast(pa.int64())
        except pa.ArrowInvalid as error:
            raise ValueError(f"a timestamp is no number of ms in 64 bits: {error}") from None
    if not pa.types.is_integer(column.type):
        raise TypeError(f"offsets and times are integers or Arrow's timestamps, not {column.type}")
    return np.asarray(column.cast(pa.int64()).to_numpy(zero_copy_only=False), np.int64)
