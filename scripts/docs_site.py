#!/usr/bin/env python3
"""Lay out what the documentation's site is built from: README, docs/ and whatever they link to.

The files keep their places, so relative links lead to the same things on the site as in a clone;
a link to a folder leads to its README. ``tox -e docs`` runs this, then zensical (see mkdocs.yml).
"""

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "build" / "docs"
"""What mkdocs.yml names as its ``docs_dir``."""
_CODE = re.compile(r"^( *)```.*?^\1```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(?=[)#])")


def links_of(page: Path) -> Iterator[tuple[str, Path]]:
    """The relative links of a page, as they are written, and the files that they lead to."""
    for link in _LINK.findall(_CODE.sub("", page.read_text("utf-8"))):
        target = (page.parent / link).resolve()
        yield link, target / "README.md" if target.is_dir() else target


def files_of_the_site() -> list[Path]:
    """README and docs/ with all that they link to, and so on.

    Raises :class:`FileNotFoundError` for a link that leads nowhere, or out of the project.
    """
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for file in found:  # grows while it is walked
        if file.suffix == ".md":
            for link, target in links_of(file):
                if not (target.is_file() and target.is_relative_to(ROOT)):
                    place = file.relative_to(ROOT)
                    raise FileNotFoundError(f"{place}: the link {link!r} leads to no file")
                if target not in found:
                    found.append(target)
    return found


def lay_out(place: Path) -> None:
    """Copy the files of the site into a folder, instead of what was there."""
    shutil.rmtree(place, ignore_errors=True)
    for file in files_of_the_site():
        copy = place / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
        if file.suffix == ".md":
            text = file.read_text("utf-8")
            for link, target in links_of(file):
                if not link.endswith(target.name):
                    leads_to = rf"(?<=\]\(){re.escape(link)}(?=[)#])"
                    text = re.sub(leads_to, f"{link.rstrip('/')}/README.md", text)
            copy.write_text(text, "utf-8")


if __name__ == "__main__":
    try:
        lay_out(SOURCE)
    except FileNotFoundError as error:
        sys.exit(str(error))
