"""The same keys as each kind of Arrow column that a caller may have."""

from typing import Any

import pyarrow as pa


def arrange(keys: list[bytes | None], layout: str) -> Any:
    """The keys as an Arrow array (``binary``, ``large_binary``, ``sliced``, ``chunked``,
    ``dictionary``) or as the Python ``list`` that they are."""
    if layout == "list":
        return keys
    if layout == "sliced":
        padded: list[bytes | None] = [b"before", None, *keys, b"\xffafter"]
        return pa.array(padded, type=pa.binary()).slice(2, len(keys))
    if layout == "chunked":
        half = len(keys) // 2
        return pa.chunked_array([keys[:half], keys[half:]], type=pa.binary())
    if layout == "dictionary":
        return pa.array(keys, type=pa.binary()).dictionary_encode()
    return pa.array(keys, type=getattr(pa, layout)())
