"""The vectors are what the command writes, they hold, and they find what they are there for."""

import os
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.behaviours.registry import BEHAVIOURS
from conformance.cli import main
from conformance.clients.versions import client_named
from conformance.commands.vectors import SEED
from conformance.engine.plan import behaviour_named
from conformance.errors import SuiteError, UsageError
from conformance.model.behaviour import Behaviour
from conformance.model.client_version import ClientVersion
from conformance.model.subject import Performer, Scope
from conformance.model.trace import Trace
from conformance.mutants.catalogue import MUTANTS
from conformance.mutants.mutant import Mutant, load_with_kernel
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort
from conformance.testees.protocol import as_observed
from conformance.vectors.check import failing, hold
from conformance.vectors.choose import BEYOND_VECTORS, choose
from conformance.vectors.document import identity_of, vectors_of
from conformance.vectors.files import read_document, read_documents
from conformance.vectors.flags import flag_of, wrong_names
from conformance.vectors.lint import lint
from tests.landing import first_of_each, nightly
from tests.vectors.test_lint import VECTORS

OF_PORTS = [mutant for mutant in MUTANTS if behaviour_named(mutant.behaviour).for_testees]

PLANTED = first_of_each(OF_PORTS, lambda bug: (bug.behaviour, bug.client, bug.file))

WITH_VECTORS = [behaviour for behaviour in BEHAVIOURS if behaviour.for_testees]

NOT_IN_ANSWERS = {
    # The masked counter is the same for the next 2^31 records.
    "counter does not wrap",
    "counter wraps to 0",
    "counter is unsigned",
    "random start loses its sign",
    # Each step has draws of its own, so how many the one before took makes no difference.
    "sticky draws for one partition",
    "sticky draws for stale batches",
    "sticky alternates between two",
    "no draw for one partition",
    "load stats draw again",
    # A table without partitions is not chosen from, whatever it begins with.
    "an empty table begins with one",
    # A batch that is full takes no record that has no room either.
    "full at the limit's end",
}
"""Planted bugs that a port finds only if it can show draws or state."""


class _AnswersOnly(PythonPort):
    """A port that can show neither draws nor state."""

    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        perform = super().performer(behaviour, client)
        return lambda case: as_observed(perform(case), ())

    def scope(self, behaviour: Behaviour) -> Scope:
        del behaviour
        return _OfAnswers()


class _OfAnswers(Scope):
    def observable(self, trace: Trace) -> Trace:
        return as_observed(trace, ())


def test_every_vector_holds_on_the_real_clients(java: JavaSubject) -> None:
    assert failing(VECTORS, java) == []


def test_every_vector_holds_on_the_port(port: PythonPort) -> None:
    outcome = hold(read_documents(VECTORS), port)
    assert outcome.failures == ()
    assert outcome.untried == 0
    assert outcome.answers > 500


def test_a_subject_with_randomness_of_its_own_is_not_asked() -> None:
    class Sampled(PythonPort):
        def scope(self, behaviour: Behaviour) -> Scope:
            scope = Scope()
            scope.shows_only_partitions = behaviour.name == "sticky"
            return scope

    outcome = hold([read_document(VECTORS / "sticky.json")], Sampled())
    assert (outcome.answers, outcome.failures) == (0, ())
    assert outcome.untried > 30


def test_broken_files_are_the_users_mistake(tmp_path: Path, port: PythonPort) -> None:
    text = (VECTORS / "keyed.json").read_text("utf-8")
    file = tmp_path / "keyed.json"
    for broken, told in (
        (text.replace('"behaviour": "keyed"', '"behaviour": "kyed"'), "violates the schema"),
        (text.replace("vectors 1", "vectors 2"), "this suite reads 'kafka-conformance vectors 1'"),
        ("[]", "is not a file of vectors"),
        (text[:1000], "is not JSON"),
    ):
        file.write_text(broken, "utf-8")
        with pytest.raises(UsageError, match=told) as caught:
            failing(tmp_path, port)
        assert str(file) in str(caught.value)


@cache
def _documents_of(behaviour: str) -> list[dict[str, Any]]:
    return [one for one in read_documents(VECTORS) if one["behaviour"] == behaviour]


@pytest.mark.parametrize("mutant", PLANTED, ids=lambda mutant: mutant.name)
def test_a_planted_bug_fails_a_vector_with_its_flag(mutant: Mutant) -> None:
    documents = _documents_of(mutant.behaviour)
    module = load_with_kernel(mutant)
    subject = PythonPort(module, mutant.name)
    failed = {failure.identity for failure in hold(documents, subject, [mutant.client]).failures}
    vectors = [vector for document in documents for vector in vectors_of(document)]
    flags = {flag for one in vectors if one.identity in failed for flag in one.flags}
    assert flag_of(mutant) in flags
    blind = _AnswersOnly(module, mutant.name)
    is_seen = bool(hold(documents, blind, [mutant.client]).failures)
    assert is_seen == (mutant.name not in NOT_IN_ANSWERS)


