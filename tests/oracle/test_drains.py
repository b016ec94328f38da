"""The port's accumulator in the distributions is held to the real one, draw for draw."""

from collections.abc import Iterator

import numpy as np
import pytest

import python_impl
from conformance.clients.versions import client_named
from conformance.distributions.drains import (
    ORDERS,
    Drains,
    cluster_of_nodes,
    run_port,
    sized_accumulator,
)
from conformance.distributions.samplers import seed_of_java
from conformance.draws import GAMMA, mix32
from conformance.jars.lock import LockedJar
from conformance.sampling.blocks import Order
from conformance.subjects.java_client import JavaSubject
from tests.releases import loaded, sampled_releases

CLIENT = client_named("3.8.0")
"""Whose port is asked: its accumulator is the one of all versions since 3.3."""


def _draws(seed: int) -> Iterator[int]:
    while True:
        seed = (seed + GAMMA) % 2**64
        yield mix32(seed)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("jar", sampled_releases(3, 3), ids=lambda jar: jar.version)
def test_the_port_in_its_accumulator_does_what_java_does_in_the_real_one(
    jar: LockedJar, order: str
) -> None:
    distribution = Drains(order)
    orders = Order((distribution,), {distribution.name: 1}, {distribution.name: (CLIENT,)}, 7)
    sampler = distribution.java(CLIENT, loaded(jar))
    for number in range(3):
        block = orders.block(distribution, number)
        inputs = distribution.inputs(block)
        random = _draws(block.seed_for(seed_of_java(CLIENT))).__next__
        port = sized_accumulator(python_impl, python_impl.kafka_3_8_0, random)
        mine = run_port(port, cluster_of_nodes(python_impl), inputs)
        np.testing.assert_array_equal(mine, sampler(block, inputs))


def test_an_accumulator_of_another_shape_is_refused(java: JavaSubject) -> None:
    client = client_named("3.2.3")
    distribution = Drains("at-once")
    order = Order((distribution,), {distribution.name: 1}, {distribution.name: (CLIENT,)}, 7)
    block = order.block(distribution, 0)
    sampler = java.sampler(distribution, client)
    with pytest.raises(Exception, match=r"RecordAccumulator.append takes a .*TopicPartition"):
        sampler(block, distribution.inputs(block))
