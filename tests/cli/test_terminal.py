"""What a person sees on a terminal: a progress bar, and colours unless NO_COLOR is set."""

import os
import pty
import re
import termios
from pathlib import Path

import pytest

from tests.cli.running import ONE_CELL, Suite, share
from tests.landing import nightly

_COLOUR = re.compile(r"\x1b\[[0-9;]*\b(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])\b[0-9;]*m")
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def _run_on_terminal(suite: Suite, *arguments: str) -> tuple[int, str]:
    """The exit code, and everything that was sent to the terminal."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, 160))
    process = suite.start(*arguments, streams=theirs)
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # how Linux tells that the other side was closed
            break
        if not piece:
            break
        seen += piece
    os.close(ours)
    return process.wait(60), seen.decode()


def test_terminal_gets_colours_and_a_progress_bar(suite: Suite) -> None:
    suite.environment = {"TERM": "xterm-256color"}
    code, seen = _run_on_terminal(suite, "run", *ONE_CELL)
    assert code == 0, seen
    assert _COLOUR.search(seen)
    text = _CONTROL.sub("", seen)
    cases = f"{share('sticky')} cases"
    assert re.search(rf"sticky\[3\.8\.0\] .*━+.* \d+/{cases}, ", text)
    assert f"conforms, {cases}" in text
    # The cursor, hidden while the bar moves, is back.
    assert seen.rfind("\x1b[?25h") > seen.rfind("\x1b[?25l") > 0


@nightly
def test_no_color_is_respected(suite: Suite) -> None:
    suite.environment = {"TERM": "xterm-256color", "NO_COLOR": "1"}
    code, seen = _run_on_terminal(suite, "run", *ONE_CELL)
    assert code == 0, seen
    assert not _COLOUR.search(seen)
    assert f"/{share('sticky')} cases, " in _CONTROL.sub("", seen)


def test_error_message_is_not_broken_into_lines(suite: Suite) -> None:
    """A path in a message must survive being copied, however long it is."""
    folder = "/nowhere/" + "/".join(["a long name"] * 12)
    suite.run("jars", "--jars", folder).expect(2, f"The folder of jars {folder} does not exist")


@pytest.mark.parametrize("arguments", [["list"], ["--help"]])
@pytest.mark.parametrize("buffered", [True, False])
def test_a_full_device_as_standard_output_is_told_without_a_traceback(
    suite: Suite, arguments: list[str], buffered: bool
) -> None:
    if buffered:
        suite.environment = {"PYTHONUNBUFFERED": ""}
    with Path("/dev/full").open("w") as full:
        outcome = suite.run(*arguments, stdout=full.fileno())
    outcome.expect(3, "Error: Standard output cannot be written: No space left on device.")
