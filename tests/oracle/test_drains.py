"""What stands in for an accumulator around the port is held to the real one, draw for draw."""

from collections.abc import Iterator

import numpy as np
import pytest

import python_impl
from conformance.distributions.drains import BATCH_SIZE, ORDERS, PARTITIONS, Drains, run_port
from conformance.distributions.samplers import seed_of_java
from conformance.distributions.sampling import Order
from conformance.draws import GAMMA, mix32
from conformance.engine.plan import client_named
from conformance.jars.store import JarStore
from conformance.subjects import JavaSubject


def _draws(seed: int) -> Iterator[int]:
    while True:
        seed = (seed + GAMMA) % 2**64
        yield mix32(seed)


@pytest.mark.parametrize("order", ORDERS)
def test_the_port_in_its_accumulator_does_what_java_does_in_the_real_one(order: str) -> None:
    client = client_named("3.8.0")
    distribution = Drains(order)
    orders = Order((distribution,), {distribution.name: 1}, {distribution.name: (client,)}, 7)
    sampler = JavaSubject(JarStore()).sampler(distribution, client)
    for number in range(5):
        block = orders.block(distribution, number)
        inputs = distribution.inputs(block)
        random = _draws(block.seed_for(seed_of_java(client))).__next__
        port = python_impl.kafka_3_8_0.BuiltInPartitioner("t", BATCH_SIZE, random=random)
        mine = run_port(port, python_impl.Cluster.of(t=PARTITIONS), inputs)
        np.testing.assert_array_equal(mine, sampler(block, inputs))
