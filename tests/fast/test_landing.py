"""What runs at each landing is a fair sample, and nothing that is left to the nightly is lost."""

import configparser
import re
import shlex
import tomllib
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.mutants.catalogue import MUTANTS
from tests.distributions import test_planted_bugs
from tests.landing import first_of_each, is_nightly
from tests.quality import test_mutants, test_power
from tests.statistics.faults import FAULTS
from tests.testees import test_broken
from tests.testees.catalogue import CATALOGUE

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
BY_THE_MILLION = [*test_planted_bugs.from_catalogue(), *test_planted_bugs.OF_THEIR_OWN]


def _commands() -> dict[str, list[str]]:
    """The words of the only command of an environment of tox, by its name."""
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini")
    return {
        name: shlex.split(tox[f"testenv:{name}"]["commands"].replace("{posargs}", ""))
        for name in ("tests", "full")
    }


def test_full_runs_every_test_there_is() -> None:
    """No choice among tests, in its command or in what pytest is configured with."""
    report = "--junit-xml=conformance-results/full.xml"
    assert _commands()["full"] == ["pytest", "-n", "2", "--dist", "worksteal", report]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    options = project["tool"]["pytest"]["ini_options"]
    assert options["testpaths"] == ["tests"]
    assert options["addopts"] == "-ra --strict-markers --strict-config"
    assert not any(name.startswith("norecurse") or "ignore" in name for name in options)


def test_a_landing_leaves_out_what_is_marked_and_nothing_else() -> None:
    tests, full = (" ".join(_commands()[name]) for name in ("tests", "full"))
    assert tests.replace("-m not full ", "").replace("tests.xml", "full.xml") == full
    assert "-m not full " in tests


@pytest.mark.parametrize(
    ("values", "parameters", "kind"),
    [
        (MUTANTS, test_mutants.PLANTED, lambda bug: bug.behaviour),
        (MUTANTS, test_mutants.PLANTED, lambda bug: (bug.behaviour, bug.client)),
        (MUTANTS, test_mutants.PLANTED, lambda bug: bug.file),
        (FAULTS, test_power.FOUND, lambda fault: fault.distribution.name),
        (FAULTS, test_power.FOUND, lambda fault: fault.name),
        (BY_THE_MILLION, test_planted_bugs.PLANTED, lambda planted: planted[1]),
        (CATALOGUE, test_broken.BROKEN, lambda entry: (entry.stated, entry.words[:1])),
    ],
    ids=[
        *("behaviours", "versions", "files of the port", "distributions", "faults"),
        *("distributions of planted bugs", "broken testees"),
    ],
)
def test_each_kind_has_a_sample_at_each_landing(
    values: Sequence[Any], parameters: Sequence[Any], kind: Callable[[Any], Hashable]
) -> None:
    assert [_value(one) for one in parameters] == [*values]
    sampled = {kind(one) for one in parameters if not is_nightly(one)}
    assert sampled == {kind(one) for one in values}


def _value(parameter: Any) -> Any:
    """What a parameter was made of."""
    if not is_nightly(parameter):
        return parameter
    return parameter.values if len(parameter.values) > 1 else parameter.values[0]


def test_the_first_of_each_kind_is_the_sample() -> None:
    found = first_of_each(["ab", "ac", "bc", "bd"], lambda text: text[0], lambda text: text[1])
    assert [_value(one) for one in found if is_nightly(one)] == []
    found = first_of_each(["ab", "ac", "bc"], lambda text: text[0])
    assert [_value(one) for one in found if is_nightly(one)] == ["ac"]
    [_, pair] = first_of_each([("a", 1), ("a", 2)], lambda pair: pair[0])
    assert pair.values == ("a", 2)


def test_the_page_names_every_file_with_tests_for_the_night() -> None:
    marking = re.compile(r"from tests\.landing import|sampled_releases\(")
    marked = {
        str(file.relative_to(TESTS))
        for file in TESTS.rglob("test_*.py")
        if file != Path(__file__) and marking.search(file.read_text("utf-8"))
    }
    page = (TESTS / "README.md").read_text("utf-8")
    nightly = page.partition("## Each landing and each night")[2]
    rows = re.findall(r"^\| .+? \| `(.+?)` \|", nightly, re.MULTILINE)
    assert set(rows) == marked


def test_the_mark_is_set_where_the_page_is_held_to_it() -> None:
    """Only by tests/landing.py, or the test above would not see it."""
    for file in TESTS.rglob("*.py"):
        assert "mark.full" not in file.read_text("utf-8") or file.name in (
            "landing.py",
            Path(__file__).name,
        ), file


def test_the_example_of_a_nightly_uses_what_there_is() -> None:
    text = (ROOT / "examples" / "ci" / "nightly.yml").read_text("utf-8")
    ran = re.findall(r"run: .*tox -e (\w+)", text)
    assert ran == ["conformance", "full", "adapters"]
    tox = (ROOT / "tox.ini").read_text("utf-8")
    assert all(f"[testenv:{name}]" in tox for name in ran)
    assert all(name in text for name in ("schedule:", "setup-java", "conformance-results/"))
