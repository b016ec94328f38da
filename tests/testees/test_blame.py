"""Of many cases that are asked at once, the one that a testee cannot stand is told."""

import json
import sys
from pathlib import Path

import pytest

from conformance.clients.versions import client_named
from conformance.engine.check import check_cell
from conformance.engine.plan import behaviour_named
from conformance.errors import UsageError
from conformance.model.case import Case
from conformance.model.results import Verdict
from conformance.model.subject import CouldNotTryError
from conformance.model.trace import Trace
from conformance.model.values import from_json
from conformance.subjects import testee as testees
from conformance.subjects.python_port import PythonPort
from conformance.testees import errors
from conformance.testees.limits import Limits

_KEYED, _CLIENT = behaviour_named("keyed"), client_named("3.8.0")
_STUMBLES = b"\x15" * 21
_STARTS = """
import json, sys, time
say = lambda **message: print(json.dumps(message), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        keyed = {"mode": "exact"}
        say(type="hello", protocol=1, name="t", version="1", language="Python",
            behaviours={"keyed": keyed})
        continue
    keys = [step["key"] for case in asked["cases"] for step in case["steps"]]
    answers = [[0 for _ in case["steps"]] for case in asked["cases"]]
"""
_HANGS = f"""{_STARTS}
    if {{"hex": {_STUMBLES.hex()!r}}} in keys:
        time.sleep(600)
    say(type="traces", id=asked["id"], traces=answers)
"""
_SAYS_NO = f"""{_STARTS}
    if {{"hex": {_STUMBLES.hex()!r}}} in keys:
        answers = [[False for _ in case["steps"]] for case in asked["cases"]]
    say(type="traces", id=asked["id"], traces=answers)
"""
_DIES = f"""{_STARTS}
    sys.exit(3)
"""
_BREAKS_LATER = f"""{_STARTS}
    count = globals().get("count", 0) + len(keys)
    answers = [[-7 for _ in steps] for steps in answers]
    if count > 1000:
        answers = [[False for _ in case["steps"]] for case in asked["cases"]]
    say(type="traces", id=asked["id"], traces=answers)
"""


def _case(key: bytes) -> Case:
    step = {"op": "partition", "topic": "t", "key": key, "metadata": 0}
    return {"config": {}, "metadata": [[("t", [[0, 0], [1, 0]])]], "steps": [step]}


_MANY = [_case(b"%d" % number) for number in range(30)]


def _testee(program: str, folder: Path | None = None) -> testees.Testee:
    limits = Limits(hello_seconds=60, answer_seconds=2, exit_seconds=30)
    command = [sys.executable, "-I", "-S", "-c", program]
    return testees.Testee(command, limits=limits, transcripts=folder)


def _ask(subject: testees.Testee, cases: list[Case]) -> list[Trace | CouldNotTryError]:
    return subject.perform_many(_KEYED, _CLIENT, cases)


@pytest.mark.parametrize(
    ("program", "error"), [(_HANGS, errors.TesteeLimitError), (_SAYS_NO, errors.TesteeError)]
)
def test_what_breaks_the_protocol_is_one_case_that_the_transcript_ends_with(
    program: str, error: type[errors.TesteeError], tmp_path: Path
) -> None:
    subject = _testee(program, tmp_path)
    cases = [*_MANY[:20], _case(_STUMBLES), *_MANY[20:]]
    with pytest.raises(error, match="--transcripts"):
        _ask(subject, cases)
    last = max(tmp_path.iterdir(), key=lambda file: file.name)
    said = [line for line in last.read_text().splitlines() if line.startswith("> ")]
    asked = from_json(said[-1][2:])
    assert [step["key"] for case in asked["cases"] for step in case["steps"]] == [_STUMBLES]


def test_a_transcript_has_both_sides(tmp_path: Path) -> None:
    subject = _testee(_HANGS, tmp_path)
    assert len(_ask(subject, _MANY)) == len(_MANY)
    subject.finish()
    *_, last = sorted(tmp_path.iterdir())
    suite, answer, *rest = last.read_text().splitlines()
    assert json.loads(suite.removeprefix("> "))["suite"]
    assert json.loads(answer.removeprefix("< "))["name"] == "t"
    assert {line[:2] for line in rest} == {"> ", "< "}


def test_a_transcript_has_what_is_no_whole_line_and_ends_once(tmp_path: Path) -> None:
    subject = _testee('print(\'{"type": "hel\', end="", flush=True)', tmp_path)
    with pytest.raises(errors.TesteeError, match="exited with code 0, and ended in the middle"):
        _ = subject.hello
    [file] = tmp_path.iterdir()
    assert file.read_text().splitlines()[1:] == ['< {"type": "hel']
    with pytest.raises(errors.TesteeError, match="does not start"):
        _ = testees.Testee(["no-such-program"], transcripts=tmp_path).hello
    afile = tmp_path / "file"
    afile.touch()
    with pytest.raises(UsageError, match=r"No transcript can be written to .*file"):
        _ = testees.Testee(["no-such-program"], transcripts=afile).hello


def test_a_testee_that_dies_for_long_is_not_asked_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testees, "DEATHS_SECONDS", 0.5)
    subject = _testee(_DIES)
    first = _ask(subject, _MANY)
    assert not isinstance(first[0], CouldNotTryError)
    assert first[0][0]["answer"] == {"error": "the testee died: it exited with code 3"}
    assert isinstance(first[-1], CouldNotTryError)
    assert all(isinstance(one, CouldNotTryError) for one in _ask(subject, _MANY))


def test_it_differs_in_its_first_case_however_soon_it_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Even so short that no second case is asked, and that nothing can be shrunk.
    monkeypatch.setattr(testees, "DEATHS_SECONDS", 0.2)
    assert _cases_before(_DIES) == 0


def test_it_differs_in_its_first_case_if_it_breaks_the_protocol_later() -> None:
    assert _cases_before(_BREAKS_LATER) == 0


def _cases_before(program: str) -> int:
    """How many agreed before the one that is shown of a cell that diverges."""
    subject = _testee(program)
    try:
        result = check_cell(_KEYED, _CLIENT, PythonPort(), subject, cases=400, seed=0)
    finally:
        subject.stop_everywhere()
    assert result.verdict is Verdict.DIVERGES
    assert result.divergence is not None
    assert "Shrinking stopped early" in " ".join(result.divergence.remarks)
    return result.divergence.cases_before
