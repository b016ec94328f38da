"""Keys as real topics have them: families of millions of distinct keys, made a column at a time.

Every family maps a record's index to its serialized key, so a block's keys do not depend on
which other blocks were made, or where. In all but the Zipf family each record has another key.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from conformance.model.distribution import Block

_Bytes = npt.NDArray[np.uint8]
_Words = npt.NDArray[np.uint64]

ZIPF_KEYS = 2**17
"""How many different keys the Zipf family has."""
ONE_BYTE_LENGTH = 16
_VARIANTS = 255 * ONE_BYTE_LENGTH
_HEX_PAIRS = np.frombuffer(b"".join(b"%02x" % byte for byte in range(256)), dtype=np.uint16)
# Where the 8, 4, 4, 4 and 12 hex digits of a UUID come from, and where they go.
_UUID_GROUPS = ((0, 8, 0), (8, 12, 9), (12, 16, 14), (16, 20, 19), (20, 32, 24))


@dataclass(frozen=True)
class KeyFamily:
    """A name, a line for people, and the keys of a block: Arrow binary (records)."""

    name: str
    summary: str
    keys: Callable[[Block], pa.Array]


def mix64(numbers: _Words) -> _Words:
    """A bijection of 64-bit words that leaves no pattern: the finaliser of SplitMix64."""
    z = numbers + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def fixed_width(table: _Bytes) -> pa.Array:
    """Keys of one length as Arrow binary, from their bytes (keys, length)."""
    count, width = table.shape
    offsets = np.arange(count + 1, dtype=np.int32) * np.int32(width)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(table))]
    return pa.Array.from_buffers(pa.binary(), count, buffers)


def hex_digits(words: _Words) -> _Bytes:
    """Lower-case hex of big-endian words: (n, k) words give (n, 16 k) characters."""
    as_bytes = words.astype(">u8").view(np.uint8)
    return _HEX_PAIRS[as_bytes].view(np.uint8)


def _indices(block: Block) -> _Words:
    return np.arange(block.first, block.first + block.records, dtype=np.uint64)


def _numbers(block: Block) -> pa.Array:
    return pa.array(np.arange(block.first, block.first + block.records)).cast(pa.string())


def _binary(texts: pa.Array) -> pa.Array:
    return texts.cast(pa.binary())


def _uuids(block: Block) -> pa.Array:
    words = np.stack([mix64(_indices(block)), mix64(~_indices(block))], axis=1)
    # Version 4 and its variant, as java.util.UUID.randomUUID sets them.
    words[:, 0] = (words[:, 0] & np.uint64(0xFFFFFFFFFFFF0FFF)) | np.uint64(0x4000)
    words[:, 1] = (words[:, 1] & np.uint64(0x3FFFFFFFFFFFFFFF)) | np.uint64(0x8000000000000000)
    digits = hex_digits(words)
    table = np.full((block.records, 36), ord("-"), np.uint8)
    for first, last, at in _UUID_GROUPS:
        table[:, at : at + last - first] = digits[:, first:last]
    return fixed_width(table)


def _longs(block: Block) -> pa.Array:
    return fixed_width(_indices(block).astype(">u8").view(np.uint8).reshape(-1, 8))


def _decimals(block: Block) -> pa.Array:
    return _binary(_numbers(block))


def _hex(block: Block) -> pa.Array:
    return fixed_width(hex_digits(mix64(_indices(block))[:, np.newaxis]))


_FIRST_NAMES = ("anna", "bo", "chidi", "deniz", "eun-ji", "fatima", "g", "hiroshi", "ines", "jan")
_LAST_NAMES = ("li", "okafor", "smith", "garcia", "nguyen", "van.der.berg", "o_brien")
_HOSTS = ("@example.com", "@mail.example.org", "@uni.example.ac.uk", "@x.example")
_PATHS = ("/", "/products/", "/a/b/c/", "/search?q=", "/%E2%82%AC/")


def _choose(options: tuple[str, ...], words: _Words, shift: int) -> pa.Array:
    picked = (words >> np.uint64(shift)) % np.uint64(len(options))
    return pa.array(options).take(pa.array(picked.astype(np.int32)))


def _join(*parts: pa.Array | str) -> pa.Array:
    return _binary(pc.binary_join_element_wise(*parts, ""))


def _emails(block: Block) -> pa.Array:
    words = mix64(_indices(block))
    first, last = _choose(_FIRST_NAMES, words, 0), _choose(_LAST_NAMES, words, 20)
    return _join(first, ".", last, _numbers(block), _choose(_HOSTS, words, 40))


def _urls(block: Block) -> pa.Array:
    words = mix64(_indices(block))
    site, path = (words % np.uint64(97)).astype(np.int64), _choose(_PATHS, words, 20)
    sites = pa.array(site).cast(pa.string())
    return _join("https://www.site", sites, ".example", path, "item-", _numbers(block))


def _one_byte_apart(block: Block) -> pa.Array:
    """Groups of keys that equal the group's template in all bytes but one."""
    index = _indices(block)
    group, variant = np.divmod(index, np.uint64(_VARIANTS))
    words = np.stack([mix64(group), mix64(~group)], axis=1)
    table = words.view(np.uint8).reshape(-1, ONE_BYTE_LENGTH).copy()
    place, change = np.divmod(variant, np.uint64(255))
    rows = np.arange(len(table))
    # 1 to 255 is added, so that no variant is the template itself.
    table[rows, place] += (change + np.uint64(1)).astype(np.uint8)
    return fixed_width(table)


@cache
def _zipf_table() -> npt.NDArray[np.float64]:
    weights = 1 / np.arange(1, ZIPF_KEYS + 1)
    return np.asarray(np.cumsum(weights) / weights.sum())


def zipf_ranks(block: Block) -> npt.NDArray[np.int64]:
    """Ranks from 0: the key of rank r is 1 / (r + 1) times as frequent as the first."""
    uniform = block.generator("zipf").random(block.records)
    return np.searchsorted(_zipf_table(), uniform, side="right").clip(max=ZIPF_KEYS - 1)


def _zipf(block: Block) -> pa.Array:
    ranks = pa.array(zipf_ranks(block)).cast(pa.string())
    return _join("customer-", ranks)


ZIPF = KeyFamily("zipf", f"{ZIPF_KEYS:,} customers, the r-th 1/r times as frequent", _zipf)
KEY_FAMILIES = (
    KeyFamily("uuid", "random UUIDs as text, 36 characters", _uuids),
    KeyFamily("long", "0, 1, 2 ... as LongSerializer writes them", _longs),
    KeyFamily("decimal", "0, 1, 2 ... as text", _decimals),
    KeyFamily("email", "e-mail addresses", _emails),
    KeyFamily("url", "web addresses with long common beginnings", _urls),
    KeyFamily("hex", "16 random hex digits", _hex),
    KeyFamily("one-byte", f"{ONE_BYTE_LENGTH} bytes, one of them changed", _one_byte_apart),
    ZIPF,
)