def test_every_name_among_the_flags_is_one_of_a_planted_bug() -> None:
    assert wrong_names() == []


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.name)
def test_a_behaviour_for_testees_has_a_file(behaviour: Behaviour) -> None:
    assert (VECTORS / f"{behaviour.name}.json").exists() == behaviour.for_testees


@pytest.mark.parametrize("behaviour", WITH_VECTORS, ids=lambda behaviour: behaviour.name)
def test_every_interesting_class_has_a_vector(behaviour: Behaviour, port: PythonPort) -> None:
    reached: set[str] = set()
    for document in _documents_of(behaviour.name):
        for vector in vectors_of(document):
            client = client_named(vector.answers[-1].clients[-1])
            trace = port.performer(behaviour, client)(vector.case)
            reached.update(behaviour.labels(vector.case, trace))
    assert set(behaviour.interesting) - reached <= set(BEYOND_VECTORS)


def test_the_versions_can_be_chosen() -> None:
    mutant = next(mutant for mutant in MUTANTS if mutant.name == "signed modulo")
    subject = PythonPort(load_with_kernel(mutant), mutant.name)
    failures = failing(VECTORS, subject, ["2.3.1"])
    assert {failure.client for failure in failures} == {"2.3.1"}
    told = str(failures[0])
    assert "client 2.3.1: step " in told
    assert "signed modulo of 2.3.1" in told


@nightly
def test_what_is_chosen_does_not_depend_on_the_process() -> None:
    """Nor on what was chosen in it before, so nor on the number of processes."""
    for name in ("murmur2", "explicit-partition", "keyed"):
        document = read_document(VECTORS / f"{name}.json")
        there = [(one["id"], one["comment"], tuple(one["flags"])) for one in document["cases"]]
        chosen = [
            (identity_of(name, one.case), one.comment, one.flags) for one in choose(name, SEED)
        ]
        assert chosen == there


def test_a_behaviour_without_boundary_cases_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.vectors.choose.BOUNDARIES", {})
    with pytest.raises(SuiteError, match="No vector of murmur2 is written by hand"):
        choose("murmur2", SEED)


def _die(name: str, seed: int) -> None:
    del name, seed
    os._exit(1)


def test_a_process_that_dies_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.vectors.make.choose", _die)
    folder = tmp_path / "vectors"
    answer = CliRunner().invoke(main, ["vectors", "--output", str(folder)])
    assert answer.exit_code == 3, answer.output
    assert "A process that chooses vectors died; nothing was written." in answer.output
    assert list(tmp_path.iterdir()) == []


def test_wrong_vectors_are_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {path.name: path.read_text("utf-8") for path in VECTORS.iterdir()}
    files["murmur2.json"] = _with_wrong_answer(files["murmur2.json"])
    monkeypatch.setattr("conformance.commands.vectors.make_files", lambda *_: files)
    folder = Path(shutil.copytree(VECTORS, tmp_path / "vectors"))
    answer = CliRunner().invoke(main, ["vectors", "--output", str(folder)])
    assert answer.exit_code == 3, answer.output
    assert "The vectors are wrong, so they were not written:" in answer.output
    assert "the Python port of 3.8.0 " in answer.output
    assert lint(folder) == []
    assert failing(folder, PythonPort()) == []


def _with_wrong_answer(text: str) -> str:
    changed = text.replace('{"answer": -790332482}', '{"answer": 790332482}')
    assert changed != text
    return changed


@nightly
def test_generating_them_anew_gives_the_same_bytes() -> None:
    answer = CliRunner().invoke(main, ["vectors", "--check", "--output", str(VECTORS)])
    assert answer.exit_code == 0, answer.output
    assert "Generated again: the same bytes in all" in answer.output


def test_a_changed_answer_and_a_changed_byte_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(VECTORS, tmp_path / "vectors"))
    # Generating is tested above; what it gives is taken as known here.
    files = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    monkeypatch.setattr("conformance.commands.vectors.make_files", lambda *_: files)
    (folder / "murmur2.json").write_text(_with_wrong_answer(files["murmur2.json"]), "utf-8")
    (folder / "extra.txt").write_text("mine", "utf-8")
    answer = CliRunner().invoke(main, ["vectors", "--check", "--output", str(folder)])
    assert answer.exit_code == 1, answer.output
    for told in (
        'Java 3.8.0 gives {"answer": 790332482}, Java 3.8.0 {"answer": -790332482}',
        "extra.txt is not a file of the vectors",
        "murmur2.json differs from line ",
    ):
        assert told in answer.output
