"""Two jars with one seed: a choice that is as even as before, and another one, is a change."""

from pathlib import Path

import pytest
from rich.console import Console

from conformance.commands.baseline_and_candidate import two_jars
from conformance.distributions.registry import DISTRIBUTIONS
from conformance.gate.distributions import compared, tried
from conformance.gate.outcomes import in_both
from conformance.jars.store import JarStore
from conformance.model.results import Cell, CellResult, Verdict
from conformance.sampling.blocks import BlockRunner, Order, Task
from conformance.sampling.judging import judge_totals
from tests.doctored import CACHE, CACHE_SOURCE, doctored
from tests.landing import nightly

STICKY = next(one for one in DISTRIBUTIONS if one.name == "sticky")
FROM_THE_END = ("random % available.size()", "available.size() - 1 - random % available.size()")
OF_ITS_OWN = (
    "Utils.toPositive(ThreadLocalRandom.current().nextInt());\n                    newPart",
    "Utils.toPositive(OWN.nextInt());\n                    newPart",
)
OWN = "public class StickyPartitionCache { static java.util.Random OWN = new java.util.Random();"


def gate(candidate: Path) -> tuple[CellResult, bool]:
    """What some blocks say, and whether both jars were given one seed."""
    jars = two_jars(Console(quiet=True), JarStore(), "3.8.0", str(candidate))
    client = in_both(jars.before, jars.after, ["sticky"]).client
    repeats = tried(jars, client, ["sticky"])["sticky"].repeats
    records = 20 * STICKY.block_records
    one_seed = frozenset({"sticky"} if repeats else ())
    order = Order((STICKY,), {"sticky": records}, {"sticky": (client,)}, 0, one_seed)
    totals = BlockRunner(order, *jars.subjects).run(Task("sticky", 0, 20))
    tests, _ = judge_totals(order, totals, jars.subjects, whom="the baseline")
    old = jars.subjects[0].describe(client)
    sides = ([t for t in tests if (t.of.subject == old) is side] for side in (True, False))
    return compared(Cell("sticky", "3.8.0"), *sides), repeats


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (CACHE_SOURCE, None),
        (CACHE_SOURCE.replace(*FROM_THE_END), "records go elsewhere than with the baseline"),
    ],
    ids=["the same", "counted from the end"],
)
def test_another_choice_is_a_change_however_even_it_is(
    tmp_path: Path, source: str, told: str | None
) -> None:
    result, repeats = gate(doctored(tmp_path / "own.jar", {CACHE: source}))
    assert repeats
    found = [test for test in result.tests if test.verdict is Verdict.DIVERGES]
    # Nothing but the records themselves tells: all statistics are as they should be.
    assert [test.test for test in found] == ([] if told is None else ["record by record"])
    assert all(told in test.detail and "expected" in test.detail for test in found if told)


@nightly
def test_a_jar_with_randomness_of_its_own_is_judged_by_statistics_alone(tmp_path: Path) -> None:
    source = CACHE_SOURCE.replace("public class StickyPartitionCache {", OWN)
    assert source.count(OF_ITS_OWN[0]) == 1
    own = doctored(tmp_path / "own.jar", {CACHE: source.replace(*OF_ITS_OWN)})
    result, repeats = gate(own)
    assert not repeats
    tests = {test.test: test.verdict for test in result.tests}
    assert "record by record" not in tests
    assert Verdict.DIVERGES not in tests.values()


@nightly
def test_a_jar_that_ends_its_process_costs_what_it_was_tried_with_alone(tmp_path: Path) -> None:
    first = "Integer part = indexCache.get(topic);"
    exits = CACHE_SOURCE.replace(first, f"System.exit(7); {first}")
    own = doctored(tmp_path / "own.jar", {CACHE: exits})
    jars = two_jars(Console(quiet=True), JarStore(), "3.8.0", str(own))
    client = in_both(jars.before, jars.after, ["sticky", "keyed"]).client
    found = tried(jars, client, ["sticky", "keyed/uuid"])
    assert found["sticky"].failed.startswith("it cannot be tried: its process exited with code 7")
    assert found["keyed/uuid"].failed == ""
