"""Answers of an oracle that are kept: the same results without it; a damaged file is none."""

import gzip
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.behaviours.registry import OF_JARS
from conformance.clients.versions import client_named
from conformance.engine import kept
from conformance.engine.budget import MINIMUM_CASES, Budget
from conformance.engine.check import check_cell
from conformance.engine.kept import (
    KEPT_DAYS,
    recording_of,
    remove_damaged,
    tidy,
    usual_recordings,
)
from conformance.engine.known import NOTHING_KNOWN, KnownDivergence, KnownDivergences
from conformance.engine.plan import behaviour_named, make_plan
from conformance.engine.recording import Recording, Writer
from conformance.errors import SuiteError
from conformance.java_home import JavaInstallation
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.results import Cell, CellResult, Seconds, Verdict
from conformance.model.subject import CouldNotTryError, Performer, Scope, Subject
from conformance.model.trace import Trace
from conformance.subjects.python_port import PythonPort

CLIENT = client_named("3.8.0")
STICKY = behaviour_named("sticky")
OF_THE_PORT = [one.name for one in OF_JARS if CLIENT.shows(one.name)]


class Many(PythonPort):
    """The port as a subject that performs many cases at once; some answers may be spoilt."""

    performs_many = True

    def __init__(self, spoil: Callable[[Case, Trace], Trace] = lambda _case, trace: trace) -> None:
        super().__init__()
        self._spoil = spoil

    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        honest = super().performer(behaviour, client)
        return lambda case: self._spoil(case, honest(case))

    def perform_many(
        self, behaviour: Behaviour, client: ClientVersion, cases: Sequence[Case]
    ) -> list[Trace | CouldNotTryError]:
        return [self.performer(behaviour, client)(case) for case in cases]


class OneByOne(Many):
    """The same as a subject whose first difference ends the search."""

    performs_many = False


class Silent(Subject):
    """An oracle that must not be asked."""

    kind = "port that nobody asks"

    def describe(self, client: ClientVersion | None) -> str:
        return PythonPort().describe(client)

    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        raise AssertionError(f"it was asked for {behaviour.name} of {client}")


def longer_than_two(case: Case, trace: Trace) -> Trace:
    return trace if len(case["steps"]) < 3 else [*trace[:2], {"answer": 77}, *trace[3:]]


def check(
    oracle: Subject,
    subject: Subject,
    recording: Recording | None,
    *,
    behaviour: Behaviour = STICKY,
    cases: int = 60,
    seconds: float = 60.0,
    known: KnownDivergences = NOTHING_KNOWN,
) -> CellResult:
    result = check_cell(
        behaviour,
        CLIENT,
        oracle,
        subject,
        cases=cases,
        seed=3,
        recording=recording,
        known=known,
        deadline=time.monotonic() + seconds,
    )
    return replace(result, seconds=Seconds(), kept=False)


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    return Recording(tmp_path / "kept", "sticky", {"seed": 3})


@pytest.mark.parametrize("kind", [Many, OneByOne])
@pytest.mark.parametrize("name", OF_THE_PORT)
def test_kept_answers_give_the_same_result_without_the_oracle(
    tmp_path: Path, name: str, kind: type[Many]
) -> None:
    behaviour = behaviour_named(name)
    recording = Recording(tmp_path, name, {})
    without = check(PythonPort(), kind(), None, behaviour=behaviour, cases=60)
    assert check(PythonPort(), kind(), recording, behaviour=behaviour, cases=60) == without
    assert recording.damage() is None
    assert check(Silent(), kind(), recording, behaviour=behaviour, cases=60) == without
    assert without.verdict is Verdict.CONFORMS
    assert without.cases == 60


@pytest.mark.parametrize("made_by", [Many, OneByOne])
@pytest.mark.parametrize("kind", [Many, OneByOne])
def test_a_difference_is_shrunk_to_the_same_case(
    recording: Recording, kind: type[Many], made_by: type[Many]
) -> None:
    without = check(PythonPort(), kind(longer_than_two), None)
    assert without.verdict is Verdict.DIVERGES
    assert without.divergence is not None
    assert len(without.divergence.case["steps"]) == 3
    check(PythonPort(), made_by(), recording)
    assert recording.exists()
    assert check(PythonPort(), kind(longer_than_two), recording) == without
    unshrunk = check(Silent(), kind(longer_than_two), recording)
    # The kept answers show the difference; it is not lost because nobody can be asked again.
    assert unshrunk.verdict is Verdict.DIVERGES
    assert unshrunk.divergence is not None
    assert unshrunk.divergence.remarks == (
        "Shrinking stopped early: it was asked for sticky of 3.8.0",
    )


