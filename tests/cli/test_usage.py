"""The user's mistakes: exit code 2, what was wrong, what there is instead."""

from pathlib import Path

import pytest

from tests.cli.running import ONE_CELL, Suite, needs_permissions


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (
            ["--client", "3.8.1"],
            ["There is no client version '3.8.1'", "Did you mean 3.8.0?", "2.3.1, 3.2.3, 3.8.0"],
        ),
        (
            ["--behaviour", "sticki"],
            ["There is no behaviour 'sticki'", "Did you mean sticky?", "murmur2, keyed"],
        ),
        (
            ["--profile", "quik"],
            ["There is no profile 'quik'", "Did you mean quick?", "quick, default, thorough"],
        ),
        (["--client", "nonsense"], ["There is no client version 'nonsense'", "Known: 2.3.1"]),
        (
            ["--client", "2.3.1", "--behaviour", "sticky", "--behaviour", "built-in"],
            [
                "There is nothing to run",
                "sticky[2.3.1]: arrived in 2.4 (KIP-480)",
                "built-in[2.3.1]: arrived in 3.3 (KIP-794)",
                "kafka-conformance list",
            ],
        ),
        (["--seed", "lucky"], ["'lucky' is neither a number nor 'random'"]),
        (["--jobs", "-1"], ["--jobs"]),
        (["--stall-seconds", "0"], ["--stall-seconds"]),
        (["--subject", "rust"], ["'rust'", "port", "java"]),
        (["--no-such-option"], ["--no-such-option"]),
        (["--jars", "nowhere"], ["folder of jars nowhere does not exist", "Correct --jars"]),
        (["--json", "."], [". cannot be written: it is a folder"]),
        (["--junit", "/dev/null/r.xml"], ["/dev/null is not a folder"]),
    ],
    ids=lambda value: "-".join(value).strip("-")[:30] if isinstance(value, list) else "",
)
def test_mistake(suite: Suite, arguments: list[str], messages: list[str]) -> None:
    suite.run("run", *arguments).expect(2, *messages)
    assert suite.files() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--partitions", "3"], "--partitions needs --keys."),
        (["--column", "key"], "--column needs --keys."),
        (["--keys", "a#b", "--distribution", "sticky"], "exclude each other"),
        (["--keys", "no#where"], "The keys in no cannot be read"),
        (["--keys", "no#where", "--column", "c#d"], "The keys in no#where cannot be read"),
    ],
)
def test_mistake_of_stats(suite: Suite, arguments: list[str], message: str) -> None:
    suite.run("stats", *arguments).expect(2, message)
    assert suite.files() == []


@pytest.mark.parametrize("given", ["nowhere", "file"])
def test_jars_variable_that_names_no_folder(suite: Suite, given: str) -> None:
    (suite.place / "file").touch()
    suite.environment = {"KAFKA_CONFORMANCE_JARS": str(suite.place / given)}
    suite.run("jars").expect(2, str(suite.place / given), "KAFKA_CONFORMANCE_JARS")


@needs_permissions
def test_report_that_may_not_be_written_is_refused_before_the_run(suite: Suite) -> None:
    suite.as_user = True
    closed = suite.place / "closed"
    closed.mkdir(mode=0o500)
    outcome = suite.run("run", *ONE_CELL, "--json", closed / "new" / "r.json")
    outcome.expect(2, f"no permission to write to {closed}", "Name another place")
    assert "cells" not in outcome.out


@needs_permissions
def test_folder_of_jars_that_may_not_be_entered(suite: Suite) -> None:
    suite.as_user = True
    closed = suite.place / "closed"
    (closed / "jars").mkdir(parents=True)
    closed.chmod(0)
    for folder in (closed, closed / "jars"):
        suite.environment = {"KAFKA_CONFORMANCE_JARS": str(folder)}
        suite.run("jars").expect(2, f"{folder} does not exist or cannot be read")
    suite.run("jars", "--jars", closed).expect(2, f"'{closed}' is not readable")
    closed.chmod(0o700)


def test_unknown_command(suite: Suite) -> None:
    suite.run("rum").expect(2, "rum")


def test_nothing_is_replayed_without_a_file(suite: Suite) -> None:
    suite.run("replay").expect(2, "FILE")
    missing = Path("no") / "such.json"
    suite.run("replay", missing).expect(2, f"{missing} cannot be read: No such file")
