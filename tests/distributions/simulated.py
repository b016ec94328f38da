"""Subjects that roll NumPy's dice, fast and with a bias where one is wanted; no JVM, no port."""

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from conformance.distributions.adaptive import DRAWS
from conformance.distributions.adaptive_by_record import AdaptiveByRecord
from conformance.distributions.without_key import Records, WithoutKey
from conformance.model.distribution import Answers, Block, Distribution, Measures
from conformance.sampling.blocks import Order


def totals_of(
    distribution: Distribution, *, seed: int = 0, bias: float = 0.0, share: float = 1.0
) -> Measures:
    """What is counted of a subject that takes the first partition so much too often."""
    records = round(share * distribution.records)
    order = Order((distribution,), {distribution.name: records}, {}, seed)
    totals = Measures()
    for number in range(order.blocks_of(distribution)):
        block = order.block(distribution, number)
        inputs = distribution.inputs(block)
        totals.add(distribution.measure(block, inputs, answers_of(distribution, block, bias)))
    return totals


def answers_of(distribution: Distribution, block: Block, bias: float) -> Answers:
    """Where the records of a block go."""
    inputs = distribution.inputs(block)
    if isinstance(distribution, AdaptiveByRecord):
        return _adaptive(distribution, block, inputs, bias)
    assert isinstance(distribution, WithoutKey)

    def sample(part: Block, records: Records) -> Answers:
        available = np.array(distribution.topic(part).available)
        free = distribution.free(records)
        choices = _choices(part, int(free.sum()), len(available), bias, distribution.may_stay)
        return available[choices[np.cumsum(free) - 1]].astype(np.int32)

    return distribution.afresh(sample)(block, inputs)


def _choices(
    block: Block, wanted: int, count: int, bias: float, may_stay: bool
) -> npt.NDArray[np.int64]:
    """So many choices one after the other; the first partition comes ``bias`` too often."""
    generator = block.generator("simulated")
    wants = (1 + bias) / count
    if may_stay or count == 1:
        return generator.choice(count, wanted, p=_one_and_others(wants, count))
    if count > 2:  # of two, each comes every second time
        wants = float(brentq(lambda first: _share(first, count) - wants, wants / 2, 0.5))
    # Drawn again and again until it is another one.
    drawn = generator.choice(count, 3 * wanted + 100, p=_one_and_others(wants, count))
    return drawn[np.append(True, drawn[1:] != drawn[:-1])][:wanted]


def _one_and_others(first: float, count: int) -> npt.NDArray[np.float64]:
    """The shares of so many partitions, of which the first one's is given."""
    shares = np.full(count, (1 - first) / max(count - 1, 1))
    shares[0] = 1 - shares[1:].sum()
    return shares


def _share(first: float, count: int) -> float:
    """What the first partition gets of all choices if what was just taken is drawn anew."""
    flow = (shares := _one_and_others(first, count)) * (1 - shares)
    return float(flow[0] / flow.sum())


def _adaptive(
    distribution: AdaptiveByRecord, block: Block, inputs: npt.NDArray[np.int64], bias: float
) -> Answers:
    """By the weights; the first partition gets more wherever there are others, ``bias`` in all."""
    generator = block.generator("simulated")
    shares = np.array([vector.shares for vector in distribution.vectors])
    may = shares[:, 0] * (shares[:, 0] < 0.9)
    first = shares[:, 0] + bias * may * shares[:, 0].sum() / may.sum()
    shares[:, 1:] *= (1 - first)[:, np.newaxis] / np.maximum(1 - shares[:, :1], 1e-9)
    shares[:, 0] = first
    table = np.cumsum(shares, axis=1)
    drawn = generator.random((len(inputs), DRAWS))
    rows = [np.searchsorted(table[row], some) for row, some in zip(inputs, drawn, strict=True)]
    return np.concatenate(rows).clip(max=distribution.partitions - 1).astype(np.int32)
