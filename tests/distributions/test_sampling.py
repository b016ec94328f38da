"""Blocks and tasks: whatever the cut, the same is counted. No JVM: the port against itself."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from conformance.clients.versions import CLIENT_VERSIONS
from conformance.commands.shared import lasting, parse_records
from conformance.commands.stats import lasting_of
from conformance.distributions.registry import DISTRIBUTIONS
from conformance.distributions.samplers import asked
from conformance.errors import UsageError
from conformance.model.distribution import (
    Block,
    Distribution,
    ImpossibleAnswerError,
    Measures,
    tally,
)
from conformance.sampling.blocks import BlockRunner, Key, Order, Task, add_all, split
from conformance.sampling.order import least_records, make_order, sizes_of
from conformance.subjects.python_port import PythonPort


def small(name: str, blocks: int, seed: int = 0) -> Order:
    order, _ = make_order(distributions=[name], seed=seed)
    (distribution,) = order.distributions
    records = (blocks - 1) * distribution.block_records + 10
    return replace(order, records={name: records})


def measured(order: Order, tasks: list[Task]) -> dict[Key, Measures]:
    totals: dict[Key, Measures] = {}
    for task in tasks:
        runner = BlockRunner(order, PythonPort(), PythonPort())
        add_all(totals, pickle.loads(pickle.dumps(runner.run(task))))
    return totals


def same(one: Measures, other: Measures) -> bool:
    return pickle.dumps(flat(one)) == pickle.dumps(flat(other))


def flat(measures: Measures) -> object:
    return (
        measures.records,
        {name: values.tolist() for name, values in sorted(measures.counts.items())},
        {name: values.tolist() for name, values in sorted(measures.seen.items())},
        {
            name: [(block, row.tolist()) for block, row in sorted(rows.items())]
            for name, rows in sorted(measures.rows.items())
        },
        sorted(measures.first.items()),
    )


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=lambda d: d.name)
def test_any_cut_in_any_order_counts_the_same(distribution: Distribution) -> None:
    order = small(distribution.name, 4)
    whole = measured(order, split(order, 1))
    parts = measured(order, split(order, 4)[::-1])
    assert len(split(order, 4)) == 4
    assert whole.keys() == parts.keys()
    for key, measures in whole.items():
        assert measures.records == order.sampled(distribution)
        assert same(measures, parts[key])


@pytest.mark.parametrize("name", ["sticky", "built-in", "adaptive", "keyed/zipf"])
def test_another_seed_is_another_sample(name: str) -> None:
    one, other = (measured(small(name, 2, seed), [Task(name, 0, 2)]) for seed in (0, 1))
    assert any(not same(measures, other[key]) for key, measures in one.items())


def test_tasks_cover_every_block_once() -> None:
    order, _ = make_order(records=30_000_000)
    for tasks in (1, 7, 64, 100_000):
        cut = split(order, tasks)
        for distribution in order.distributions:
            blocks = [
                number
                for task in cut
                if task.distribution == distribution.name
                for number in range(task.first_block, task.first_block + task.blocks)
            ]
            assert blocks == list(range(order.blocks_of(distribution)))


def test_records_are_shared_out_and_rounded_up_to_whole_blocks() -> None:
    order, absent = make_order(records=1_000_000, clients=["2.3.1"])
    assert sum(order.records.values()) == pytest.approx(1_000_000, rel=1e-3)
    assert absent["sticky", "2.3.1"] == "arrived in 2.4 (KIP-480)"
    assert {d.name for d in order.distributions}.isdisjoint({"sticky", "built-in"})
    order, _ = make_order(distributions=["built-in"], records=10_000)
    assert order.sampled(order.distributions[0]) == 16_384


def test_records_are_enough_for_every_test_wherever_there_are_enough() -> None:
    least = least_records(DISTRIBUTIONS)
    for records in (least, least + 1, 2 * least, 10 * least):
        sizes = sizes_of(DISTRIBUTIONS, records)
        assert all(sizes[one.name] >= one.least for one in DISTRIBUTIONS)
        assert sum(sizes.values()) == pytest.approx(records, abs=len(sizes))
    assert any(sizes_of(DISTRIBUTIONS, least - 1)[one.name] < one.least for one in DISTRIBUTIONS)
    assert sizes_of(DISTRIBUTIONS, None) == {one.name: one.records for one in DISTRIBUTIONS}


def test_nothing_to_sample_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"nothing to sample: adaptive\[2.3.1\]: arrived in 3.3"):
        make_order(distributions=["adaptive"], clients=["2.3.1"])
    with pytest.raises(UsageError, match=r"no distribution 'stiky'.*\n.*Did you mean sticky"):
        make_order(distributions=["stiky"])


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("100M", 10**8), ("2.5k", 2500), ("1.1k", 1100), ("1_000", 1000), ("1000G", 10**12)),
        ("3.0", 3),
    ],
)
def test_numbers_of_records(text: str, number: int) -> None:
    assert parse_records(text) == number


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "12m", "1e8", "1001G", "0.1", "1.5", "1.2345k", "M"]
)
def test_what_is_no_number_of_records(text: str) -> None:
    with pytest.raises(UsageError, match="is not a number of records"):
        parse_records(text)


def test_tally_refuses_partitions_that_do_not_exist() -> None:
    assert tally(np.array([0, 2, 2]), 4).tolist() == [1, 0, 2, 0]
    for wrong in (4, -1):
        with pytest.raises(ImpossibleAnswerError, match=f"answered {wrong}, not one of 0 to 3"):
            tally(np.array([0, wrong]), 4)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (2**32 - 5, r"answered 4294967291 \(beyond int32; its last 32 bits, signed, are -5\)"),
        (-(2**31) - 1, r"answered -2147483649 \(beyond int32; .* are 2147483647\)"),
        (10**100, "answered a number of 333 bits"),
    ],
)
def test_a_testee_that_answers_numbers_beyond_int32_answers_wrongly(wrong: int, told: str) -> None:
    block = Block(0, 0, 2, (1,))
    for answer in ([0, wrong], [wrong, 0]):
        with pytest.raises(ImpossibleAnswerError, match=told):
            asked(lambda *_, said=answer: said, "keyed", CLIENT_VERSIONS[0], block, {})  # type: ignore[misc]
    edges = [-(2**31), 2**31 - 1]
    assert asked(lambda *_: edges, "keyed", CLIENT_VERSIONS[0], block, {}).tolist() == edges


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (14, 41, "about 14 to 41 seconds"),
        (61, 183, "about 1 to 3 minutes"),
        (100, 125, "about 2 to 3 minutes"),
        (0.2, 0.3, "about 1 to 2 seconds"),
    ],
)
def test_what_takes_long_says_how_long_before_it_begins(low: float, high: float, told: str) -> None:
    assert lasting(low, high) == told


def test_more_records_take_longer_and_more_cores_less() -> None:
    default, quick = make_order()[0], make_order(share=0.0)[0]
    # CI took 437 s where its yardstick takes 1.59 s: 110 s where that takes 0.40 s.
    assert lasting_of(default, 2) == "That takes about 2 to 5 minutes on 2 cores."
    assert lasting_of(quick, 2).endswith(" seconds on 2 cores.")
    assert lasting_of(default, 64).endswith(" seconds on 64 cores.")
