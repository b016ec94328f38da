"""Records without key, judged by their partitions alone: Java conforms, planted faults do not."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count as numbers
from typing import Any

import numpy as np
import pytest

from conformance.clients.versions import CLIENT_VERSIONS
from conformance.distributions.by_record import InTurn
from conformance.distributions.of_testees import distributions_of
from conformance.distributions.topics import Topic, led
from conformance.distributions.without_key import Records, WithoutKey
from conformance.engine.cell import Effort
from conformance.engine.plan import behaviour_named
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Block, Distribution, Measures, Sampler
from conformance.model.results import CellResult, Verdict
from conformance.model.subject import Scope
from conformance.sampling.cells import sample_cell
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort
from tests.landing import first_of_each

CELLS = [
    ("round-robin", "3.2.3"),
    ("round-robin-null-key", "2.3.1"),
    ("sticky", "3.2.3"),
    ("sticky", "3.8.0"),
    ("uniform-sticky", "3.8.0"),
    ("built-in", "3.8.0"),
    ("adaptive", "3.8.0"),
]
RECORDS = 2**20
Fault = Callable[[np.random.Generator, Records, Topic], Iterator[int | None]]
"""Positions among a topic's available partitions; None: any of the others."""


def client_of(version: str) -> ClientVersion:
    return next(client for client in CLIENT_VERSIONS if client.version == version)


def judged(java: JavaSubject, behaviour: str, version: str, subject: PythonPort) -> CellResult:
    return sample_cell(
        behaviour_named(behaviour),
        client_of(version),
        java,
        subject,
        Effort(0, 0, records=RECORDS),
    )


@pytest.mark.parametrize(("behaviour", "version"), first_of_each(CELLS, lambda cell: cell[0]))
def test_the_port_is_as_java(java: JavaSubject, behaviour: str, version: str) -> None:
    result = judged(java, behaviour, version, PythonPort())
    assert {test.test: test.detail for test in result.tests if test.verdict != "conforms"} == {}
    assert result.verdict is Verdict.CONFORMS
    assert result.records >= RECORDS


