"""The adaptive choice as a testee shows it: among many partitions, and after the first switch."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from conformance.distributions.adaptive import DRAWS, WORKED_EXAMPLES, Adaptive, LoadVector
from conformance.distributions.topics import WIDE
from conformance.model.distribution import Answers, Block, IntArray, Measures, tally
from conformance.model.outcome import Outcome
from conformance.statistics.tests import SMALLEST_EXPECTED, memory_test, pooled_test, rows_test

_COUNTS = (1, 2, 3, 4, 5, 8, 12)
_NARROW = max(_COUNTS)
"""Queues of partitions from this one on are told of all at once or not at all."""
_POWERS_OF_TWO = ((0, 1, 1), (1, 3, 2, 2))
"""Queues whose weights add up to 4 and to 8, where bad low bits of a generator show."""
_RANDOM = 40


def _load_vectors() -> tuple[LoadVector, ...]:
    """The worked examples, some that must not be left to chance, then random ones."""
    generator = np.random.Generator(np.random.PCG64(794))
    vectors = [LoadVector(one.queues, one.ids, one.length, WIDE) for one in WORKED_EXAMPLES]
    for queues in (*_POWERS_OF_TWO, (0,) * WIDE, (0, 1) * (WIDE // 2)):
        vectors.append(LoadVector(queues, tuple(range(len(queues))), len(queues), WIDE))
    for number in range(_RANDOM):
        count = _COUNTS[number % len(_COUNTS)]
        length = int(generator.integers(1, count + 1)) if number % 3 == 0 else count
        waiting = generator.integers(0, int(generator.choice([1, 4, 20])) + 1, count)
        ids = generator.permutation(_NARROW)[:count]
        vectors.append(LoadVector(tuple(waiting.tolist()), tuple(ids.tolist()), length, WIDE))
    return tuple(vectors)


_VECTORS = _load_vectors()


class AdaptiveByRecord(Adaptive):
    """The same over a topic of many partitions, of which most load stats name a few.

    What a partitioner is told of queues takes effect at its next switch, and whoever asks for the
    partition of a record before telling that it was appended shows the old one once more. So the
    first record after each change is not judged.
    """

    vectors: ClassVar[Sequence[LoadVector]] = _VECTORS
    worked: ClassVar[Sequence[LoadVector]] = _VECTORS[: len(WORKED_EXAMPLES)]
    partitions: ClassVar = WIDE
    tells_bias = ("partitions",)

    def measure(self, block: Block, inputs: IntArray, answers: Answers) -> Measures:
        """Choices under each load vector, and which followed which."""
        tally(answers, self.partitions)
        choices = answers.astype(np.int64).reshape(-1, DRAWS)[:, 1:]
        cells = inputs[:, np.newaxis] * self.partitions + choices
        count = len(self.vectors)
        before, after = choices[:, :-1], choices[:, 1:]
        pairs = (inputs[:, np.newaxis] * _NARROW + before) * _NARROW + after
        near = (before < _NARROW) & (after < _NARROW)
        return Measures(
            block.records,
            {
                "choices": tally(cells.ravel(), count * self.partitions).reshape(count, -1),
                "pairs": tally(pairs[near], count * _NARROW**2).reshape(-1, _NARROW),
            },
        )

    def judge(self, totals: Measures) -> Sequence[Outcome]:
        """Each vector's frequencies, each partition's share overall, no memory."""
        choices, pairs = totals.counts["choices"], totals.counts["pairs"]
        shares = np.array([vector.shares for vector in self.vectors])
        near = shares[:, :_NARROW].sum(axis=1) > 1 - 1e-9
        # Where too few are expected to follow the rarest one there is nothing to be seen.
        tables = pairs.reshape(len(shares), _NARROW, _NARROW)
        rarest = np.where(shares > 0, shares, 1.0).min(axis=1)
        near &= tables.sum(axis=(1, 2)) * rarest**2 >= 2 * SMALLEST_EXPECTED
        return [
            rows_test("weights", choices, shares, both_sides=True),
            pooled_test("partitions", _merged(choices), _merged(shares)),
            memory_test("no memory", tables[near].transpose(1, 0, 2)),
            *self.worked_tests(choices, shares),
        ]


def _merged(table: np.ndarray) -> np.ndarray:
    """The partitions that most load stats name, and all others as one."""
    others = table[:, _NARROW:].sum(axis=1, keepdims=True)
    return np.concatenate([table[:, :_NARROW], others], axis=1)
