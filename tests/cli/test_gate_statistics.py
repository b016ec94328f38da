"""``gate-stats``: two jars by the million records; what its tests say of both."""

import json
import time
from hashlib import sha256

import pytest

from conformance.distributions.of_jars import outcome_of_distribution
from conformance.engine.gate import Change
from conformance.engine.results import Verdict
from conformance.jars.lock import jars_of_client
from conformance.jars.store import JarStore
from conformance.statistics.outcome import Kind, Outcome
from conformance.statistics.verdicts import Judged, Subjected
from tests.cli.running import Suite, interrupt, wait_until
from tests.cli.spoilt_jars import spoilt, without

CONFORMS, DIVERGES, NOT_RUN = Verdict.CONFORMS, Verdict.DIVERGES, Verdict.NOT_RUN


def judged(**verdicts: Verdict) -> list[Judged]:
    of = Subjected("sticky", "3.8.0", "a jar")
    return [
        Judged(
            of,
            Outcome(
                name,
                Kind.EXACT,
                1000,
                detail="seen",
                not_run="too few" if verdict is NOT_RUN else None,
            ),
            verdict,
            None,
            None,
        )
        for name, verdict in verdicts.items()
    ]


@pytest.mark.parametrize(
    ("old", "new", "change", "what"),
    [
        ({"a": CONFORMS}, {"a": CONFORMS, "compared": CONFORMS}, Change.SAME, ""),
        ({"a": CONFORMS}, {"a": DIVERGES}, Change.CHANGED, "a: no longer as expected. seen"),
        ({"a": DIVERGES}, {"a": CONFORMS}, Change.CHANGED, "a: as expected now, and was not"),
        ({"a": CONFORMS}, {"a": CONFORMS, "compared": DIVERGES}, Change.CHANGED, "compared: seen"),
        ({"a": DIVERGES}, {"a": DIVERGES}, Change.NOT_COMPARABLE, "a: neither is as expected"),
        ({"a": NOT_RUN}, {"a": NOT_RUN}, Change.NOT_COMPARABLE, "a: too few"),
        ({"a": NOT_RUN}, {"a": CONFORMS}, Change.NOT_COMPARABLE, "a: too few"),
        ({"a": CONFORMS}, {"a": NOT_RUN}, Change.NOT_COMPARABLE, "a: too few"),
        ({"a": CONFORMS}, {}, Change.NOT_COMPARABLE, "there are no tests"),
    ],
)
def test_what_tests_say_of_two_jars(
    old: dict[str, Verdict], new: dict[str, Verdict], change: Change, what: str
) -> None:
    outcome = outcome_of_distribution("sticky", 1000, judged(**old), judged(**new))
    assert (outcome.change, outcome.what) == (change, what)


def test_two_jars_are_sampled(suite: Suite) -> None:
    suite.cwd.mkdir(parents=True, exist_ok=True)
    [release, *_] = JarStore().ensure(jars_of_client("3.8.0"))
    own = spoilt(release, suite.cwd / "own.jar", without("internals/BufferPool.class"))
    names = ("keyed/uuid", "round-robin", "adaptive", "built-in/in-turn")
    chosen = [word for name in names for word in ("--distribution", name)]
    pair = ("--baseline", "3.8.0", "--candidate", "own.jar", "--master", "local[1]")
    answer = suite.run("gate-stats", *pair, *chosen, "--records", "400k", "--output", "out")
    answer.expect(3, "1 not comparable, 3 same", "cannot be driven")
    document = json.loads((suite.cwd / "out" / "results.json").read_text("utf-8"))
    subjects = {test["subject"] for test in document["tests"]}
    digests = {sha256(jar.read_bytes()).hexdigest()[:8] for jar in (release, own)}
    assert subjects == {f"kafka-clients 3.8.0 (SHA-256 {digest})" for digest in digests}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--distribution", "keyed/uid"), "There is no distribution 'keyed/uid'"),
        (("--distribution", "sticky"), "none of these distributions in common"),
        (("--records", "many"), "'many' is not a number of records"),
    ],
)
def test_mistakes(suite: Suite, options: tuple[str, ...], message: str) -> None:
    pair = ("--baseline", "2.3.1", "--candidate", "3.8.0")
    suite.run("gate-stats", *pair, *options).expect(2, message)


@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_ctrl_c_while_jars_are_tried_ends_it(suite: Suite, seconds: float) -> None:
    process = suite.start("gate-stats", "--baseline", "3.2.3", "--candidate", "3.8.0")
    said = process.stdout
    assert said is not None
    wait_until(lambda: "Candidate" in said.readline(), "the start")
    time.sleep(seconds)
    interrupt(process).expect(3, "Interrupted.")
