"""The engine with subjects that need no JVM: honest, wrong, failing, moody."""

import random
from types import SimpleNamespace
from typing import Any

import pytest

import python_impl
from conformance.clients.versions import client_named
from conformance.engine.check import cell_seed, check_cell
from conformance.engine.events import (
    CellDiverged,
    CellFinished,
    CellProgress,
    CellStarted,
    RunFinished,
)
from conformance.engine.plan import behaviour_named, make_plan
from conformance.engine.replay import replay_divergence
from conformance.engine.run import CellRunner, run_plan
from conformance.errors import ExitCode, OracleError, UsageError
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.results import Cell, CellResult, RunResult, Verdict
from conformance.model.subject import Subject
from conformance.model.trace import Trace
from conformance.subjects.python_port import PythonPort
from tests.fast.spoiled import Spoiled

STICKY = behaviour_named("sticky")
CLIENT = client_named("3.8.0")


def _check(subject: Subject, *, cases: int = 100, seed: int = 0, shrink: bool = True) -> CellResult:
    return check_cell(STICKY, CLIENT, PythonPort(), subject, cases=cases, seed=seed, shrink=shrink)


def test_equal_subjects_conform_on_all_cases() -> None:
    result = _check(PythonPort(), cases=80)
    assert (result.verdict, result.cases) == (Verdict.CONFORMS, 80)
    assert result.steps > 80
    assert result.seconds.total > 0


def test_the_same_seed_gives_the_same_cases_and_another_seed_others() -> None:
    digests = [_check(PythonPort(), seed=seed).digest for seed in (1, 1, 2)]
    assert digests[0] == digests[1] != digests[2]


def test_cells_have_seeds_of_their_own() -> None:
    cells = [Cell("sticky", "3.8.0"), Cell("sticky", "3.2.3"), Cell("keyed", "3.8.0")]
    assert len({cell_seed(0, cell) for cell in cells} | {cell_seed(1, cells[0])}) == 4


def test_a_divergence_is_shrunk_to_the_step_that_matters() -> None:
    def spoil(case: Case, trace: Trace) -> Trace:
        keyed = [s["op"] == "partition" and s["key"] is not None for s in case["steps"]]
        return [
            {**step, "answer": "wrong"} if wrong else step
            for wrong, step in zip(keyed, trace, strict=True)
        ]

    result = _check(Spoiled(spoil))
    assert result.verdict is Verdict.DIVERGES
    assert result.divergence is not None
    assert len(result.divergence.case["steps"]) == 1
    assert result.divergence.case["steps"][0]["key"] == b""
    assert result.divergence.answered[0]["answer"] == "wrong"
    assert result.divergence.java_method.endswith("DefaultPartitioner.partition")


def test_without_shrinking_the_first_counterexample_is_kept() -> None:
    result = _check(Spoiled(lambda _case, trace: trace[:-1]), shrink=False)
    assert result.verdict is Verdict.DIVERGES
    assert result.cases == 1


def test_a_moody_subject_diverges_and_is_called_that() -> None:
    calls = []

    def spoil(_case: Case, trace: Trace) -> Trace:
        calls.append(1)
        return [] if len(calls) == 20 else trace

    result = _check(Spoiled(spoil))
    assert result.verdict is Verdict.DIVERGES
    assert result.divergence is not None
    assert any("not always" in remark for remark in result.divergence.remarks)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_shown_of_a_moody_subject_is_a_difference(seed: int) -> None:
    chance = random.Random(seed)

    def spoil(_case: Case, trace: Trace) -> Trace:
        return [{**trace[0], "answer": "wrong"}, *trace[1:]] if chance.random() < 0.6 else trace

    result = _check(Spoiled(spoil))
    assert result.divergence is not None
    assert result.divergence.expected != result.divergence.answered
    assert len(result.divergence.answered) == len(result.divergence.case["steps"])


