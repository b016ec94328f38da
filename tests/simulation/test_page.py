"""docs/simulator.md: its commands are run, its tables and pictures are theirs, its options all."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.reports.simulation_words import NAMED, mean_text
from conformance.simulation.repeated import Mean
from tests.cli.running import check_schema
from tests.landing import later

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
    assert len(_examples()) == len(pictures) == 5
    assert {*re.findall(r"\]\((simulator-\w+\.svg)\)", PAGE)} == pictures


@pytest.mark.parametrize(
    ("command", "told"), [later(one) if "30k" in one[0] else one for one in _examples()]
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


def test_every_option_is_documented() -> None:
    options = [name for one in main.commands["simulate"].params for name in one.opts]
    assert [name for name in options if f"`{name} " not in PAGE] == []
