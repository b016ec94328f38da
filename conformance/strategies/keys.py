"""Record keys, as bytes: what has broken ports, and what producers really send."""

from functools import cache
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.integers import INT32_MAX, INT32_MIN

_MASK: Final = 0xFFFFFFFF
_M: Final = 0x5BD1E995
_M_INVERSE: Final = pow(_M, -1, 2**32)
_SEED: Final = 0x9747B28C
MEBIBYTE: Final = 2**20

_HASHES_AT_EDGES: Final = (0, INT32_MIN, -1, 1, INT32_MAX, INT32_MIN + 1)


def key_with_hash(target: int, prefix: bytes = b"") -> bytes:
    """A key whose murmur2 is ``target`` (int32): ``prefix`` and four computed bytes.

    Each step of murmur2 is a bijection, so the last word can be solved for instead of searched
    for. The length of ``prefix`` must be a multiple of 4.
    """
    length = len(prefix) + 4
    before = (_SEED ^ length) & _MASK
    for at in range(0, len(prefix), 4):
        word = int.from_bytes(prefix[at : at + 4], "little")
        before = ((before * _M) & _MASK) ^ _mix(word)
    after = target & _MASK
    after ^= (after >> 15) ^ (after >> 30)
    after = (after * _M_INVERSE) & _MASK
    after ^= (after >> 13) ^ (after >> 26)
    mixed = after ^ ((before * _M) & _MASK)
    word = (mixed * _M_INVERSE) & _MASK
    word ^= word >> 24
    word = (word * _M_INVERSE) & _MASK
    return prefix + word.to_bytes(4, "little")


def _mix(word: int) -> int:
    word = (word * _M) & _MASK
    word ^= word >> 24
    return (word * _M) & _MASK


@cache
def keys_with_edge_hashes() -> SearchStrategy[bytes]:
    """Keys that hash to 0, -2**31, -1 and their neighbours, or to any negative number.

    An ``abs`` for a mask, a signed remainder, a wrong mask show exactly there.
    """
    targets = st.one_of(st.sampled_from(_HASHES_AT_EDGES), st.integers(INT32_MIN, -1))
    prefixes = st.sampled_from([b"", b"user", b"\xff\x80\x7f\x00", b"12345678"])
    return st.builds(key_with_hash, targets, prefixes)


@cache
def short_keys() -> SearchStrategy[bytes]:
    """Every length from 0 to 20, so every remainder modulo 4 of body and tail, any bytes."""
    return st.binary(max_size=20)


@cache
def high_bit_keys() -> SearchStrategy[bytes]:
    """Bytes of 0x80 and above: a port that sign-extends them, in body or tail, fails here."""
    return st.lists(st.integers(0x80, 0xFF), min_size=1, max_size=11).map(bytes)


@cache
def text_keys() -> SearchStrategy[bytes]:
    """UTF-8 text, one to four bytes a character."""
    alphabet = st.sampled_from("ab0-_ äß€😀漢")
    return st.lists(alphabet, min_size=1, max_size=12).map(lambda chars: "".join(chars).encode())


@cache
def number_keys() -> SearchStrategy[bytes]:
    """What the Integer, Long and Double serializers produce: 4 or 8 bytes, big-endian."""
    return st.one_of(
        st.integers(0, 2**32 - 1).map(lambda n: n.to_bytes(4, "big")),
        st.integers(0, 2**64 - 1).map(lambda n: n.to_bytes(8, "big")),
    )


@cache
def uuid_keys() -> SearchStrategy[bytes]:
    """What the UUID serializer produces: 36 ASCII characters."""
    return st.uuids().map(lambda uuid: str(uuid).encode())


@cache
def long_keys() -> SearchStrategy[bytes]:
    """Keys around powers of two up to 64 KiB; a pattern, so that they shrink."""
    sizes = (64, 127, 128, 255, 256, 1000, 4096, 65535)
    return st.builds(_patterned_key, st.sampled_from(sizes), st.integers(0, 255))


@cache
def huge_keys() -> SearchStrategy[bytes]:
    """Keys of 1 MiB and a little more: as large as a record may be by default."""
    sizes = st.integers(MEBIBYTE, MEBIBYTE + 3)
    return st.builds(_patterned_key, sizes, st.integers(0, 255))


def _patterned_key(size: int, byte: int) -> bytes:
    return (bytes([byte, 0x80 ^ byte, 7]) * (size // 3 + 1))[:size]


@cache
def keys() -> SearchStrategy[bytes]:
    """All of the above but the huge ones, the cheap and telling ones more often. Never null."""
    return st.one_of(
        short_keys(),
        short_keys(),
        keys_with_edge_hashes(),
        keys_with_edge_hashes(),
        high_bit_keys(),
        text_keys(),
        number_keys(),
        uuid_keys(),
        long_keys(),
    )


@cache
def optional_keys() -> SearchStrategy[bytes | None]:
    """Keys, null in about a fifth of the cases."""
    return st.one_of(st.none(), keys(), keys(), keys(), keys())


@cache
def key_lists(*, min_size: int, max_size: int) -> SearchStrategy[list[bytes | None]]:
    """Keys, nulls among them; once in a while one of 1 MiB, which is dear, in front."""
    some = st.lists(optional_keys(), min_size=min_size, max_size=max_size)
    rarely = st.integers(0, 49).flatmap(lambda n: st.none() if n < 49 else huge_keys())
    return st.builds(lambda huge, rest: rest if huge is None else [huge, *rest], rarely, some)
