"""The vectors are what the command writes, they hold, and they find what they are there for."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.behaviour import Behaviour
from conformance.behaviours import BEHAVIOURS
from conformance.cli import main
from conformance.engine.plan import behaviour_named, client_named
from conformance.mutants.catalogue import MUTANTS
from conformance.mutants.mutant import Mutant
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort
from conformance.vectors.check import failing, hold
from conformance.vectors.choose import BEYOND_VECTORS
from conformance.vectors.document import vectors_of
from conformance.vectors.files import read_document, vector_files
from conformance.vectors.flags import flag_of, wrong_names
from tests.vectors.test_lint import VECTORS

OF_PORTS = [mutant for mutant in MUTANTS if behaviour_named(mutant.behaviour).for_testees]

WITH_VECTORS = [behaviour for behaviour in BEHAVIOURS if behaviour.for_testees]


def test_every_vector_holds_on_the_real_clients(java: JavaSubject) -> None:
    assert failing(VECTORS, java) == []


def test_every_vector_holds_on_the_port(port: PythonPort) -> None:
    outcome = hold([read_document(path) for path in vector_files(VECTORS)], port)
    assert outcome.failures == ()
    assert outcome.untried == 0
    assert outcome.answers > 500


@pytest.mark.parametrize("mutant", OF_PORTS, ids=lambda mutant: mutant.name)
def test_a_planted_bug_fails_a_vector_with_its_flag(mutant: Mutant) -> None:
    documents = [
        document
        for document in map(read_document, vector_files(VECTORS))
        if document["behaviour"] == mutant.behaviour
    ]
    subject = PythonPort(mutant.load(), mutant.name)
    failed = {failure.identity for failure in hold(documents, subject, [mutant.client]).failures}
    vectors = [vector for document in documents for vector in vectors_of(document)]
    flags = {flag for one in vectors if one.identity in failed for flag in one.flags}
    assert flag_of(mutant) in flags


def test_every_name_among_the_flags_is_one_of_a_planted_bug() -> None:
    assert wrong_names() == []


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.name)
def test_a_behaviour_for_testees_has_a_file(behaviour: Behaviour) -> None:
    assert (VECTORS / f"{behaviour.name}.json").exists() == behaviour.for_testees


@pytest.mark.parametrize("behaviour", WITH_VECTORS, ids=lambda behaviour: behaviour.name)
def test_every_interesting_class_has_a_vector(behaviour: Behaviour, port: PythonPort) -> None:
    reached: set[str] = set()
    for document in map(read_document, vector_files(VECTORS)):
        if document["behaviour"] != behaviour.name:
            continue
        for vector in vectors_of(document):
            client = client_named(vector.answers[-1].clients[-1])
            trace = port.performer(behaviour, client)(vector.case)
            reached.update(behaviour.labels(vector.case, trace))
    assert set(behaviour.interesting) - reached <= set(BEYOND_VECTORS)


def test_the_versions_can_be_chosen() -> None:
    mutant = next(mutant for mutant in MUTANTS if mutant.name == "signed modulo")
    subject = PythonPort(mutant.load(), mutant.name)
    failures = failing(VECTORS, subject, ["2.3.1"])
    assert {failure.client for failure in failures} == {"2.3.1"}
    told = str(failures[0])
    assert "client 2.3.1: step " in told
    assert "signed modulo of 2.3.1" in told


def test_generating_them_anew_gives_the_same_bytes() -> None:
    answer = CliRunner().invoke(main, ["vectors", "--check", "--output", str(VECTORS)])
    assert answer.exit_code == 0, answer.output
    assert "Generated anew: the same bytes in all" in answer.output


def test_a_changed_answer_and_a_changed_byte_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(VECTORS, tmp_path / "vectors"))
    # Generating is tested above; what it gives is taken as known here.
    files = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    monkeypatch.setattr("conformance.commands.vectors.make_files", lambda *_: files)
    text = files["murmur2.json"]
    changed = text.replace('{"answer": -790332482}', '{"answer": 790332482}')
    assert changed != text
    (folder / "murmur2.json").write_text(changed, "utf-8")
    (folder / "README.md").unlink()
    (folder / "extra.txt").write_text("mine", "utf-8")
    answer = CliRunner().invoke(main, ["vectors", "--check", "--output", str(folder)])
    assert answer.exit_code == 1, answer.output
    for told in (
        'Java 3.8.0 gives {"answer": 790332482}, Java 3.8.0 {"answer": -790332482}',
        "README.md is missing",
        "extra.txt is not one of the files",
        "murmur2.json differs from line ",
    ):
        assert told in answer.output
