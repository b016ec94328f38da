"""Bugs planted in the port are found by the distributions, against the real clients."""

import pytest

from conformance.distributions.double_call import SCENARIOS
from conformance.mutants.catalogue import MUTANTS
from conformance.mutants.mutant import Mutant
from conformance.subjects.python_port import PythonPort
from tests.distributions.conftest import Judge, failing
from tests.landing import first_of_each, nightly

_CACHE = "producer/sticky_partition_cache.py"
_BUILT_IN = "producer/built_in_partitioner.py"
BLOCKS = {
    "sticky": 120,
    "built-in": 120,
    "built-in/one-slow": 1172,
    "round-robin/producer": len(SCENARIOS),
}
"""Enough for every test to be run; of a slow broker as many as by default, for the effect is small.

Sixty, which the others get, take every topic's counter past its wrap.
"""
_FROM_CATALOGUE = {
    "columns mask 32 bits": ("keyed/uuid", "record by record"),
    "round robin starts at 1": ("round-robin/producer", "record by record"),
    "one counter for all topics": ("round-robin", "balance"),
    "counter advances first": ("round-robin-null-key", "record by record"),
    "counter abs": ("round-robin-null-key/wrap", "record by record"),
    "sticky no redraw": ("sticky", "moves on"),
    "switch after the batch size": ("built-in", "moves on"),
    "switch although forbidden": ("built-in", "moves on"),
    "switch must move": ("built-in", "transitions"),
    "bytes are kept over a switch": ("built-in", "moves on"),
    "weight without plus one": ("adaptive", "answers"),
    "choice off by one": ("adaptive", "weights"),
    "adaptive ignored": ("adaptive", "weights"),
    "excluded partitions are chosen": ("adaptive", "answers"),
}


def from_catalogue() -> list[tuple[Mutant, str, str]]:
    known = {mutant.name: mutant for mutant in MUTANTS}
    return [(known[name], *found) for name, found in _FROM_CATALOGUE.items()]


_NEVER_THE_LAST = Mutant(
    "built-in never chooses the last",
    "the index is drawn from one partition less",
    _BUILT_IN,
    "        index = remainder(random, len(available))\n",
    "        index = remainder(random, len(available) - 1)\n",
    "built-in",
    "3.8.0",
)
OF_THEIR_OWN = [
    (
        Mutant(
            "columns never choose the last",
            "a column's hashes are reduced to one partition less",
            "columns.py",
            "count = np.uint32(abs(divisor))",
            "count = np.uint32(abs(divisor) - 1)",
            "keyed-columns",
            "3.2.3",
        ),
        "keyed/decimal",
        "record by record",
    ),
    (
        Mutant(
            "sticky goes to the next one",
            "the next partition is the old one's successor more often than another",
            _CACHE,
            "        return new\n",
            "        if old is not None and self._random() % 50 == 0:\n"
            "            return available[(old + 1) % len(available)].partition\n"
            "        return new\n",
            "sticky",
            "3.2.3",
        ),
        "sticky",
        "transitions",
    ),
    (
        Mutant(
            "sticky begins at 0",
            "every new producer starts with the first partition",
            _CACHE,
            "        new = old\n",
            "        if old is None:\n            return available[0].partition\n"
            "        new = old\n",
            "sticky",
            "3.2.3",
        ),
        "sticky",
        "transitions",
    ),
    (
        Mutant(
            "built-in begins at 0",
            "every new producer starts with the first partition",
            _BUILT_IN,
            "            self._info = StickyPartitionInfo(self._next_partition(cluster))\n"
            "        return self._info\n",
            "            self._info = StickyPartitionInfo(0)\n        return self._info\n",
            "built-in",
            "3.8.0",
        ),
        "built-in",
        "transitions",
    ),
    (
        Mutant(
            "built-in never completes a switch",
            "a switch that waited for a full batch is forgotten",
            _BUILT_IN,
            "        enough = produced >= self._sticky_batch_size and enable_switch\n",
            "        enough = (\n            produced >= self._sticky_batch_size\n"
            "            and enable_switch\n            and appended_bytes > 0\n        )\n",
            "built-in",
            "3.8.0",
        ),
        "built-in/one-slow",
        "runs as with Java",
    ),
    (
        Mutant(
            "built-in in fractions",
            "a partition that is no whole number",
            _BUILT_IN,
            "        return available[index].partition\n",
            "        return available[index].partition + 0.9\n",
            "built-in",
            "3.8.0",
        ),
        "built-in/at-once",
        "answers",
    ),
    (
        Mutant(
            "columns answer a key too few",
            "the last key of a column is lost",
            "columns.py",
            "    return pa.Array.from_buffers(pa.int32(), len(keys), [validity, ",
            "    return pa.Array.from_buffers(pa.int32(), max(len(keys) - 1, 0), [validity, ",
            "keyed-columns",
            "3.8.0",
        ),
        "keyed/uuid",
        "answers",
    ),
    (_NEVER_THE_LAST, "built-in/at-random", "bytes"),
    (_NEVER_THE_LAST, "built-in/one-slow", "bytes as with Java"),
    (
        Mutant(
            "built-in answers a partition too far",
            "counts from 1",
            _BUILT_IN,
            "        return available[index].partition\n",
            "        return available[index].partition + 1\n",
            "built-in",
            "3.8.0",
        ),
        "built-in",
        "answers",
    ),
]


PLANTED = first_of_each([*from_catalogue(), *OF_THEIR_OWN], lambda planted: planted[1])
"""At each landing one bug for each distribution."""


@pytest.mark.parametrize(
    ("mutant", "distribution", "test"),
    PLANTED,
    ids=lambda value: value.name if isinstance(value, Mutant) else str(value),
)
def test_a_planted_bug_is_found(judge: Judge, mutant: Mutant, distribution: str, test: str) -> None:
    port = PythonPort(mutant.load(), name="the mutant")
    blocks = BLOCKS.get(distribution, 60 if not distribution.startswith("keyed") else 2)
    wrong = failing(judge(distribution, mutant.client, blocks=blocks, against=port))
    assert test in wrong, wrong
    assert wrong[test].startswith("diverges")


@pytest.mark.parametrize(
    ("distribution", "client"),
    [
        ("keyed/email", "2.3.1"),
        ("keyed/zipf", "3.2.3"),
        ("round-robin-null-key/wrap", "2.3.1"),
        ("round-robin/producer", "3.8.0"),
        ("sticky", "3.8.0"),
        ("built-in", "3.8.0"),
        ("built-in/at-once", "3.8.0"),
        ("built-in/one-slow", "3.8.0"),
        ("adaptive", "3.8.0"),
    ],
)
@nightly
def test_the_port_itself_conforms(judge: Judge, distribution: str, client: str) -> None:
    tests = judge(distribution, client, blocks=BLOCKS.get(distribution, 60))
    assert failing(tests) == {}
    assert {judged.of.subject for judged in tests} == {
        f"Java {client}",
        f"the Python port of {client}",
    }
