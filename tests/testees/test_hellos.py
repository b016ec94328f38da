"""Hellos that are legal and would leave little or nothing to compare: never a pass."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.behaviours.registry import BEHAVIOURS
from conformance.cli import main
from conformance.distributions.of_testees import distributions_of
from conformance.subjects.with_hello import SAMPLED

TESTEE = """
import json, sys
hello, answer = json.loads(sys.argv[1]), json.loads(sys.argv[2])
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        told = {"type": "hello", "protocol": 1, "name": "x", "version": "1", "language": "x",
                "behaviours": hello}
    else:
        traces = [[answer] * len(case["steps"]) for case in message["cases"]]
        told = {"type": "traces", "id": message["id"], "traces": traces}
    print(json.dumps(told), flush=True)
"""
LIMITED = {"mode": "exact", "cannot": ["null metadata", "unknown topics", "null topics"]}


def run(folder: Path, behaviours: object, answer: object, *options: str) -> Result:
    program = folder / "testee.py"
    program.write_text(TESTEE, "utf-8")
    words = ["testee", "--jobs", "0", "--profile", "quick", "--output", str(folder), *options]
    command = [sys.executable, str(program), json.dumps(behaviours), json.dumps(answer)]
    return CliRunner().invoke(main, [*words, "--", *command])


def test_only_operations_that_answer_nothing_are_not_run(tmp_path: Path) -> None:
    hello = {"sticky": {**LIMITED, "operations": ["new batch"]}}
    result = run(tmp_path, hello, None)
    assert result.exit_code == 3, result.output
    assert "every answer was null" in result.output
    assert "only these operations: new batch" in result.output


def test_a_claim_of_no_known_version_is_not_run(tmp_path: Path) -> None:
    hello = {
        "keyed": {"mode": "exact", "claims": ["3.8"]},
        "murmur2": {"mode": "exact", "operations": ["toPositive"], "claims": ["3.8.0"]},
    }
    result = run(tmp_path, hello, 0)
    assert (
        "keyed: not run, because this suite has none of the versions that it claims"
        in result.output
    )
    assert result.exit_code in (1, 3)


@pytest.mark.parametrize(
    ("hello", "told"),
    [
        (
            {"sticky": {**LIMITED, "cannot": ["null keys"]}},
            "sticky without null keys leaves no case",
        ),
        ({"keyed": {"mode": "exact", "operations": ["partitions"]}}, "operation 'partitions'"),
        ({"keyed": {"mode": "statistical"}}, "keyed in mode 'statistical'"),
        (
            {"sticky": {"mode": "statistical"}, "load-stats": {"mode": "statistical"}},
            "load-stats cannot be judged by its distribution",
        ),
    ],
)
def test_a_hello_that_makes_no_sense_is_refused(tmp_path: Path, hello: object, told: str) -> None:
    result = run(tmp_path, hello, 0)
    assert result.exit_code == 3
    assert told in result.output


def test_the_statistical_mode_is_for_what_can_be_sampled_and_is_not_only_hashed() -> None:
    sampled = {behaviour.name for behaviour in BEHAVIOURS if distributions_of(behaviour.name, ())}
    assert sampled - {"keyed"} == SAMPLED


def test_known_divergences_excuse_no_refusals_and_no_missing_behaviour(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text(
        '[[divergence]]\nbehaviour = "sticky"\nclients = ["3.8.0"]\n'
        'differences = ["partition: a number for another"]\ncause = "c"\nlink = "l"\n',
        "utf-8",
    )
    hello = {"round-robin": {**LIMITED, "cannot": [*LIMITED["cannot"], "leaderless partitions"]}}
    result = run(tmp_path, hello, 0, "--known", str(known))
    assert "sticky[3.8.0] is listed, but the testee no longer supports it" in result.output
    assert result.exit_code == 1