@pytest.mark.parametrize("error", [OracleError("no jar", "get one"), RuntimeError("a bug")])
def test_a_failure_is_not_run_and_never_shrunk_or_passed(error: Exception) -> None:
    calls = []

    def spoil(_case: Case, trace: Trace) -> Trace:
        calls.append(1)
        if len(calls) == 7:
            raise error
        return trace

    result = _check(Spoiled(spoil))
    assert result.verdict is Verdict.NOT_RUN
    assert str(error) in result.reason
    assert len(calls) == 7


def test_a_divergence_survives_a_failure_while_it_is_shrunk() -> None:
    told: list[CellResult] = []

    def spoil(case: Case, trace: Trace) -> Trace:
        if told and len(case["steps"]) < 3:
            raise OracleError("the JVM is gone", "start again")
        return trace[:-1]

    result = check_cell(
        STICKY, CLIENT, PythonPort(), Spoiled(spoil), cases=50, seed=0, diverged=told.append
    )
    assert [one.verdict for one in told] == [Verdict.DIVERGES]
    assert result.verdict is Verdict.DIVERGES
    assert result.divergence is not None
    assert any("the JVM is gone" in remark for remark in result.divergence.remarks)


def test_a_divergence_stays_one_when_its_worker_dies_or_the_run_is_interrupted() -> None:
    plan = make_plan(behaviours=["sticky"], clients=["3.8.0"], profile="quick")
    wrong = Spoiled(lambda _case, trace: trace[:-1])

    def listen(event: Any) -> None:
        if isinstance(event, CellDiverged):
            raise KeyboardInterrupt

    run = run_plan(CellRunner(plan, PythonPort(), wrong), listen, jobs=0)
    assert run.interrupted
    assert run.exit_code is ExitCode.DIVERGES
    assert run.results[0].divergence is not None


class CrashingCluster:
    def __init__(self, _partitions: Any) -> None:
        raise MemoryError("too many partitions")

    @classmethod
    def of(cls, _topics: Any, **_named: Any) -> "CrashingCluster":
        return cls(())


def test_a_port_that_crashes_diverges() -> None:
    crashing = SimpleNamespace(**{name: getattr(python_impl, name) for name in python_impl.__all__})
    crashing.Cluster = CrashingCluster
    result = _check(PythonPort(crashing))
    assert result.verdict is Verdict.DIVERGES
    assert result.divergence is not None
    assert "MemoryError" in result.divergence.answered[0]["answer"]["error"]


def test_what_a_subject_lacks_is_absent_and_not_a_failure() -> None:
    class KeyedOnly(PythonPort):
        def lacks(self, behaviour: Behaviour, client: ClientVersion) -> str | None:
            del client
            return None if behaviour.name == "keyed" else "keys only"

    plan = make_plan(clients=["3.8.0"], subjects=[KeyedOnly()])
    assert [cell.behaviour for cell in plan.cells] == ["keyed"]
    assert {result.reason for result in plan.absent} >= {"keys only"}
    with pytest.raises(UsageError, match="keys only"):
        make_plan(behaviours=["sticky"], clients=["3.8.0"], subjects=[KeyedOnly()])


def test_a_run_in_this_process_tells_its_listener_everything() -> None:
    plan = make_plan(behaviours=["murmur2", "round-robin"], clients=["2.3.1"], profile="quick")
    events: list[Any] = []
    run = run_plan(CellRunner(plan, PythonPort(), PythonPort()), events.append, jobs=0)
    kinds = [type(event).__name__ for event in events if not isinstance(event, CellProgress)]
    assert kinds == ["RunStarted", "CellStarted", "CellFinished", "RunFinished"]
    assert run.exit_code is ExitCode.CONFORMS
    verdicts = {str(result.cell): result.verdict for result in run.results}
    assert verdicts == {
        "murmur2[2.3.1]": Verdict.CONFORMS,
        "round-robin[2.3.1]": Verdict.ABSENT,
    }


