"""Records without key, judged by their partitions alone: Java conforms, planted faults do not."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from conformance.clients import CLIENT_VERSIONS, ClientVersion
from conformance.distributions.by_record import Records, WithoutKey
from conformance.distributions.distribution import Block, Distribution, Sampler
from conformance.distributions.of_testees import distributions_of
from conformance.engine.plan import behaviour_named
from conformance.engine.results import CellResult, Verdict
from conformance.engine.sample import sample_cell
from conformance.subjects import JavaSubject, PythonPort

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
Fault = Callable[[np.random.Generator, Records, list[int]], Iterator[int]]


def client_of(version: str) -> ClientVersion:
    return next(client for client in CLIENT_VERSIONS if client.version == version)


def judged(java: JavaSubject, behaviour: str, version: str, subject: PythonPort) -> CellResult:
    return sample_cell(
        behaviour_named(behaviour),
        client_of(version),
        java,
        subject,
        seed=0,
        sampled_cells=1,
        records=RECORDS,
    )


@pytest.mark.parametrize(("behaviour", "version"), CELLS)
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
        available = distribution.available

        def sample(block: Block, inputs: Any) -> Any:
            chosen = self._fault(block.generator("fault"), inputs, available)
            return np.array([available[next(chosen)] for _ in inputs.sizes], np.int32)

        return sample


def per_record(random: np.random.Generator, _: Records, available: list[int]) -> Iterator[int]:
    """Any partition for each record: what several libraries do."""
    while True:
        yield from random.integers(0, len(available), 4096).tolist()


def constant(_: np.random.Generator, __: Records, ___: list[int]) -> Iterator[int]:
    while True:
        yield 0


def in_turn_from_0(_: np.random.Generator, __: Records, available: list[int]) -> Iterator[int]:
    while True:
        yield from range(len(available))


def by_batch(
    random: np.random.Generator, inputs: Records, available: list[int], *, fault: str = ""
) -> Iterator[int]:
    """Sticky by batches, with a fault."""
    count = len(available)
    now = before = int(random.integers(count))
    for closed in inputs.closes.tolist():
        yield now
        if not closed:
            continue
        step = int(random.integers(1, count))
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
    random: np.random.Generator, inputs: Records, available: list[int], *, fault: str = ""
) -> Iterator[int]:
    """KIP-794, with a fault."""
    now, held = int(random.integers(len(available))), 0
    limit = 1001 if fault == "one byte late" else 1000
    twice = 2001 if fault == "twice one byte late" else 2000
    for size, closes in zip(inputs.sizes.tolist(), inputs.closes.tolist(), strict=True):
        yield now
        held += size
        if (held >= limit and closes) or held >= twice:
            held = 0 if fault != "keeps the rest" else held - limit
            draw = int(random.integers(len(available)))
            now = draw if fault != "never the same" or draw != now else (draw + 1) % len(available)


def with_fault(rule: Callable[..., Iterator[int]], fault: str) -> Fault:
    return lambda random, inputs, available: rule(random, inputs, available, fault=fault)


FAULTS: list[tuple[str, str, str, Fault, str]] = [
    ("random", "round-robin-null-key", "2.3.1", per_record, "by record: in turn"),
    ("constant", "round-robin-null-key", "2.3.1", constant, "by record: in turn"),
    ("from 0", "round-robin-null-key", "2.3.1", in_turn_from_0, "by record: first"),
    ("random", "sticky", "3.2.3", per_record, "by record: stays"),
    ("constant", "sticky", "3.2.3", constant, "by record: moves on"),
    *(
        (fault, "sticky", "3.2.3", with_fault(by_batch, fault), f"by record: {test}")
        for fault, test in (
            ("next one twice as likely", "transitions"),
            ("may stay", "moves on"),
            ("avoids the one before", "no memory"),
        )
    ),
    ("random", "built-in", "3.8.0", per_record, "by record: stays"),
    *(
        (fault, "built-in", "3.8.0", with_fault(by_bytes, fault), f"by record: {test}")
        for fault, test in (
            ("one byte late", "stays"),
            ("twice one byte late", "stays"),
            ("keeps the rest", "stays"),
            ("never the same", "transitions"),
        )
    ),
]


@pytest.mark.parametrize(
    ("behaviour", "version", "fault", "difference"),
    [pytest.param(*rest, id=f"{rest[0]}: {name}") for name, *rest in FAULTS],
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
            ids = [number for number, _ in distribution.partitions]
            return lambda _block, inputs: np.resize(np.array(ids, np.int32), len(inputs.sizes))

    result = judged(java, "round-robin-null-key", "2.3.1", Anywhere(constant))
    assert "leaders missing: available" in result.differences


def test_what_a_testee_cannot_be_asked_is_not_sampled() -> None:
    plain, messy = distributions_of("sticky", ())
    assert isinstance(plain, WithoutKey)
    assert isinstance(messy, WithoutKey)
    assert plain.all_led
    assert not messy.all_led
    assert len(distributions_of("sticky", ("leaderless partitions",))) == 1
    dense = distributions_of("sticky", ("gaps in ids",))[1]
    assert isinstance(dense, WithoutKey)
    assert [number for number, _ in dense.partitions] == list(range(7))
    assert distributions_of("murmur2", ()) == []


def test_too_few_records_are_not_run(java: JavaSubject) -> None:
    result = sample_cell(
        behaviour_named("sticky"),
        client_of("3.2.3"),
        java,
        PythonPort(),
        seed=0,
        sampled_cells=1,
        records=20_000,
    )
    assert result.verdict is Verdict.NOT_RUN
    assert "Use more records" in result.reason
