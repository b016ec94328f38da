"""Planted faults: rules by which a subject that is wrong chooses its partitions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from conformance.distributions import adaptive, rack_aware
from conformance.distributions.adaptive import Adaptive
from conformance.distributions.built_in import BuiltIn
from conformance.distributions.double_call import SCENARIOS, DoubleCall
from conformance.distributions.drains import ONE_SLOW, ORDERS, Drains
from conformance.distributions.key_families import ZIPF, ZIPF_KEYS
from conformance.distributions.keyed import Keyed, KeyedWithRepeats
from conformance.distributions.rack_aware import RackAware
from conformance.distributions.registry import DISTRIBUTIONS
from conformance.distributions.round_robin import TOPICS, RoundRobin
from conformance.distributions.sticky import Sticky
from conformance.model.distribution import Distribution
from tests.statistics.sources import Rule, source_of

Change = Callable[[Rule], Rule]
PERCENT = 0.01


@dataclass(frozen=True)
class Fault:
    """One fault in one distribution."""

    name: str
    distribution: Distribution
    what: str
    change: Change
    needs: str = ""
    """Why the default size cannot show it, and what would; empty if it must."""

    def __str__(self) -> str:
        return f"{self.name}, {self.distribution.name}"

    @property
    def rule(self) -> Rule:
        """The rule of the subject that has it."""
        return self.change(source_of(self.distribution).rule)


def more_of_the_first(rule: Rule, share: float = PERCENT) -> Rule:
    """Partition 0 gets that share more than it should, the others evenly less."""
    changed = rule.copy()
    changed[..., 0] = (rule[..., 0] * (1 + share)).clip(max=1)
    others = 1 - rule[..., :1]
    left = np.divide(1 - changed[..., :1], others, out=np.ones_like(others), where=others > 0)
    changed[..., 1:] *= left
    return changed


def more_batches_of_the_first(rule: Rule, share: float = PERCENT) -> Rule:
    """As :func:`more_of_the_first`, for a chain that must move: its stationary distribution.

    In the long run partition 0 has the part p of the batches if the others choose it with
    probability p / (1 - p); it chooses among the others evenly.
    """
    k = rule.shape[-1]
    first = (1 + share) / k
    changed = rule.copy()
    to_first = first / (1 - first)
    for present in range(1, k):
        changed[:, present, :] *= (1 - to_first) / (1 - rule[0, present, 0])
        changed[:, present, 0] = to_first
    return changed


def forwards(rule: Rule, share: float = PERCENT) -> Rule:
    """The next partition follows more often, the previous one as much less.

    Every partition is left and reached as often as it should be.
    """
    k = rule.shape[-1]
    changed = rule.copy()
    for present in range(k):
        changed[:, present, (present + 1) % k] *= 1 + share
        changed[:, present, (present - 1) % k] *= 1 - share
    return changed


def three_in_a_ring(rule: Rule, share: float = PERCENT) -> Rule:
    """The same for three partitions only: 0 to 1 to 2 to 0 more often, the way back less."""
    changed = rule.copy()
    for present in range(3):
        changed[:, present, (present + 1) % 3] *= 1 + share
        changed[:, present, (present - 1) % 3] *= 1 - share
    return changed


def back_again(rule: Rule, share: float = 1.5 * PERCENT) -> Rule:
    """The partition before the present one comes next more often, the others evenly less.

    Not only partitions but also pairs of them are as frequent as they should be.
    """
    changed = rule.copy()
    k = rule.shape[-1]
    for before in range(k):
        for present in range(k):
            if rule[before, present, before] == 0:
                continue  # It never stays, so this has no before.
            row = changed[before, present]
            others = 1 - row[before]
            row[before] *= 1 + share
            row[np.arange(k) != before] *= (1 - row[before]) / others
    return changed


def without_the_last(rule: Rule) -> Rule:
    """The last partition is never chosen, the others in proportion."""
    changed = rule.copy()
    changed[..., -1] = 0
    totals = changed.sum(axis=-1, keepdims=True)
    # Where only the last partition can be chosen, the first is.
    changed[..., 0] += (totals == 0)[..., 0]
    return changed / changed.sum(axis=-1, keepdims=True)


def never_leaves_the_first(rule: Rule) -> Rule:
    """Whoever is on partition 0 stays there."""
    changed = rule.copy()
    changed[:, 0, :] = np.eye(rule.shape[-1])[0]
    return changed


def stays(rule: Rule, share: float = PERCENT) -> Rule:
    """With that probability nothing is chosen: the present partition stays."""
    return (1 - share) * rule + share * np.eye(rule.shape[-1])


def first_only(rule: Rule) -> Rule:
    """Partition 0, whatever the load."""
    return np.broadcast_to(np.eye(rule.shape[-1])[0], rule.shape).copy()


def first_two_exchanged(rule: Rule) -> Rule:
    """Partition 0 answers to the name of 1, and the other way round."""
    changed = rule.copy()
    changed[..., [0, 1]] = rule[..., [1, 0]]
    return changed


def renamed(rule: Rule) -> Rule:
    """The same where also the choices before are partitions."""
    names = [1, 0, *range(2, rule.shape[-1])]
    for axis in range(rule.ndim):
        rule = rule.take(names, axis)
    return rule


def _weights(plus: int) -> Change:
    """Weights of max + ``plus`` - queue, where it should be max + 1 - queue."""

    def change(rule: Rule) -> Rule:
        changed = rule.copy()
        for row, vector in enumerate(adaptive.VECTORS):
            counted = np.array(vector.queues[: vector.length])
            weights = counted.max() + plus - counted
            # Weights that are all 0 leave nothing to choose by: taken for correct here. And
            # equal queues of all partitions are chosen from without weights.
            if weights.sum() > 0 and not _ignored(vector):
                changed[row] = 0
                changed[row, list(vector.ids[: vector.length])] = weights / weights.sum()
        return changed

    return change


def boundary_to_the_left(rule: Rule) -> Rule:
    """A draw equal to a cumulative weight belongs to the partition before it (< for <=).

    The first partition of the table gets one draw more, the last one less.
    """
    changed = rule.copy()
    for row, vector in enumerate(adaptive.VECTORS):
        counted = np.array(vector.queues[: vector.length])
        if not _ignored(vector):
            one = 1 / (counted.max() + 1 - counted).sum()
            changed[row, vector.ids[0]] += one
            changed[row, vector.ids[vector.length - 1]] -= one
    return changed.clip(min=0)


def _ignored(vector: adaptive.LoadVector) -> bool:
    """Whether the load does not matter: nothing is left out and all queues are alike."""
    return vector.length == len(vector.queues) and len(set(vector.queues)) == 1


def across_racks(rule: Rule) -> Rule:
    """Every queue counts, in whatever rack its leader is."""
    del rule
    return np.array([vector.shares for vector in adaptive.VECTORS])


def longest_of_all_racks(rule: Rule) -> Rule:
    """Queues of the rack are weighed by the longest queue of any rack."""
    changed = rule.copy()
    for row, vector in enumerate(rack_aware.VECTORS):
        queues, ids = np.array(vector.queues[: vector.length]), list(vector.ids[: vector.length])
        weights = (queues.max() + 1 - queues) * (rule[row, ids] > 0)
        if not _ignored(vector):
            changed[row, ids] = weights / weights.sum()
    return changed


def by_batch(rule: Rule) -> Rule:
    """Moves on with every new batch, not by bytes."""
    return rule * 2


def no_turn_skipped(rule: Rule) -> Rule:
    """All partitions of a topic have their turn."""
    used = np.array([np.arange(rule.shape[1]) < one.partitions for one in SCENARIOS])
    return np.asarray(used / used.sum(axis=1, keepdims=True))


def _moved(part: float, turn: int, partition: int) -> Change:
    """In topics that have them, a part of one partition's turns goes to another."""

    def change(rule: Rule) -> Rule:
        changed = rule.copy()
        for topic, partitions in enumerate(TOPICS.values()):
            source, target = turn % partitions, partition % partitions
            changed[topic, source, source] -= part
            changed[topic, source, target] += part
        return changed

    return change


