"""A testee as a process, without any engine: what is said to it, what it says, how it ends."""

import sys
import time
from pathlib import Path

import psutil
import pytest

from conformance.model.case import Case
from conformance.testees import errors
from conformance.testees.conversation import CASES_IN_A_MESSAGE, Conversation
from conformance.testees.limits import Limits
from tests.testees.running import BROKEN, expect_none_left

CASE: Case = {
    "config": {},
    "metadata": [[("t", [[0, 0], [1, None], [2, 0]])]],
    "steps": [{"op": "partition", "topic": "t", "key": b"k1", "metadata": 0}],
}
_SHORT = Limits(hello_seconds=60, answer_seconds=5, exit_seconds=5)


def _talk(fault: str, folder: Path, limits: Limits = _SHORT) -> Conversation:
    command = [sys.executable, "-I", "-S", str(BROKEN), fault, str(folder)]
    return Conversation(command, limits=limits, folder=folder)


def _ask(talk: Conversation, cases: int = 1) -> list[object]:
    return talk.traces("keyed", "3.8.0", [CASE] * cases)


def test_answers_come_back_in_the_order_of_the_questions(tmp_path: Path) -> None:
    talk = _talk("shuffled", tmp_path)
    keys = [b"%d" % number for number in range(10 * CASES_IN_A_MESSAGE + 1)]
    cases: list[Case] = [{**CASE, "steps": [{**CASE["steps"][0], "key": key}]} for key in keys]
    together = talk.traces("keyed", "3.8.0", cases)
    alone = [talk.traces("keyed", "3.8.0", [case])[0] for case in cases[:20]]
    assert together[:20] == alone
    assert len(together) == len(keys)
    talk.finish()


def test_nothing_is_left_open(tmp_path: Path) -> None:
    process = psutil.Process()
    before = process.num_fds()
    talk = _talk("honest", tmp_path)
    _ask(talk)
    talk.finish()
    for fault in ("hangs at exit", "exits at once", "exits in the middle"):
        with pytest.raises(errors.TesteeError):
            _ask_thrice(fault, tmp_path)
    assert process.num_fds() == before
    expect_none_left(tmp_path)
    assert not [child for child in psutil.Process().children() if str(BROKEN) in _words(child)]


def _ask_thrice(fault: str, folder: Path) -> None:
    talk = _talk(fault, folder)
    try:
        for _ in range(3):
            _ask(talk)
        talk.finish()
    finally:
        talk.stop()


def _words(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


@pytest.mark.parametrize("fault", ["hangs with children", "ignores SIGTERM", "leaves a daemon"])
def test_stop_ends_everything_whatever_it_does(fault: str, tmp_path: Path) -> None:
    talk = _talk(fault, tmp_path)
    started = time.monotonic()
    talk.stop()
    assert time.monotonic() - started < 60
    expect_none_left(tmp_path)


def test_stopping_one_testee_does_not_touch_another(tmp_path: Path) -> None:
    one, other = _talk("honest", tmp_path), _talk("tidies up", tmp_path)
    one.stop()
    assert len(_ask(other)) == 1
    other.finish()


def test_a_line_may_be_as_long_as_the_limit(tmp_path: Path) -> None:
    enough = Limits(line_bytes=101 * 2**20)
    talk = _talk("a line of 100 MiB", tmp_path, enough)
    for _ in range(3):
        assert len(_ask(talk)) == 1
    talk.finish()
    talk = _talk("a line of 100 MiB", tmp_path, Limits(line_bytes=99 * 2**20))
    _ask(talk)
    _ask(talk)
    with pytest.raises(errors.TesteeLimitError, match="more than 99 MiB"):
        _ask(talk)
    talk.stop()


def test_a_line_longer_than_a_pipe_is_read_by_a_testee_that_answers_meanwhile(
    tmp_path: Path,
) -> None:
    talk = _talk("10 MiB of log for each answer", tmp_path, Limits())
    step = {**CASE["steps"][0], "key": b"x" * 2**20}
    cases: list[Case] = [{**CASE, "steps": [step]}] * 4
    assert len(talk.traces("keyed", "3.8.0", cases)) == 4
    talk.finish()