class Faulty(PythonPort):
    """Chooses by a fault instead of the port's code."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(name="a faulty port")
        self._fault = fault

    def sampler(self, distribution: Distribution, client: ClientVersion) -> Sampler:
        del client
        assert isinstance(distribution, WithoutKey)

        def sample(block: Block, inputs: Any) -> Any:
            topic = distribution.topic(block)
            chosen = self._fault(block.generator("fault"), inputs, topic)
            ids = [*topic.available, *topic.leaderless[:1]]
            places = [next(chosen) for _ in inputs.sizes]
            return np.array([ids[-1 if place is None else place] for place in places], np.int32)

        return distribution.afresh(sample)


def chosen_from(topic: Topic, fault: str) -> list[int]:
    """The places that are chosen from, all alike: each available one once, unless it *probes*.

    A linear probe starts at any partition, and the next one that has a leader is taken; those
    behind one without a leader come more often.
    """
    places: list[int] = []
    for number, leader in reversed(topic.partitions):  # the last one has a leader
        if leader is not None:
            places.append(topic.available.index(number))
        elif "probes" in fault:
            places.append(places[-1])
    return places[::-1]


def per_record(random: np.random.Generator, _: Records, topic: Topic) -> Iterator[int]:
    """Any partition for each record: what several libraries do."""
    while True:
        yield from random.integers(0, len(topic.available), 4096).tolist()


def constant(_: np.random.Generator, __: Records, ___: Topic) -> Iterator[int]:
    while True:
        yield 0


def nowhere(_: np.random.Generator, __: Records, topic: Topic) -> Iterator[int | None]:
    while True:
        yield None if topic.leaderless else 0


def in_turn(
    random: np.random.Generator, _: Records, topic: Topic, *, fault: str = ""
) -> Iterator[int]:
    """As 2.3.1 without a key, with a fault."""
    places = chosen_from(topic, fault)
    start = 0 if fault == "from 0" else int(random.integers(len(places)))
    while True:
        yield from places[start:]
        start = 0


def by_batch(
    random: np.random.Generator, inputs: Records, topic: Topic, *, fault: str = ""
) -> Iterator[int | None]:
    """Sticky by batches, with a fault."""
    count = len(topic.available)
    places = chosen_from(topic, fault)
    now = before = int(random.integers(count))
    astray = False
    for closed in inputs.closes.tolist():
        yield None if astray else now
        if not closed or count == 1:
            continue
        astray = "astray" in fault and bool(topic.leaderless) and random.random() < 0.1
        step = 0
        while step == 0:
            step = (places[int(random.integers(len(places)))] - now) % count
        if fault == "next one twice as likely" and random.random() < 0.1:
            step = 1
        if fault == "may stay" and random.random() < 0.02:
            step = 0
        following = (now + step) % count
        if fault == "avoids the one before" and following == before and random.random() < 0.2:
            following = (following + 1) % count
            following = (following + 1) % count if following == now else following
        now, before = following, now


def by_bytes(
    random: np.random.Generator, inputs: Records, topic: Topic, *, fault: str = ""
) -> Iterator[int]:
    """KIP-794, with a fault."""
    count = len(topic.available)
    places = chosen_from(topic, fault)
    now, held = int(random.integers(count)), 0
    limit = 1001 if fault == "one byte late" else 1000
    twice = 2001 if fault == "twice one byte late" else 2000
    for size, closes in zip(inputs.sizes.tolist(), inputs.closes.tolist(), strict=True):
        yield now
        held += size
        if (held >= limit and closes) or held >= twice:
            held = 0 if fault != "keeps the rest" else held - limit
            draw = places[int(random.integers(len(places)))]
            now = draw if fault != "never the same" or draw != now else (draw + 1) % count


def by_draws(
    random: np.random.Generator, inputs: Records, topic: Topic, *, fault: str = ""
) -> Iterator[int]:
    """Sticky by batches of a library that draws badly."""
    count = len(topic.available)
    state = int(random.integers(2**31))

    def draw() -> int:
        nonlocal state
        if fault == "bad low bits":  # rand() of ANSI C's example without its division
            state = (state * 1103515245 + 12345) % 2**31
            return state % count
        return int(random.integers(100)) % count  # 0 to 99

    now = draw()
    for closed in inputs.closes.tolist():
        yield now
        if closed:
            now = next((other for other in (draw() for _ in range(99)) if other != now), 0)


def often_at_first(random: np.random.Generator, _: Records, topic: Topic) -> Iterator[int]:
    """As 2.3.1 without a key; of five partitions, one is the first 1.6 times as often as due."""
    start = int(random.integers(len(topic.available)))
    start = 3 if len(topic.available) == 5 and random.random() < 0.15 else start
    yield from (at % len(topic.available) for at in numbers(start))


def with_fault(rule: Callable[..., Iterator[int | None]], fault: str) -> Fault:
    return lambda random, inputs, topic: rule(random, inputs, topic, fault=fault)


FAULTS: list[tuple[str, str, str, Fault, str]] = [
    ("random", "round-robin-null-key", "2.3.1", per_record, "by record: in turn"),
    ("constant", "round-robin-null-key", "2.3.1", constant, "by record: in turn"),
    ("from 0", "round-robin-null-key", "2.3.1", with_fault(in_turn, "from 0"), "by record: first"),
    ("often", "round-robin-null-key", "2.3.1", often_at_first, "by record: first"),
    *(
        (fault, "sticky", "3.2.3", with_fault(by_draws, fault), "by record: transitions")
        for fault in ("bad low bits", "0 to 99")
    ),
    (
        "probes",
        "round-robin-null-key",
        "2.3.1",
        with_fault(in_turn, "probes"),
        "leaders missing: in turn",
    ),
    ("random", "sticky", "3.2.3", per_record, "by record: stays"),
    ("constant", "sticky", "3.2.3", constant, "by record: moves on"),
    *(
        (fault, "sticky", "3.2.3", with_fault(by_batch, fault), difference)
        for fault, difference in (
            ("next one twice as likely", "by record: transitions"),
            ("may stay", "by record: moves on"),
            ("avoids the one before", "by record: no memory"),
            ("probes", "leaders missing: transitions"),
            ("astray, probes", "leaders missing: transitions"),
        )
    ),
    ("random", "built-in", "3.8.0", per_record, "by record: stays"),
    *(
        (fault, "built-in", "3.8.0", with_fault(by_bytes, fault), difference)
        for fault, difference in (
            ("one byte late", "by record: stays"),
            ("twice one byte late", "by record: stays"),
            ("keeps the rest", "by record: stays"),
            ("never the same", "by record: transitions"),
            ("probes", "leaders missing: transitions"),
        )
    ),
]


@pytest.mark.parametrize(
    ("behaviour", "version", "fault", "difference"),
    first_of_each((tuple(rest) for _, *rest in FAULTS), lambda fault: fault[0]),
    ids=[f"{behaviour}: {name}" for name, behaviour, *_ in FAULTS],
)
def test_a_fault_is_found(
    java: JavaSubject, behaviour: str, version: str, fault: Fault, difference: str
) -> None:
    result = judged(java, behaviour, version, Faulty(fault))
    assert result.verdict is Verdict.DIVERGES
    assert difference in result.differences


@pytest.mark.parametrize(
    ("behaviour", "version", "rule"),
    [("sticky", "3.2.3", by_batch), ("built-in", "3.8.0", by_bytes)],
)
def test_the_same_rules_without_a_fault_conform(
    java: JavaSubject, behaviour: str, version: str, rule: Callable[..., Iterator[int]]
) -> None:
    result = judged(java, behaviour, version, Faulty(with_fault(rule, "")))
    assert result.verdict is Verdict.CONFORMS, result.differences


def test_a_partition_without_leader_is_found(java: JavaSubject) -> None:
    class Anywhere(Faulty):
        def sampler(self, distribution: Distribution, client: ClientVersion) -> Sampler:
            del client
            assert isinstance(distribution, WithoutKey)

            def sample(block: Block, inputs: Any) -> Any:
                ids = [number for number, _ in distribution.topic(block).partitions]
                return np.resize(np.array(ids, np.int32), len(inputs.sizes))

            return distribution.afresh(sample)

    result = judged(java, "round-robin-null-key", "2.3.1", Anywhere(constant))
    # Where the next one has a leader it is in turn.
    assert result.differences.keys() == {"by record: first", "leaders missing: available"}


class WithTopics(Scope):
    takes_topics = True


@pytest.mark.parametrize(
    ("behaviour", "version", "rule", "difference"),
    [
        ("round-robin-null-key", "2.3.1", in_turn, "two topics: in turn"),
        ("sticky", "3.2.3", by_batch, "two topics: stays"),
        ("built-in", "3.8.0", by_bytes, "two topics: stays"),
    ],
)
def test_what_two_topics_share_is_found(
    java: JavaSubject,
    behaviour: str,
    version: str,
    rule: Callable[..., Iterator[int]],
    difference: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(PythonPort, "scope", lambda _self, _behaviour: WithTopics())
    # One state for both, where Java has one for each.
    result = judged(java, behaviour, version, Faulty(with_fault(rule, "")))
    assert difference in result.differences
    assert not [name for name in result.differences if not name.startswith("two topics")]
    assert judged(java, behaviour, version, PythonPort()).verdict is Verdict.CONFORMS


def test_what_goes_astray_does_not_hide_the_rest_nor_blame_it(java: JavaSubject) -> None:
    result = judged(java, "sticky", "3.2.3", Faulty(with_fault(by_batch, "astray")))
    assert result.differences.keys() == {"leaders missing: available"}
    tests = {test.test for test in result.tests if test.distribution == "sticky/leaders missing"}
    assert tests == {"available", "stays", "moves on", "transitions", "no memory", "choices"}


def test_of_what_is_never_available_little_is_judged(java: JavaSubject) -> None:
    result = judged(java, "built-in", "3.8.0", Faulty(nowhere))
    tests = {
        test.test: test.verdict
        for test in result.tests
        if test.distribution == "built-in/leaders missing"
    }
    assert tests == {"available": Verdict.DIVERGES, "stays": Verdict.CONFORMS}


def not_in_turn(*blocks: Sequence[int], partitions: int = 5) -> int:
    """How many records of some blocks are judged not to go to the next of 0, 1, 2 ..."""
    rule = InTurn("round-robin-null-key", [Topic(led(partitions))])
    totals = Measures()
    for number, answers in enumerate(blocks):
        sizes = np.full(len(answers), 300, np.int32)
        nothing = np.zeros(len(answers), np.int32)
        inputs = Records(sizes, nothing.astype(np.uint8), nothing)
        block = Block(number, 0, len(answers), (0,))
        totals.add(rule.measure(block, inputs, np.array(answers, np.int32)))
    (test,) = (one for one in rule.judge(totals) if one.test == "in turn")
    assert test.failed is (test.statistic != 0)
    assert test.statistic is not None
    return int(test.statistic)


def test_the_counter_may_go_back_to_0_once_a_block() -> None:
    # 2147483647 is 2 modulo 5; the mask makes 0 of the next number.
    once, twice = (0, 1, 2, 0, 1, 2, 3), (0, 1, 2, 0, 1, 2, 0)
    assert not_in_turn((3, 4, 0, 1, 2, 3)) == 0
    assert not_in_turn(once) == 0
    assert not_in_turn(twice) == 1
    assert not_in_turn(once, once) == 0
    assert not_in_turn(twice, (0, 1, 2)) == 1


def test_the_counter_goes_back_from_nowhere_else() -> None:
    assert not_in_turn((0, 1, 0, 1)) == 1
    assert not_in_turn((0, 1, 2, 3, 0, 1)) == 1
    assert not_in_turn((0, 1, 2, 1, 2, 3)) == 1
    # 2147483647 is 3 modulo 4, where the turn begins anew by itself.
    assert not_in_turn((2, 3, 0, 1, 2, 3, 0), partitions=4) == 0
    assert not_in_turn((2, 3, 0, 1, 2, 0, 1), partitions=4) == 1


def test_what_a_testee_cannot_be_asked_is_not_sampled() -> None:
    plain, messy = distributions_of("sticky", ())
    assert isinstance(plain, WithoutKey)
    assert isinstance(messy, WithoutKey)
    assert plain.main
    assert not messy.main
    *_, two = distributions_of("sticky", (), topics=True)
    assert two.name == "sticky/two topics"
    assert len(distributions_of("sticky", ("leaderless partitions",))) == 1
    dense = distributions_of("sticky", ("gaps in ids",))[1]
    assert isinstance(dense, WithoutKey)
    assert [number for number, _ in dense.topics[0].partitions] == list(range(7))
    assert distributions_of("murmur2", ()) == []


def test_too_few_records_are_not_run(java: JavaSubject) -> None:
    result = sample_cell(
        behaviour_named("sticky"),
        client_of("3.2.3"),
        java,
        PythonPort(),
        Effort(0, 0, records=20_000),
    )
    assert result.verdict is Verdict.NOT_RUN
    assert "Use more records" in result.reason