_CHAIN: tuple[tuple[str, str, Change], ...] = (
    ("biased transition", "the next partition follows 1 % more often, the previous less", forwards),
    ("biased transition of three", "the same among three partitions only", three_in_a_ring),
    ("memory", "goes back to where it came from 1.5 % more often", back_again),
    ("stuck", "partition 0 is never left", never_leaves_the_first),
    ("starved", "the last partition is never chosen", without_the_last),
    ("stays", "one choice of a hundred does not happen", stays),
)
_BIAS = "partition 0 is chosen 1 % more often than its share, the others less"
_BY_TYPE: dict[type[Distribution], tuple[tuple[str, str, Change], ...]] = {
    Keyed: (
        ("1 % bias", _BIAS, more_of_the_first),
        ("starved", "the last partition is never chosen", without_the_last),
        ("stuck", "every key goes to partition 0", first_only),
    ),
    Sticky: (("1 % bias", f"{_BIAS}, in the long run", more_batches_of_the_first), *_CHAIN),
    BuiltIn: (("1 % bias", _BIAS, more_of_the_first), *_CHAIN),
    Adaptive: (
        ("1 % bias", f"{_BIAS}, whatever the load", more_of_the_first),
        ("weights without plus one", "max - queue for max + 1 - queue", _weights(0)),
        ("weights with plus two", "max + 2 - queue for max + 1 - queue", _weights(2)),
        ("boundary to the left", "a draw on a boundary goes to the left", boundary_to_the_left),
        ("stuck", "partition 0, whatever the load", first_only),
        ("starved", "the last partition is never chosen", without_the_last),
        ("exchanged", "partitions 0 and 1 are taken for each other", first_two_exchanged),
    ),
    RackAware: (
        ("1 % bias", f"{_BIAS}, whatever the load", more_of_the_first),
        ("across racks", "all queues count, in whatever rack", across_racks),
        ("longest of all racks", "the rack's queues by the longest of any", longest_of_all_racks),
        ("stuck", "partition 0, whatever the load", first_only),
        ("exchanged", "partitions 0 and 1 are taken for each other", first_two_exchanged),
    ),
    RoundRobin: (
        ("1 % bias", "one turn of a hundred of partition 1 goes to 0", _moved(PERCENT, 1, 0)),
        ("stuck", "all turns of partition 1 go to 0", _moved(1, 1, 0)),
    ),
    KeyedWithRepeats: (
        ("1 % bias", _BIAS, more_of_the_first),
        ("10 % bias", _BIAS.replace("1 %", "10 %"), partial(more_of_the_first, share=0.1)),
        ("starved", "the last partition is never chosen", without_the_last),
        ("stuck", "every key goes to partition 0", first_only),
    ),
    DoubleCall: (
        ("asked once", "the partitioner is asked once for a new batch", no_turn_skipped),
        ("stuck", "every record goes to partition 0", first_only),
    ),
    Drains: (
        ("1 % bias", _BIAS, more_of_the_first),
        ("6 % bias", _BIAS.replace("1 %", "6 %"), partial(more_of_the_first, share=0.06)),
        ("by batch", "moves on with every new batch, as 2.4 did", by_batch),
        ("stuck", "partition 0 is never left", never_leaves_the_first),
        ("starved", "the last partition is never chosen", without_the_last),
    ),
}


