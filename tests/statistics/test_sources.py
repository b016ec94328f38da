"""The simulated subjects count what the distributions would, and choose by the rules they say."""

import numpy as np
import pytest
import scipy.stats

import python_impl
from conformance.distributions import built_in, drains, sticky
from conformance.distributions.built_in import Appends, BuiltIn, stay_shares
from conformance.distributions.drains import ORDERS, Drains, Traffic, run_port
from conformance.distributions.registry import DISTRIBUTIONS
from conformance.distributions.sticky import Sticky
from conformance.engine.profiles import PROFILES
from conformance.model.distribution import Block, Distribution
from conformance.sampling.blocks import Order
from conformance.sampling.order import make_order
from conformance.statistics.verdicts import FALSE_ALARMS
from tests.statistics.faults import FAULTS, HIDDEN, Fault
from tests.statistics.kernels import bounds, walk_appends, walk_batches, walk_producer
from tests.statistics.runs import simulated_run, strictest_level
from tests.statistics.sources import generator, source_of, stays_counted

BLOCKS = 3


def random_bits(*shape: int) -> np.ndarray:
    """The bits of choices; of two bits are the choices among four partitions."""
    return generator(1).integers(0, 2**32, shape, np.uint32)


@pytest.mark.parametrize("order", ORDERS)
def test_the_simulated_producer_is_the_port_draw_for_draw(order: str) -> None:
    distribution = Drains(order)
    source = source_of(distribution, BLOCKS * distribution.block_records)
    given = source.given(generator(2))
    bits = random_bits(BLOCKS, 2 * distribution.block_records)
    amounts, runs = walk_producer(bounds(source.rule), bits, *given, False)
    for number in range(BLOCKS):
        draws = iter((bits[number] >> 30).tolist())
        release = python_impl.kafka_3_8_0
        port = drains.sized_accumulator(python_impl, release, draws.__next__)
        traffic = Traffic(given.values[number], given.orders[number])
        answers = run_port(port, drains.cluster_of_nodes(python_impl), traffic)
        block = Block(number, 0, distribution.block_records, (0,))
        measured = distribution.measure(block, traffic, answers)
        np.testing.assert_array_equal(amounts[number], measured.rows["bytes"][number])
        np.testing.assert_array_equal(runs[number], measured.rows["runs"][number])


def test_the_simulated_stays_are_the_ports_draw_for_draw() -> None:
    distribution = BuiltIn()
    source = source_of(distribution, BLOCKS * distribution.block_records)
    given = source.given(generator(3))
    bits = random_bits(BLOCKS, distribution.block_records)
    counted = stays_counted(distribution)
    names = ("stays", "pairs", "triples", "bytes of a stay")
    for number in range(BLOCKS):
        one = slice(number, number + 1)
        *counts, amounts = walk_appends(
            bounds(source.rule), bits[one], given.sizes[one], given.ready[one], counted
        )
        draws = iter((bits[number] >> 30).tolist())
        port = python_impl.kafka_3_8_0.BuiltInPartitioner(
            "t", built_in.BATCH_SIZE, random=draws.__next__
        )
        appends = Appends(
            given.sizes[number].astype(np.int32), given.ready[number].astype(np.uint8)
        )
        answers = appended(port, appends)
        block = Block(number, 0, distribution.block_records, (0,))
        measured = distribution.measure(block, appends, answers)
        assert measured.counts["wrong moves"] == 0
        for name, mine in zip(names, counts, strict=True):
            np.testing.assert_array_equal(mine, measured.counts[name], name)
        np.testing.assert_array_equal(amounts[0], measured.rows["bytes"][number])


def appended(port: python_impl.kafka_3_8_0.BuiltInPartitioner, appends: Appends) -> np.ndarray:
    """What a port answers when records are appended."""
    cluster = python_impl.Cluster.of(t=built_in.PARTITIONS)
    answers = []
    for size, ready in zip(appends.sizes.tolist(), appends.ready.tolist(), strict=True):
        info = port.peek(cluster)
        port.update_partition_info(info, size, cluster, bool(ready))
        answers.append((info.partition(), port.is_partition_changed(info)))
    return np.array(answers, np.int32)


def test_the_simulated_batches_are_counted_as_real_ones() -> None:
    distribution = Sticky()
    source = source_of(distribution, BLOCKS * distribution.block_records)
    sizes = source.given(generator(4))
    bits = random_bits(*sizes.shape)
    pairs, triples, batches, records = walk_batches(bounds(source.rule), bits, sizes)
    total = None
    for number in range(BLOCKS):
        answers = [int(bits[number, 0]) * sticky.PARTITIONS >> 32]
        for draw in bits[number, 1:].tolist():
            # Two bits choose among the four others, in their order.
            others = [k for k in range(sticky.PARTITIONS) if k != answers[-1]]
            answers.append(others[draw >> 30])
        block = Block(number, 0, distribution.block_records, (0,))
        measured = distribution.measure(
            block, sizes[number].astype(np.int64), np.array(answers, np.int32)
        )
        np.testing.assert_array_equal(batches[number], measured.rows["batches"][number])
        np.testing.assert_array_equal(records[number], measured.rows["records"][number])
        if total is None:
            total = measured
        else:
            total.add(measured)
    assert total is not None
    np.testing.assert_array_equal(pairs, total.counts["pairs"])
    np.testing.assert_array_equal(triples, total.counts["triples"])


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=lambda known: known.name)
def test_what_is_simulated_has_the_form_of_what_is_measured(distribution: Distribution) -> None:
    blocks = 2
    source = source_of(distribution, blocks * distribution.block_records)
    simulated = source.measures(source.rule, source.given(generator(5)), generator(6))
    order = Order((distribution,), {distribution.name: source.records}, {}, 0)
    client = next(one for one in make_order()[0].clients[distribution.name])
    sampler = distribution.port(client, python_impl)
    measured = None
    for number in range(blocks):
        block = order.block(distribution, number)
        inputs = distribution.inputs(block)
        one = distribution.measure(block, inputs, sampler(block, inputs))
        if measured is None:
            measured = one
        else:
            measured.add(one)
    assert measured is not None
    assert simulated.records == measured.records
    for kind in ("counts", "seen"):
        mine, real = getattr(simulated, kind), getattr(measured, kind)
        assert mine.keys() <= real.keys()
        assert {name: mine[name].shape for name in mine} == {
            name: real[name].shape for name in mine
        }
    assert simulated.rows.keys() == measured.rows.keys()
    for name in simulated.rows:
        assert simulated.table(name).shape == measured.table(name).shape


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_faults_rule_is_a_rule_and_not_the_right_one(fault: Fault) -> None:
    right, rule = source_of(fault.distribution).rule, fault.rule
    assert rule.shape == right.shape
    assert (rule >= 0).all()
    assert not np.allclose(rule, right, rtol=1e-4)
    if fault.name != "by batch":
        np.testing.assert_allclose(rule.sum(axis=-1), 1)


