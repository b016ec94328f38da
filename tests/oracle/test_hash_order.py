"""The order of Java's maps: of a HashMap, and of each version's CopyOnWriteMap, key by key."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.clients.versions import CLIENT_VERSIONS, client_named
from conformance.oracle.kafka_classes import COMMON
from python_impl.hash_order import (
    CopyOnWriteMap,
    hash_of_text,
    hash_of_topic_partition,
    in_hash_order,
)
from tests.releases import fresh

jpype = pytest.importorskip("jpype")

VERSIONS = pytest.mark.parametrize("version", [client.version for client in CLIENT_VERSIONS])
TOPICS = st.text(min_size=1, max_size=12)


@cache
def _java(version: str) -> Any:
    return fresh(client_named(version))


def _map(version: str) -> Any:
    found = (f"{COMMON}.utils.CopyOnWriteMap", f"{COMMON}.utils.internals.CopyOnWriteMap")
    java = _java(version)
    return java.java_class(found[0] if java.has(found[0]) else found[1])()


@VERSIONS
@settings(deadline=None, max_examples=50)
@given(numbers=st.lists(st.integers(0, 300), unique=True, max_size=200))
def test_numbers_come_in_javas_order(version: str, numbers: list[int]) -> None:
    theirs, ours = _map(version), CopyOnWriteMap[int, int](int)
    for number in numbers:
        theirs.putIfAbsent(jpype.JClass("java.lang.Integer")(number), 0)
        ours.compute_if_absent(number, int)
        assert [key for key, _ in ours.items()] == [int(key) for key in theirs.keySet()]


@VERSIONS
@settings(deadline=None, max_examples=50)
@given(
    topics=st.lists(TOPICS, min_size=1, max_size=3, unique=True),
    at=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 60)), unique=True, max_size=90),
)
def test_partitions_of_topics_come_in_javas_order(
    version: str, topics: list[str], at: list[tuple[int, int]]
) -> None:
    made = _java(version).java_class(f"{COMMON}.TopicPartition")
    theirs = _map(version)
    ours = CopyOnWriteMap[tuple[str, int], int](hash_of_topic_partition)
    for which, partition in at:
        topic = topics[which % len(topics)]
        theirs.putIfAbsent(made(topic, partition), 0)
        ours.compute_if_absent((topic, partition), int)
    expected = [(str(key.topic()), int(key.partition())) for key in theirs.keySet()]
    assert [key for key, _ in ours.items()] == expected


@VERSIONS
@settings(deadline=None, max_examples=100)
@given(bits=st.integers(0, 4), numbers=st.lists(st.integers(0, 31), unique=True))
def test_keys_that_share_buckets_come_in_javas_order(
    version: str, bits: int, numbers: list[int]
) -> None:
    # Of these keys one of 64 buckets has eight at most, so that no tree comes.
    copied, ours = _map(version), CopyOnWriteMap[int, int](int)
    filled = jpype.java.util.HashMap()
    keys = [number << bits for number in numbers]
    for key in keys:
        copied.putIfAbsent(jpype.JClass("java.lang.Integer")(key), 0)
        filled.put(jpype.JClass("java.lang.Integer")(key), 0)
        ours.compute_if_absent(key, int)
    assert [*ours] == [int(key) for key in copied.keySet()]
    assert in_hash_order(keys, int) == [int(key) for key in filled.keySet()]


@settings(deadline=None)
@given(text=st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_a_texts_hash_is_javas(text: str) -> None:
    assert hash_of_text(text) == int(jpype.java.lang.String(text).hashCode())


def test_a_map_that_was_cleared_begins_anew() -> None:
    ours = CopyOnWriteMap[int, int](int)
    for number in (17, 1, 33):
        ours.compute_if_absent(number, int)
    assert ours.get(17) == 0
    assert len(ours) == 3
    ours.clear()
    assert [*ours.items()] == []
    assert ours.get(17) is None
