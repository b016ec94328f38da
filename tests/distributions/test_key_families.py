"""The key families are what their names say."""

import re
import uuid

import numpy as np
import pytest

from conformance.distributions.key_families import (
    KEY_FAMILIES,
    ONE_BYTE_LENGTH,
    ZIPF,
    ZIPF_KEYS,
    KeyFamily,
    mix64,
    zipf_ranks,
)
from conformance.model.distribution import Block
from python_impl import serializers

FAMILIES = {family.name: family for family in KEY_FAMILIES}
PATTERNS = {
    "decimal": rb"0|[1-9]\d*",
    "email": rb"[a-z_.\-]+\d+@[a-z.]+",
    "url": rb"https://www\.site\d+\.example/.*item-\d+",
    "hex": rb"[0-9a-f]{16}",
    "zipf": rb"customer-\d+",
}


def keys_of(family: KeyFamily, first: int, records: int) -> list[bytes]:
    keys = family.keys(Block(first // 1000, first, records, (5, 5, first // 1000)))
    assert keys.null_count == 0
    found: list[bytes] = keys.to_pylist()
    return found


def test_mix64_is_splitmix64() -> None:
    # The first numbers of Java's SplittableRandom and of Vigna's splitmix64.c, seed 0.
    gamma = np.uint64(0x9E3779B97F4A7C15)
    states = np.arange(3, dtype=np.uint64) * gamma
    expected = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert mix64(states).tolist() == expected


@pytest.mark.parametrize("name", PATTERNS)
def test_families_of_text(name: str) -> None:
    for key in keys_of(FAMILIES[name], 99_000, 2000):
        assert re.fullmatch(PATTERNS[name], key)


def test_uuids_are_random_ones_as_java_writes_them() -> None:
    for key in keys_of(FAMILIES["uuid"], 7000, 2000):
        parsed = uuid.UUID(key.decode())
        assert (parsed.version, parsed.variant) == (4, uuid.RFC_4122)
        assert key == serializers.serialize_uuid(parsed)


def test_longs_and_decimals_count() -> None:
    numbers = range(123_000, 124_000)
    assert keys_of(FAMILIES["long"], 123_000, 1000) == [
        serializers.serialize_long(number) for number in numbers
    ]
    assert keys_of(FAMILIES["decimal"], 123_000, 1000) == [
        serializers.serialize_string(str(number)) for number in numbers
    ]


def test_one_byte_apart_is_one_byte_apart() -> None:
    group = 255 * ONE_BYTE_LENGTH
    keys = keys_of(FAMILIES["one-byte"], 0, group)
    columns = np.array([list(key) for key in keys])
    template = [int(np.bincount(column).argmax()) for column in columns.T]
    assert {int((row != template).sum()) for row in columns} == {1}


@pytest.mark.parametrize("family", [f for f in KEY_FAMILIES if f is not ZIPF], ids=lambda f: f.name)
def test_keys_are_distinct_and_do_not_depend_on_the_block(family: KeyFamily) -> None:
    whole = keys_of(family, 0, 20_000)
    assert len(set(whole)) == len(whole)
    assert keys_of(family, 12_000, 3000) == whole[12_000:15_000]


def test_zipf_ranks_are_as_frequent_as_they_should_be() -> None:
    ranks = np.concatenate([zipf_ranks(Block(n, 0, 65_536, (1, 2, n))) for n in range(20)])
    harmonic = (1 / np.arange(1, ZIPF_KEYS + 1)).sum()
    counts = np.bincount(ranks, minlength=ZIPF_KEYS)
    assert counts.sum() == len(ranks)
    for rank in (0, 1, 2, 9, 99):
        expected = len(ranks) / harmonic / (rank + 1)
        assert abs(counts[rank] - expected) < 5 * expected**0.5
