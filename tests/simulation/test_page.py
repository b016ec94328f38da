"""docs/simulator.md: its commands are run, its tables and pictures are theirs, its options all."""

import re
import shlex
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.reports.simulation_files import RECORDS_SCHEMA
from conformance.reports.simulation_words import NAMED, mean_text
from conformance.simulation.quantities import number_text
from conformance.simulation.repeated import Mean
from tests.cli.running import check_schema
from tests.landing import later, nightly

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "simulator.md").read_text("utf-8")
_LABELS = {named.label: named for named in NAMED}


def _examples() -> list[tuple[str, str]]:
    """Each command with a picture, and the text up to the next one."""
    parts = re.split(r"^(kafka-conformance simulate .* --plot .*)$", PAGE, flags=re.MULTILINE)
    return [*zip(parts[1::2], parts[2::2], strict=True)]


def _rows(text: str) -> list[list[str]]:
    """The first table."""
    lines = re.search(r"(^\|.*\n)+", text, re.MULTILINE)
    assert lines is not None
    rows = [row.strip("| ").split(" | ") for row in lines[0].splitlines()]
    return [rows[0], *rows[2:]]


def test_there_are_as_many_examples_as_pictures() -> None:
    pictures = {path.name for path in (ROOT / "docs").glob("simulator-*.svg")}
    assert len(_examples()) == len(pictures) == 7
    assert {*re.findall(r"\]\((simulator-[\w-]+\.svg)\)", PAGE)} == pictures


_LONG = ("30k", "two-slow")


@pytest.mark.parametrize(
    ("command", "told"),
    [later(one) if any(word in one[0] for word in _LONG) else one for one in _examples()],
)
def test_the_examples_give_what_the_page_says(command: str, told: str, tmp_path: Path) -> None:
    arguments = shlex.split(command)[1:]
    picture = ROOT / arguments[-1]
    arguments[-1] = str(tmp_path / picture.name)
    path = tmp_path / "run.json"
    result = CliRunner().invoke(main, [*arguments, "--json", str(path)])
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = check_schema(path, "simulation")
    head, *rows = _rows(told)
    names = [one["name"].partition("=")[2] or "this run" for one in document["variants"]]
    assert head[1:] == names or [*filter(None, head)] == names
    for label, *cells in rows:
        named = _LABELS[label]
        means = [one["means"][named.figure]["mean"] for one in document["variants"]]
        assert cells == [mean_text(named, Mean(mean)) for mean in means], label
    # Another version of matplotlib draws otherwise; the words stay.
    drawn = (tmp_path / picture.name).read_text("utf-8")
    assert _words(drawn) == _words(picture.read_text("utf-8"))


def _words(svg: str) -> tuple[str, ...]:
    found = re.search(r"<title.*?>(.*?)</title>\s*<desc.*?>(.*?)</desc>", svg, re.DOTALL)
    assert found is not None
    return found.groups()


@nightly
def test_two_slow_brokers_have_what_the_page_and_the_claims_say(tmp_path: Path) -> None:
    ((command, told),) = [one for one in _examples() if "two-slow" in one[0]]
    arguments = shlex.split(command)[1:-2]
    path = tmp_path / "run.json"
    head, *rows = _rows(told[told.index("| `--rate`") :])
    ratios = []
    for rate, *cells in rows:
        arguments[arguments.index("--rate") + 1] = rate.strip("`")
        result = CliRunner().invoke(main, [*arguments, "--json", str(path)])
        assert result.exit_code == 0, result.output
        variants = check_schema(path, "simulation")["variants"]
        assert [one["scenario"]["client"] for one in variants] == head[1:]
        ratios.append([one["means"]["slow_ratio"]["mean"] for one in variants])
        assert cells == [number_text(one) for one in ratios[-1]]
    (_, old, new), (_, more, less), (_, alike, fewer) = ratios
    assert [first for first, _, _ in ratios] == [1, 1, 1]
    claims = (ROOT / "docs" / "claims.md").read_text("utf-8")
    assert f"the slow ones get {old:.2f} times their share with 3.2.3 and {new:.2f}" in claims
    assert f"at 100,000 a second {more:.2f} and {less:.2f}" in claims
    assert f"at a million {alike:.2f} and {fewer:.2f}" in claims


def test_the_table_of_records_is_described_as_it_is() -> None:
    _, *rows = _rows(PAGE[PAGE.index("| column | type") :])
    told = [(name.strip("`"), kind, null != "never") for name, kind, _, null, _ in rows]
    assert told == [(one.name, _type_of(one), one.nullable) for one in RECORDS_SCHEMA]
    units = {name.strip("`"): unit for name, _, unit, _, _ in rows if unit != "none"}
    times = [one.name for one in RECORDS_SCHEMA if one.name.endswith("_ms")]
    assert units == {"bytes": "bytes"} | dict.fromkeys(times, "ms")


def _type_of(field: pa.Field) -> str:
    is_dictionary = pa.types.is_dictionary(field.type)
    return str(field.type.value_type if is_dictionary else field.type)


def test_every_option_is_documented() -> None:
    options = [name for one in main.commands["simulate"].params for name in one.opts]
    assert [name for name in options if f"`{name} " not in PAGE] == []