def long_run(rule: np.ndarray) -> np.ndarray:
    """The parts of the batches that partitions get from a chain in the long run."""
    moves = np.linalg.matrix_power(rule[0], 200)
    return np.asarray(moves[0])


def test_biases_are_what_they_are_called() -> None:
    by_name = {str(fault): fault for fault in FAULTS}
    even = np.full(4, 0.99 * 0.2 + 0.01 * 0.2 * 3 / 4)
    np.testing.assert_allclose(long_run(by_name["1 % bias, sticky"].rule), [0.202, *even])
    np.testing.assert_allclose(by_name["1 % bias, built-in"].rule[0, 0, 0], 0.2525)
    for name in ("biased transition, sticky", "biased transition of three, built-in"):
        rule = by_name[name].rule[0]
        np.testing.assert_allclose(rule.sum(axis=0), 1)  # Everybody is reached as often.
    for name in ("memory, sticky", "memory, built-in"):
        rule, right = by_name[name].rule, source_of(by_name[name].distribution).rule
        # Over all partitions before, weighted with how often they were, nothing differs.
        weights = right[0] / right[0].sum(axis=0)
        np.testing.assert_allclose(np.einsum("bp,bpn->pn", weights, rule), right[0])


@pytest.mark.parametrize("fault", HIDDEN, ids=str)
def test_partitions_that_are_alike_can_change_their_names(fault: Fault) -> None:
    np.testing.assert_allclose(fault.rule, source_of(fault.distribution).rule)


def test_stays_are_distributed_as_by_brute_force() -> None:
    source = generator(7)
    stays = 300_000
    held, ended = np.zeros(stays, np.int64), np.zeros(stays, np.bool_)
    while not ended.all():
        sizes = source.integers(built_in.SMALLEST_RECORD, built_in.LARGEST_RECORD + 1, stays)
        held += np.where(ended, 0, sizes)
        ready = source.random(stays) < built_in.READY
        ended |= ((held >= built_in.BATCH_SIZE) & ready) | (held >= 2 * built_in.BATCH_SIZE)
    shares = stay_shares()
    assert shares.sum() == pytest.approx(1)
    edges = np.arange(built_in.BATCH_SIZE, built_in.LONGEST + 1, 50)
    counts = np.add.reduceat(np.bincount(held, minlength=len(shares)), edges)
    expected = stays * np.add.reduceat(shares, edges)
    assert counts.sum() == stays
    some = expected > 20
    assert counts[~some].sum() <= 2 * expected[~some].sum() + 20
    statistic = ((counts - expected)[some] ** 2 / expected[some]).sum()
    assert scipy.stats.chi2.sf(statistic, some.sum() - 1) > 1e-4


def test_every_purpose_block_distribution_and_seed_has_its_own_stream() -> None:
    order, _ = make_order()
    firsts = []
    for seed in (0, 1, 2**32, 2**63):
        orders = Order(order.distributions, order.records, order.clients, seed)
        for distribution in order.distributions:
            for number in (0, 1, 2):
                block = orders.block(distribution, number)
                purposes = ("a", "b", "ab", "java 3.8.0", "port 3.8.0", "java 3.2.3")
                firsts += [block.seed_for(purpose) for purpose in purposes]
                assert block.seed_for("a") == block.seed_for("a")
    assert len(set(firsts)) == len(firsts)
    # No bit of them is always the same either, nor do neighbours go together.
    bits = np.array(firsts, np.uint64)[:, np.newaxis] >> np.arange(64, dtype=np.uint64) & 1
    assert abs(np.corrcoef(bits.T.astype(float)) - np.eye(64)).max() < 0.3
    assert 0.3 < bits.mean(axis=0).min() <= bits.mean(axis=0).max() < 0.7


def test_a_simulated_run_has_the_tests_of_a_real_one() -> None:
    judged = simulated_run(1)
    order, _ = make_order()
    cells = {(one.of.distribution, one.of.client) for one in judged}
    assert cells == {
        (distribution.name, client.version)
        for distribution in order.distributions
        for client in order.clients[distribution.name]
    }
    assert strictest_level() == FALSE_ALARMS / sum(one.outcome.p is not None for one in judged)
    assert all(one.outcome.not_run is None for one in judged)


@pytest.mark.parametrize("share", [0.0, PROFILES["quick"].sampled])
def test_the_least_records_are_enough_for_every_test(share: float) -> None:
    reasons = [(one.of, one.outcome.not_run) for one in simulated_run(2, share=share)]
    assert [told for told in reasons if told[1] is not None] == []
