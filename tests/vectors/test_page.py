"""What docs/vectors.md shows is what there is."""

import json
import re
from collections import Counter
from pathlib import Path

import click

from conformance.cli import main
from conformance.mutants.catalogue import MUTANTS
from conformance.subjects.python_port import PythonPort
from conformance.vectors.check import hold
from conformance.vectors.files import read_documents
from tests.vectors.test_lint import VECTORS
from tests.vectors.test_vectors import NOT_IN_ANSWERS, OF_PORTS

ROOT = VECTORS.parent
PAGE = (ROOT / "docs" / "vectors.md").read_text("utf-8")


def test_the_case_of_the_page_is_one_of_the_file() -> None:
    shown = json.loads(re.findall(r"```json\n(.*?)```", PAGE, flags=re.DOTALL)[0])
    assert shown in json.loads((VECTORS / "keyed.json").read_text("utf-8"))["cases"]


def test_the_sizes_of_the_examples_are_right() -> None:
    for lines, path in re.findall(r"\[(\d+) lines\]\(\.\./(.+?)\)", PAGE):
        assert len((ROOT / path).read_text("utf-8").splitlines()) == int(lines)


def test_the_numbers_are_right() -> None:
    documents = read_documents(VECTORS)
    cases = sum(document["numberOfCases"] for document in documents)
    assert f"{cases} chosen cases" in PAGE
    assert f"{cases} chosen cases" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"Each of the {len(OF_PORTS)} planted bugs" in PAGE
    assert f"{len(OF_PORTS) - len(NOT_IN_ANSWERS)} show in answers" in PAGE
    assert f"The {len(MUTANTS) - len(OF_PORTS)} planted bugs of the" in PAGE


def test_the_shown_output_of_a_check_has_its_numbers() -> None:
    documents = read_documents(VECTORS)
    answers = hold(documents, PythonPort()).answers
    assert PAGE.count(f": {answers} of {answers} answers are right") == 2
    vectors = Counter[str]()
    for document in documents:
        vectors[document["behaviour"]] += document["numberOfCases"]
    shown = re.findall(r"^([\w-]+): (\d+) vectors$", PAGE, flags=re.MULTILINE)
    assert {name: int(number) for name, number in shown} == vectors


def test_every_option_is_documented() -> None:
    for parameter in main.commands["vectors"].params:
        assert isinstance(parameter, click.Option)
        assert all(name in PAGE for name in parameter.opts), parameter.opts


def test_every_file_is_in_the_index() -> None:
    index = (VECTORS / "README.md").read_text("utf-8")
    names = [path.name for path in VECTORS.iterdir() if path.name != "README.md"]
    assert all(f"({name})" in index for name in names)
    assert not Path(VECTORS / "keyed-columns.json").exists()