def test_what_diverged_is_kept_only_if_all_cases_were_compared(recording: Recording) -> None:
    check(PythonPort(), OneByOne(longer_than_two), recording)
    assert not recording.exists()
    check(PythonPort(), Many(longer_than_two), recording)
    assert recording.exists()


def test_cases_that_a_subject_refused_are_not_left_out_for_others(recording: Recording) -> None:
    class Choosy(Many):
        def perform_many(
            self, behaviour: Behaviour, client: ClientVersion, cases: Sequence[Case]
        ) -> list[Trace | CouldNotTryError]:
            answers = super().perform_many(behaviour, client, cases)
            return [CouldNotTryError("no"), *answers[1:]]

    assert check(PythonPort(), Choosy(), recording).refused == 1
    assert not recording.exists()


def test_whether_answers_were_kept_is_in_the_result(recording: Recording) -> None:
    def kept() -> bool:
        return check_cell(
            STICKY, CLIENT, PythonPort(), OneByOne(), cases=20, seed=3, recording=recording
        ).kept

    assert [kept(), kept()] == [False, True]


def test_what_is_of_something_else_has_another_file(recording: Recording) -> None:
    assert replace(recording, of={"seed": 4}).path != recording.path


def _written(recording: Recording) -> bytes:
    check(PythonPort(), Many(), recording)
    return recording.path.read_bytes()


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda content: content[: len(content) // 2], "end-of-stream"),
        (lambda content: content[:300] + b"\xff\xff" + content[302:], ""),
        (lambda _content: b"", "do not match its name"),
        (lambda _content: b"<html>", "gzip"),
        (lambda _content: gzip.compress(b"{}\n0\n"), "do not match its name"),
        (lambda content: gzip.compress(gzip.decompress(content)[:-4]), "it is truncated"),
    ],
    ids=["half", "bytes", "empty", "page", "another", "without end"],
)
def test_damage_is_told(recording: Recording, spoil: Callable[[bytes], bytes], told: str) -> None:
    content = _written(recording)
    assert recording.damage() is None
    recording.path.write_bytes(spoil(content))
    assert told in (recording.damage() or "nothing")
    assert recording.damage() is not None


@pytest.mark.parametrize(
    "content",
    [b"{}\n{\tno trace\n1\n", b"{}\n", b"{}\n3\n", b""],
    ids=["no case", "no end", "cases are missing", "empty"],
)
def test_what_is_damaged_under_the_reader_is_not_compared(
    recording: Recording, content: bytes
) -> None:
    recording.path.parent.mkdir()
    recording.path.write_bytes(gzip.compress(content))
    result = check(Silent(), Many(), recording)
    assert result.verdict is Verdict.NOT_RUN
    assert "is damaged" in result.reason
    assert "--no-cache" in result.reason


def test_what_is_damaged_and_cannot_be_deleted_is_not_read(recording: Recording) -> None:
    recording.path.mkdir(parents=True)  # no file, so it cannot be unlinked, whoever tries
    kept = {Cell("sticky", "3.8.0"): recording}
    [told] = remove_damaged(kept)
    assert f"{recording.path} is damaged" in told
    assert kept == {}


def test_nothing_is_kept_of_a_run_that_failed_or_was_cut_short(recording: Recording) -> None:
    def failing(case: Case, trace: Trace) -> Trace:
        if len(case["steps"]) > 5:
            raise SuiteError("gone", "look")
        return trace

    assert check(PythonPort(), Many(failing), recording).verdict is Verdict.NOT_RUN
    assert check(PythonPort(), Many(), recording, cases=10_000, seconds=0.5).cases < 10_000
    assert list(recording.folder.iterdir()) == []


def test_a_folder_that_cannot_be_written_costs_nothing_but_the_recording(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file")
    recording = Recording(tmp_path / "kept", "sticky", {})
    assert check(PythonPort(), Many(), recording).verdict is Verdict.CONFORMS
    assert not recording.exists()
    Writer(recording).drop()


def test_too_few_cases_are_no_result(recording: Recording) -> None:
    result = check(PythonPort(), Many(), None, cases=10_000, seconds=0.0)
    assert result.verdict is Verdict.NOT_RUN
    assert (
        f"{result.cases} of 10000 cases ran; at least {MINIMUM_CASES} are needed" in result.reason
    )
    _written(recording)
    replayed = check(Silent(), Many(), recording, seconds=0.0)
    assert replayed.verdict is Verdict.NOT_RUN
    assert replayed.cases < 60


def test_a_difference_that_time_did_not_suffice_to_shrink_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])

    def long_and_slow(case: Case, trace: Trace) -> Trace:
        clock[0] += 1000.0 * (longer_than_two(case, trace) != trace)
        return longer_than_two(case, trace)

    result = check(PythonPort(), Many(long_and_slow), None, cases=10_000, seconds=1.0)
    assert result.verdict is Verdict.DIVERGES
    assert 0 < result.cases < 10_000
    assert result.divergence is not None


