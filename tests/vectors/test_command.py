"""What the command says to mistakes, and with which exit code."""

import shutil
from pathlib import Path

import pytest

from tests.cli.running import Suite, needs_permissions
from tests.vectors.test_lint import VECTORS

JARS = "jars"


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """The command in an environment of its own, without any jars."""
    (tmp_path / JARS).mkdir()
    return Suite(tmp_path, tmp_path / JARS)


def test_lint_needs_no_jars(suite: Suite) -> None:
    suite.run("vectors", "--lint", "--output", VECTORS).expect(0, "no problems")


def test_without_jars_nothing_is_written(suite: Suite) -> None:
    suite.run("vectors").expect(3, "kafka-clients-2.3.1.jar", "KAFKA_CONFORMANCE_JARS")
    assert suite.files() == []


def test_other_files_are_not_replaced(suite: Suite) -> None:
    (suite.cwd / "vectors").mkdir(parents=True)
    (suite.cwd / "vectors" / "thesis.doc").write_text("years of work")
    (suite.cwd / "vectors" / "package.json").write_text("{}")
    suite.run("vectors").expect(2, "holds files that are not vectors: package.json, thesis.doc")
    assert len(suite.files()) == 2


def test_a_file_is_no_folder(suite: Suite) -> None:
    suite.cwd.mkdir()
    (suite.cwd / "file").write_text("")
    suite.run("vectors", "--output", "file/vectors").expect(2, "is not a folder")


def test_vectors_of_another_format_are_replaced(suite: Suite) -> None:
    folder = suite.cwd / "vectors"
    folder.mkdir(parents=True)
    (folder / "keyed.json").write_text('{"format": "kafka-conformance vectors 9"}')
    # It goes on to the jars, of which there are none: the folder was no reason to stop.
    suite.run("vectors").expect(3, "kafka-clients-2.3.1.jar")


@needs_permissions
def test_a_locked_folder_is_told_at_once(suite: Suite) -> None:
    locked = suite.place / "locked"
    locked.mkdir(mode=0o555)
    suite.as_user = True
    suite.run("vectors", "--output", locked / "vectors").expect(2, "no permission to write")


@pytest.mark.parametrize("option", ["--check", "--lint"])
def test_broken_files_are_told(suite: Suite, option: str) -> None:
    folder = Path(shutil.copytree(VECTORS, suite.place / "vectors"))
    (folder / "keyed.json").write_text("{", "utf-8")
    suite.run("vectors", option, "--output", folder).expect(2, "keyed.json is not JSON")
    (folder / "keyed.json").write_text('{"format": "kafka-conformance vectors 1"}', "utf-8")
    suite.run("vectors", option, "--output", folder).expect(2, "violates the schema")
    (folder / "keyed.json").write_text('{"format": "kafka-conformance vectors 9"}', "utf-8")
    told = "has the format 'kafka-conformance vectors 9', but this suite reads"
    suite.run("vectors", option, "--output", folder).expect(2, told, "from the same commit")
    suite.run("vectors", option, "--output", "nowhere").expect(2, "nowhere cannot be read")


def test_two_wishes_at_once(suite: Suite) -> None:
    suite.run("vectors", "--check", "--lint").expect(2, "exclude each other")