def test_a_run_in_workers_gives_the_same_cases() -> None:
    plan = make_plan(behaviours=["murmur2", "keyed"], clients=["3.8.0"], profile="quick")
    runner = CellRunner(plan, PythonPort(), PythonPort())
    here = run_plan(runner, lambda _event: None, jobs=0)
    there = run_plan(runner, lambda _event: None, jobs=2)
    assert [r.digest for r in here.results] == [r.digest for r in there.results]


def test_an_interrupted_run_keeps_what_it_knows() -> None:
    plan = make_plan(behaviours=["murmur2"], profile="quick")
    events: list[Any] = []

    def listen(event: Any) -> None:
        events.append(event)
        if isinstance(event, CellStarted) and len(plan.cells) > 1 and len(events) > 3:
            raise KeyboardInterrupt

    run = run_plan(CellRunner(plan, PythonPort(), PythonPort()), listen, jobs=0)
    assert run.interrupted
    assert run.exit_code is ExitCode.NOT_RUN
    finished = [event.result for event in events if isinstance(event, CellFinished)]
    assert finished
    cells = len(plan.cells)
    assert len(run.results) == cells
    assert sum(result.verdict is Verdict.NOT_RUN for result in run.results) == cells - len(finished)
    assert isinstance(events[-1], RunFinished)


def _run_of(*verdicts: Verdict) -> RunResult:
    results = [CellResult(Cell("b", str(at)), verdict) for at, verdict in enumerate(verdicts)]
    return RunResult(tuple(results), 1.0, 1)


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ([Verdict.CONFORMS, Verdict.ABSENT], ExitCode.CONFORMS),
        ([Verdict.CONFORMS, Verdict.DIVERGES], ExitCode.DIVERGES),
        ([Verdict.DIVERGES, Verdict.NOT_RUN], ExitCode.DIVERGES),
        ([Verdict.CONFORMS, Verdict.NOT_RUN], ExitCode.NOT_RUN),
        ([Verdict.ABSENT], ExitCode.NOT_RUN),
        ([], ExitCode.NOT_RUN),
    ],
)
def test_exit_codes(verdicts: list[Verdict], code: ExitCode) -> None:
    assert _run_of(*verdicts).exit_code is code


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"clients": ["3.8"]}, r"no client version '3.8'.*Did you mean 3.8.0"),
        ({"behaviours": ["stiky"]}, r"no behaviour 'stiky'.*Did you mean sticky"),
        ({"profile": "fast"}, r"no profile 'fast'.*quick, default, thorough"),
        ({"behaviours": ["adaptive"], "clients": ["2.3.1"]}, r"nothing to run.*KIP-794"),
    ],
)
def test_a_plan_refuses_what_does_not_exist(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=f"(?s){message}"):
        make_plan(**arguments)


def test_repeated_names_are_one() -> None:
    assert len(make_plan(behaviours=["keyed", "keyed"], clients=["3.8.0"]).cells) == 1


def test_a_case_with_an_unknown_operation_is_not_replayed() -> None:
    result = _check(Spoiled(lambda _case, trace: trace[:-1]))
    assert result.divergence is not None
    result.divergence.case["steps"][0]["op"] = "partitoin"
    with pytest.raises(UsageError, match="no operation 'partitoin'; it has partition, new batch"):
        replay_divergence(result.divergence, CLIENT, PythonPort(), PythonPort())


def test_a_replayed_divergence_is_fixed_or_still_there() -> None:
    result = _check(Spoiled(lambda _case, trace: trace[:-1]))
    assert result.divergence is not None
    assert replay_divergence(result.divergence, CLIENT, PythonPort(), PythonPort()) is None
    again = replay_divergence(
        result.divergence, CLIENT, PythonPort(), Spoiled(lambda _case, _trace: [])
    )
    assert again is not None
    assert again.step == 0
