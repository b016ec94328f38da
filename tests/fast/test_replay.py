"""Replays: files are held to their schema, and a case that hangs or crashes ends."""

import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.behaviours.registry import BEHAVIOURS
from conformance.clients.versions import CLIENT_VERSIONS, client_named
from conformance.engine.check import check_cell
from conformance.engine.generation import generate_cases
from conformance.engine.plan import behaviour_named
from conformance.engine.replay import replay_within
from conformance.errors import SuiteError, UsageError
from conformance.json_schema import problem_of
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.results import Divergence
from conformance.model.subject import Performer, Subject
from conformance.model.trace import Trace, death
from conformance.model.values import to_json
from conformance.reports.divergence_file import divergence_text, load_divergence
from conformance.subjects.python_port import PythonPort
from conformance.testees.narrow import NARROWINGS, narrow_for_testee

KEYED = behaviour_named("keyed")
CLIENT = client_named("3.8.0")


class Spoiled(Subject):
    """The port, but for what it does with every case; other processes can have it, too."""

    kind = "a spoiled port"

    def __init__(self, how: str) -> None:
        self._how = how

    def describe(self, client: ClientVersion | None) -> str:
        del client
        return f"a port that {self._how}"

    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        del behaviour, client
        return self._perform

    def _perform(self, case: Case) -> Trace:
        if self._how == "hangs":
            time.sleep(3600)
        if self._how == "exits":
            os._exit(7)
        return [{"answer": -1} for _ in case["steps"]]


@pytest.fixture(scope="module")
def saved() -> Divergence:
    found = check_cell(KEYED, CLIENT, PythonPort(), Spoiled("errs"), cases=20, seed=0).divergence
    assert found is not None
    return found


def test_a_replay_in_another_process_tells_what_one_here_would(saved: Divergence) -> None:
    again = replay_within(60, saved, CLIENT, PythonPort(), Spoiled("errs"))
    assert again is not None
    assert (again.expected, again.answered) == (saved.expected, saved.answered)
    assert replay_within(60, saved, CLIENT, PythonPort(), PythonPort()) is None


def test_a_case_that_hangs_ends(saved: Divergence) -> None:
    with pytest.raises(SuiteError, match=r"a port that hangs does not .*: no answer for 12 s"):
        replay_within(12, saved, CLIENT, PythonPort(), Spoiled("hangs"))


def test_it_is_told_who_crashes(saved: Divergence) -> None:
    for pair in ((PythonPort(), Spoiled("exits")), (Spoiled("exits"), PythonPort())):
        with pytest.raises(
            SuiteError, match=r"a port that exits does not .*: .* exited with code 7"
        ):
            replay_within(60, saved, CLIENT, *pair)


def test_who_did_not_survive_the_case_and_does_not_still_diverges(saved: Divergence) -> None:
    died = replace(saved, answered=[{"answer": death("it fell", "client")}])
    again = replay_within(60, died, CLIENT, PythonPort(), Spoiled("exits"))
    assert again is not None
    assert again.answered == [{"answer": death("its process exited with code 7", "client")}]
    # Not so if it is the oracle that does not survive it.
    with pytest.raises(SuiteError, match="cannot be told"):
        replay_within(60, died, CLIENT, Spoiled("exits"), PythonPort())


_NO_INTEGERS = (3.5, 3.0, "12", -1, True, float("nan"), [], None)


@pytest.mark.parametrize("value", _NO_INTEGERS, ids=repr)
@pytest.mark.parametrize(
    "place",
    [
        ("step",),
        ("cases_before",),
        ("case", "steps", 0, "metadata"),
        ("case", "metadata", 0, 0, 1, 0, 0),
        ("before", 0, "steps", 0, "metadata"),
    ],
    ids=str,
)
def test_what_is_no_integer_is_refused_with_its_place(
    saved: Divergence, tmp_path: Path, place: tuple[Any, ...], value: object
) -> None:
    if value == -1 and place[-1] == 0:
        return  # the id of a partition may be anything
    document = _document(saved)
    inner = document
    for part in place[:-1]:
        inner = inner[part]
    inner[place[-1]] = value
    told = "".join(f"[{part!r}]" for part in place)
    with pytest.raises(UsageError) as refused:
        load_divergence(_written(document, tmp_path))
    assert f"is damaged, at {told}: " in refused.value.what
    assert "unchanged" in refused.value.remedy


def test_a_case_without_steps_is_refused(saved: Divergence, tmp_path: Path) -> None:
    document = _document(saved)
    assert load_divergence(_written(document, tmp_path)).divergence.cell == saved.cell
    document["case"]["steps"] = []
    with pytest.raises(UsageError, match=r"\['case'\]\['steps'\]: \[\] has less than 1 item"):
        load_divergence(_written(document, tmp_path))


def test_a_message_about_something_long_is_short(saved: Divergence, tmp_path: Path) -> None:
    document = _document(saved) | {"step": "x" * 10_000}
    with pytest.raises(UsageError, match=r'… x*" is not of type "integer"') as refused:
        load_divergence(_written(document, tmp_path))
    assert len(refused.value.what) < 400


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda one: one.name)
def test_every_case_that_is_generated_or_narrowed_is_by_the_schema(
    saved: Divergence, behaviour: Behaviour
) -> None:
    client = next(client for client in CLIENT_VERSIONS if client.shows(behaviour.name))
    document: dict[str, Any] = _document(saved)
    cases: list[Any] = []
    generate_cases(
        behaviour.cases(client),
        lambda case: case,
        lambda asked: cases.append(asked.case),
        cases=15,
        seed=1,
    )
    assert cases
    for word in NARROWINGS:
        narrowed = (narrow_for_testee(case, [word], behaviour.operations) for case in cases[:15])
        cases += [case for case in narrowed if case is not None]
    document["before"] = [json.loads(to_json(case)) for case in cases]
    assert problem_of("divergence", document) is None


def _document(saved: Divergence) -> Any:
    document = json.loads(divergence_text(saved))
    step = {"op": "partition", "topic": "t", "key": None, "metadata": 0}
    case = {"config": {}, "metadata": [[["t", [[0, 1]]]]], "steps": [step]}
    return document | {"case": case, "before": [json.loads(json.dumps(case))]}


def _written(document: Any, folder: Path) -> Path:
    path = folder / "divergence.json"
    path.write_text(json.dumps(document), "utf-8")
    return path
