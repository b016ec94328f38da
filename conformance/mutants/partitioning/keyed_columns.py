"""Bugs in columns of keys."""

from conformance.mutants.mutant import Mutant

_COLUMNS = "columns.py"
_KERNEL = "murmur2_kernel.py"
_COLUMN = ("keyed-columns", "3.2.3")

MUTANTS = [
    Mutant(
        "columns turn nulls into empty keys",
        "a null key gets the partition of the empty key",
        _COLUMNS,
        "    validity = keys.is_valid().buffers()[1] if keys.null_count else None\n",
        "    validity = None\n",
        *_COLUMN,
    ),
    Mutant(
        "columns ignore the slice",
        "a sliced column is read from its beginning",
        _COLUMNS,
        "    first = keys.offset * np.dtype(offset_type).itemsize\n",
        "    first = 0\n",
        *_COLUMN,
    ),
    Mutant(
        "columns mask 32 bits",
        "the mask of 32 bits, in the vectorised path",
        _COLUMNS,
        "block &= np.uint32(0x7FFFFFFF)",
        "block &= np.uint32(0xFFFFFFFF)",
        *_COLUMN,
    ),
    Mutant(
        "columns forget the blocks after the first",
        "only the first 32768 hashes are reduced to partitions",
        _COLUMNS,
        "for first in range(0, len(unsigned), _BLOCK):",
        "for first in range(0, min(_BLOCK, len(unsigned)), _BLOCK):",
        *_COLUMN,
    ),
    Mutant(
        "columns with a fixed size ignore the slice",
        "a sliced fixed-size column is read from its beginning",
        _COLUMNS,
        "offsets = (keys.offset + rows) * keys.type.byte_width",
        "offsets = rows * keys.type.byte_width",
        *_COLUMN,
    ),
    Mutant(
        "columns of hashes lose their sign",
        "murmur2_column answers the low 31 bits",
        _COLUMNS,
        "partial(murmur2_buffer, compiled=compiled)",
        "lambda *keys: murmur2_buffer(*keys, compiled=compiled) & 0x7FFFFFFF",
        *_COLUMN,
    ),
    Mutant(
        "columns cut a dictionary's indices to 8 bits",
        "entries from 128 on of a dictionary answer as others do",
        _COLUMNS,
        ".take(keys.indices)",
        ".take(keys.indices.cast(pa.int8(), safe=False).cast(pa.uint8(), safe=False))",
        *_COLUMN,
    ),
    Mutant(
        "columns take a dictionary's nulls for empty keys",
        "a null in the dictionary, not in the indices, gets a partition",
        _COLUMNS,
        "_hash_arrow(keys.dictionary, work)",
        '_hash_arrow(keys.dictionary.cast(pa.large_binary()).fill_null(b""), work)',
        *_COLUMN,
    ),
    Mutant(
        "columns answer nulls of no type",
        "a column of nulls only stays of Arrow's null type",
        _COLUMNS,
        "return pa.nulls(len(keys), pa.int32())",
        "return pa.nulls(len(keys))",
        *_COLUMN,
    ),
    Mutant(
        "columns of a fixed size repeat their first block",
        "rows from 8192 on answer as the first ones do",
        _COLUMNS,
        "np.arange(first, min(first + _ROWS, len(keys)) + 1, dtype=np.int64)",
        "np.arange(0, min(_ROWS, len(keys) - first) + 1, dtype=np.int64)",
        *_COLUMN,
    ),
    Mutant(
        "columns divide for nulls",
        "zero partitions are an error for a column of nulls only, too",
        _COLUMNS,
        "if hashes.null_count < len(hashes):",
        "if len(hashes):",
        *_COLUMN,
    ),
    Mutant(
        "columns forget the tail",
        "vectors of keys are hashed without their last one to three bytes",
        _KERNEL,
        '    h = builder.select(builder.icmp_unsigned("==", rest, _all32(0)), h, mixed)\n',
        "",
        *_COLUMN,
    ),
]
