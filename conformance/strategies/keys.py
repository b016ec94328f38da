"""Record keys, as bytes: what has broken ports, and what producers really send."""

import hashlib
from functools import cache
from random import Random
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
_WORDS: Final = (
    *(b"\0\0\0\0", b"\xff\xff\xff\xff", b"\0\0\0\x80", b"\x80\0\0\0"),
    *(b"\1\0\0\0", b"\0\0\0\1", b"\xff\xff\xff\x7f", b"\0\0\xff\xff"),
)
_BYTES_AT_EDGES: Final = b"\0\xff\x80\x7f\1 A"
_ROW: Final = 8
_FLIPS: Final = b"\1\x20\x80\xff"
_LARGEST: Final = 2 * MEBIBYTE + 3
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


def _key_of_edges(drawn: bytes) -> bytes:
    """Words and a tail of NULs, of 0xff, of a sign bit alone: what a port may take for nothing."""
    of = Choices(drawn)
    words = b"".join(of.one_of(_WORDS) for _ in range(of.below(5)))
    return words + bytes(of.one_of(_BYTES_AT_EDGES) for _ in range(of.below(4)))


def _key_with_nuls(drawn: bytes) -> bytes:
    """NULs behind, in front of or inside other bytes: strings of C end there, numbers begin."""
    of = Choices(drawn)
    nuls, inside = of.between(1, 9) * b"\0", of.below(3)
    rest = drawn[2:]
    at = (len(rest), 0, len(rest) // 2)[inside]
    return rest[:at] + nuls + rest[at:]


def _long_key(drawn: bytes) -> bytes:
    """Keys of a power of two up to 4096, and of one or two bytes less or more."""
    of = Choices(drawn)
    return _stretch(2 ** of.between(4, 12) + of.one_of((0, 1, -1, 0, 1, -1, 2)), of)


def _key_of_any_length(drawn: bytes) -> bytes:
    """Any length of up to 8 KiB, a short one more often."""
    of = Choices(drawn)
    return _stretch(of.below(2**16, size=2) >> of.between(3, 10), of)


def _keys_in_a_row(of: Choices) -> list[bytes | None]:
    """Keys of which each is a byte longer than the one before, from 0 to 319 bytes on.

    Between two powers of two nothing happens, until somebody makes a loop faster.
    """
    least, at = of.below(320, size=2), of.below(2**16, size=2)
    return [_noise()[at : at + size] for size in range(least, least + _ROW)]


def _longer_key(of: Choices) -> bytes:
    """The same around 8, 16, 32 and, mostly, 64 KiB; a quarter of any length up to that."""
    if of.below(4) == 3:
        return _stretch(of.below(2**16, size=2), of)
    return _stretch(2 ** of.one_of((16, 16, 16, 13, 14, 15)) + of.between(-2, 2), of)


def _huge_key(of: Choices) -> bytes:
    """A key of 1 MiB, as large as a record may be by default, of a little more, and of twice it."""
    size = of.below(24)
    return _stretch(size % 4 + (MEBIBYTE if size < 20 else 2 * MEBIBYTE), of)


def _stretch(size: int, of: Choices) -> bytes:
    """So many bytes without a pattern: no block of them is like another."""
    start = of.below(2**16, size=2)
    return _noise()[start : start + size]


@cache
def _noise() -> bytes:
    return Random(0).randbytes(2**16 + _LARGEST)


def _kin(drawn: bytes, key: bytes) -> bytes:
    """A key like ``key``: itself again, but for one byte, cut, longer, or of the same words.

    What a port remembers of a key by less than all of it (a beginning, its ends, its length, its
    letters in lower case) is wrong for the second of them.
    """
    of = Choices(drawn)
    how, middle, some = of.below(12), len(key) // 2, of.below(2**16, size=2) % (len(key) or 1)
    if how < 2 or not key:
        return key + b"\0" * how
    if how < 8:  # first byte, last, in the middle, at the end of the words, anywhere
        at = (0, len(key) - 1, middle, middle & ~3, (len(key) & ~3) % len(key), some)[how - 2]
        return key[:at] + bytes([key[at] ^ of.one_of(_FLIPS)]) + key[at + 1 :]
    if how == 8:
        return key[: -of.between(1, 4)]
    if how == 9:
        return key[of.between(1, 4) :]
    if how == 10:
        return (b"\0" * of.below(2)) + key + bytes([of.below(256)])
    return key[4:] + key[:4]


_KINDS: Final = (
    *(_short_key, _short_key, _key_with_edge_hash, _key_with_edge_hash),
    *(_high_bit_key, _text_key, _number_key, _uuid_key, _long_key, _long_key, _key_of_any_length),
    *(_key_of_edges, _key_of_edges, _key_with_nuls),
)


_OPTIONAL_KINDS: Final = (*_KINDS * 2, *[None] * 5)


@cache
def text_keys() -> SearchStrategy[bytes]:
    """UTF-8 text, one to four bytes a character."""
    return st.binary(max_size=12).map(_text_key)


@cache
def uuid_keys() -> SearchStrategy[bytes]:
    """What the UUID serializer produces: 36 ASCII characters."""
    return st.binary(max_size=8).map(_uuid_key)


def key_of(of: Choices) -> bytes:
    """All of the above but the huge ones, the cheap and telling ones more often. Never null.

    From 22 bytes or fewer.
    """
    return of.one_of(_KINDS)(of.take(of.below(21)))


@cache
def optional_keys() -> SearchStrategy[bytes | None]:
    """Keys, null in about a fifth of the cases."""
    return _drawn_keys().map(_optional_key)


def _optional_key(drawn: bytes) -> bytes | None:
    kind = _OPTIONAL_KINDS[drawn[0] % len(_OPTIONAL_KINDS)]
    return None if kind is None else kind(drawn[1:])


@cache
def _drawn_keys() -> SearchStrategy[bytes]:
    """A kind of key, and what it is made of."""
    return st.binary(min_size=1, max_size=21)


@cache
def key_lists(*, min_size: int, max_size: int) -> SearchStrategy[list[bytes | None]]:
    """Keys, nulls among them, a third of them like the one before.

    Some stand behind keys of all lengths from one on. Once in a while one of some KiB stands in
    front, or one of 1 MiB, which is dear.
    """
    some = st.lists(_drawn_keys(), min_size=min_size, max_size=max_size)
    return st.builds(_with_kin, packed(6, _rarely_in_front), some)


def _rarely_in_front(of: Choices) -> list[bytes | None]:
    rarely = of.below(256)
    if rarely < 225:
        return _keys_in_a_row(of) if rarely >= 180 else []
    return [_longer_key(of) if rarely < 251 else _huge_key(of)]


def _with_kin(in_front: list[bytes | None], drawn: list[bytes]) -> list[bytes | None]:
    keys: list[bytes | None] = []
    for one in drawn:
        like = one[0] >= _NOT_KIN and bool(keys)
        last = keys[-1] if like else None
        keys.append(_optional_key(one) if last is None else _kin(one[1:], last))
    return in_front + keys


_NOT_KIN: Final = 160
