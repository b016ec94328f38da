"""The documentation as a site: every page is in its menu, every relative link leads to a file."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "docs_site.py"


@pytest.fixture
def script() -> dict[str, Any]:
    """The names of the script that lays the site out."""
    return runpy.run_path(str(SCRIPT))


def test_every_page_is_in_the_menu_once(script: dict[str, Any]) -> None:
    # Links that lead nowhere raise here.
    pages = [one.relative_to(ROOT) for one in script["files_of_the_site"]() if one.suffix == ".md"]
    menu = (ROOT / "mkdocs.yml").read_text("utf-8").split("\nnav:\n")[1]
    listed = re.findall(r"^ +- (?:.+: )?(\S+\.md)$", menu, flags=re.MULTILINE)
    assert listed.count("README.md") == 1
    assert sorted(listed) == sorted(map(str, pages))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[a](docs/none.md)", "README.md: the link 'docs/none.md' leads to no file"),
        ("[a](empty)", "'empty' leads to no file"),
        ("[a](../outside.md)", "'../outside.md' leads to no file"),
        ("[a](full/)", None),
        ("[a](full#part) [b](#here) [c](https://none.org/x) `[d](none)`", None),
        ("```\n[a](none.md)\n```", None),
    ],
)
def test_a_link_that_leads_nowhere_is_told(
    script: dict[str, Any], text: str, told: str | None, tmp_path: Path
) -> None:
    root = tmp_path / "project"
    for folder in ("docs", "empty", "full"):
        (root / folder).mkdir(parents=True)
    for path, content in (("README.md", text), ("full/README.md", "full"), ("../outside.md", "")):
        (root / path).write_text(content, "utf-8")
    names = script["lay_out"].__globals__
    names["ROOT"] = root
    if told is not None:
        with pytest.raises(FileNotFoundError, match=re.escape(told)):
            script["lay_out"](tmp_path / "site")
        return
    script["lay_out"](tmp_path / "site")
    copied = (tmp_path / "site" / "README.md").read_text("utf-8")
    # A site shows no folders.
    assert "](full)" not in copied
    assert ("](full/README.md" in copied) == ("](full" in text)