def test_without_time_to_shrink_the_case_is_of_what_is_not_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, performed = [0.0], [0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])

    def one_of_two_kinds(case: Case, trace: Trace) -> Trace:
        performed[0] += 1
        if performed[0] == 60:  # the last case of the survey
            clock[0] = 1000.0
        return [{"answer": "strange" if performed[0] % 2 else []}, *trace[1:]]

    kind = "partition: text for a number"
    known = KnownDivergence("sticky", ("3.8.0",), (kind,), "a cause", "a link")
    subject = Many(one_of_two_kinds)
    result = check(PythonPort(), subject, None, known=KnownDivergences((known,)))
    assert result.verdict is Verdict.DIVERGES
    assert result.divergence is not None
    assert result.divergence.remarks == ("Shrinking stopped early: time ran out.",)
    assert result.divergence.answered[0]["answer"] == []


def test_time_is_shared_among_those_who_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [Cell(name, "3.8.0") for name in ("murmur2", "keyed", "sticky", "adaptive")]
    budget = Budget(1000.0, [(cell, 100) for cell in cells], jobs=2)

    def at(now: float, cell: Cell) -> float:
        monkeypatch.setattr(time, "monotonic", lambda: now)
        return budget.deadline(cell)

    # Two workers with 800 seconds each for four cells.
    assert at(200.0, cells[0]) == at(200.0, cells[1]) == 600.0
    # What the first two left over is for the others.
    assert at(300.0, cells[2]) > 600.0
    assert at(600.0, cells[3]) == 1000.0
    assert at(990.0, cells[3]) == 1000.0
    assert at(1001.0, cells[2]) <= 1001.0


def test_what_a_recording_is_of_decides_its_file(tmp_path: Path) -> None:
    def path(**changed: Any) -> Path:
        asked: dict[str, Any] = {
            "behaviour": STICKY,
            "client": CLIENT,
            "subject": PythonPort(),
            "java": 17,
            "jar": "ab",
            "cases": 10,
            "seed": 1,
        }
        return recording_of(tmp_path, **(asked | changed)).path

    class Narrow(PythonPort):
        def scope(self, behaviour: Behaviour) -> Scope:
            del behaviour
            scope = Scope()
            scope.limits = (["null keys"], [])
            return scope

    others = [
        path(behaviour=behaviour_named("sticky-cache")),
        path(client=client_named("3.2.3")),
        path(subject=Narrow()),
        # The cases of keyed, for one, depend on other behaviours that a version shows.
        path(client=replace(CLIENT, realised_by={"sticky": CLIENT.realised_by["sticky"]})),
        path(java=21),
        path(jar="cd"),
        path(cases=11),
        path(seed=2),
    ]
    assert path() == path()
    assert len({path(), *others}) == 1 + len(others)


def test_what_nobody_used_for_long_is_deleted_and_nothing_else(recording: Recording) -> None:
    _written(recording)
    foreign = recording.folder / "notes.txt"
    foreign.write_text("mine")
    old = replace(recording, of={"seed": 4})
    recording.path.rename(old.path)
    _written(recording)
    long_ago = time.time() - (KEPT_DAYS + 1) * 24 * 3600
    for path in (foreign, old.path, recording.path):
        os.utime(path, (long_ago, long_ago))
    tidy(recording.folder, {Cell("sticky", "3.8.0"): recording})
    assert set(recording.folder.iterdir()) == {foreign, recording.path}


def test_tests_in_python_use_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    plan = make_plan(behaviours=["sticky"], clients=["3.8.0"], profile="quick", seed=3)
    [cell] = plan.cells

    def kept() -> Recording:
        return usual_recordings(plan, PythonPort())[cell]

    _written(kept())
    assert kept().exists()
    assert kept().folder.is_relative_to(tmp_path)
    kept().path.write_bytes(b"")
    assert not kept().exists()
    assert "is damaged" in caplog.text


def test_java_is_asked_once_for_all_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def ask() -> JavaInstallation:
        asked.append(1)
        return JavaInstallation(Path("java"), 17, Path("libjvm.so"))

    monkeypatch.setattr(kept, "find_java", ask)
    plan = make_plan(behaviours=["sticky", "keyed"])
    assert len(kept.recordings(tmp_path, plan, PythonPort(), kept.locked(plan.clients))) > 2
    assert asked == [1]


def test_without_java_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "none"))
    assert usual_recordings(make_plan(profile="quick"), PythonPort()) == {}