# What the default size is too small for by nature, by fault and distribution.
_NEEDS = {
    ("1 % bias", f"keyed/{ZIPF.name}"): (
        f"There are only {ZIPF_KEYS:,} different keys; it takes some ten million. The other "
        "families have them, and it is the same hash."
    ),
    **{
        ("1 % bias", f"built-in/{order}"): (
            "It takes more than 20 million records, which an accumulator is too slow for. "
            "In built-in the same choices are judged to 1 %; here it is what becomes of them."
        )
        for order in ORDERS
    },
}


def _all() -> Iterator[Fault]:
    for distribution in DISTRIBUTIONS:
        for name, what, change in _BY_TYPE[type(distribution)]:
            # Only a broker that is slower than the others can get more by that. For the rest the
            # other orders do, which are four times as small.
            if (name == "by batch") != (distribution.name == f"built-in/{ONE_SLOW}"):
                continue
            needs = _NEEDS.get((name, distribution.name), "")
            yield Fault(name, distribution, what, change, needs)


FAULTS = tuple(_all())
HIDDEN = tuple(
    Fault("exchanged", distribution, "partitions 0 and 1 are taken for each other", renamed)
    for distribution in DISTRIBUTIONS
    if isinstance(distribution, Keyed | Sticky | BuiltIn | Drains)
)
"""Where all partitions are alike, names do not show in counts: only a comparison does."""
