"""Record keys, as bytes: what has broken ports, and what producers really send."""

import hashlib
import operator
from functools import cache
from typing import Final
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.integers import INT32_MAX, INT32_MIN
from conformance.strategies.packed import Choices, packed

_MASK: Final = 0xFFFFFFFF
_M: Final = 0x5BD1E995
_M_INVERSE: Final = pow(_M, -1, 2**32)
_SEED: Final = 0x9747B28C
MEBIBYTE: Final = 2**20
_LONG: Final = (64, 127, 128, 255, 256, 1000, 4096, 65535)

_ALPHABET: Final = "ab0-_ äß€😀漢"
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


def _key_with_edge_hash(drawn: bytes) -> bytes:
    """A key that hashes to 0, -2**31, -1 and their neighbours, or to any negative number.

    An ``abs`` for a mask, a signed remainder, a wrong mask show exactly there.
    """
    of = Choices(drawn.ljust(6, b"\0"))
    prefix = of.one_of((b"", b"user", b"\xff\x80\x7f\x00", b"12345678"))
    if of.below(2):
        return key_with_hash(-1 - of.below(2**31, size=4), prefix)
    return key_with_hash(of.one_of(_HASHES_AT_EDGES), prefix)


def _short_key(drawn: bytes) -> bytes:
    """Every length from 0 to 20, so every remainder modulo 4 of body and tail, any bytes."""
    return drawn


def _high_bit_key(drawn: bytes) -> bytes:
    """Bytes of 0x80 and above: a port that sign-extends them, in body or tail, fails here."""
    return bytes(byte | 0x80 for byte in drawn[:11])


def _text_key(drawn: bytes) -> bytes:
    """UTF-8 text, one to four bytes a character."""
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in drawn[:12]).encode()


def _number_key(drawn: bytes) -> bytes:
    """What the Integer, Long and Double serializers produce: 4 or 8 bytes, big-endian."""
    size = 4 if len(drawn) <= 4 else 8
    return drawn[:size].rjust(size, b"\0")


def _uuid_key(drawn: bytes) -> bytes:
    """What the UUID serializer produces: 36 ASCII characters."""
    digits = hashlib.blake2b(drawn, digest_size=16).digest() if drawn else bytes(16)
    return str(UUID(bytes=digits)).encode()


def _long_key(drawn: bytes) -> bytes:
    """Keys around powers of two up to 64 KiB; a pattern, so that they shrink."""
    of = Choices(drawn.ljust(2, b"\0"))
    return _patterned_key(of.one_of(_LONG), of.below(256))


def _huge_key(of: Choices) -> bytes:
    """A key of 1 MiB and a little more: as large as a record may be by default."""
    return _patterned_key(MEBIBYTE + of.below(4), of.below(256))


def _patterned_key(size: int, byte: int) -> bytes:
    return (bytes([byte, 0x80 ^ byte, 7]) * (size // 3 + 1))[:size]


_KINDS: Final = (
    *(_short_key, _short_key, _key_with_edge_hash, _key_with_edge_hash),
    *(_high_bit_key, _text_key, _number_key, _uuid_key, _long_key),
)


@cache
def text_keys() -> SearchStrategy[bytes]:
    """UTF-8 text, one to four bytes a character."""
    return st.binary(max_size=12).map(_text_key)


@cache
def uuid_keys() -> SearchStrategy[bytes]:
    """What the UUID serializer produces: 36 ASCII characters."""
    return st.binary(max_size=8).map(_uuid_key)


@cache
def keys() -> SearchStrategy[bytes]:
    """All of the above but the huge ones, the cheap and telling ones more often. Never null."""
    return _drawn_keys().map(lambda drawn: _KINDS[drawn[0] % len(_KINDS)](drawn[1:]))


@cache
def optional_keys() -> SearchStrategy[bytes | None]:
    """Keys, null in about a fifth of the cases."""
    kinds = (*_KINDS * 2, *[None] * 5)

    def key(drawn: bytes) -> bytes | None:
        kind = kinds[drawn[0] % len(kinds)]
        return None if kind is None else kind(drawn[1:])

    return _drawn_keys().map(key)


@cache
def _drawn_keys() -> SearchStrategy[bytes]:
    """A kind of key, and what it is made of."""
    return st.binary(min_size=1, max_size=21)


@cache
def key_lists(*, min_size: int, max_size: int) -> SearchStrategy[list[bytes | None]]:
    """Keys, nulls among them; once in a while one of 1 MiB, which is dear, in front."""
    some = st.lists(optional_keys(), min_size=min_size, max_size=max_size)
    rarely = packed(3, lambda of: [_huge_key(of)] if of.below(50) == 49 else [])
    return st.builds(operator.add, rarely, some)
