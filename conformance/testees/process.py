"""A testee as a process: lines in, lines out, within limits, and nothing left behind.

One loop reads, writes and watches; nothing blocks, so neither a testee that does not read nor one
that never stops writing can hold the suite up or fill its memory.
"""

import fcntl
import os
import selectors
import signal
import subprocess
import time
import uuid
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from conformance.testees.errors import TesteeDiedError, TesteeError, TesteeLimitError
from conformance.testees.limits import MEBIBYTE, Limits
from conformance.testees.orphans import adopt_orphans, adopted, end_adopted
from conformance.text import inert

RUN_VARIABLE = "KAFKA_CONFORMANCE_TESTEE_RUN"
"""Marks every process that a testee of a run starts, wherever it hides."""

_CHUNK = 2**18
_PIPE_BYTES = 2**20
_LOG_BYTES = 2**14
_LOG_LINES = 12
_WATCH_SECONDS = 0.2
_TERMINATE_SECONDS = 1.0
_alive: set[int] = set()
"""The testees that this process runs, by their ids."""


class TesteeProcess:
    """One running testee. ``command`` is run as it is, without a shell."""

    def __init__(
        self, command: Sequence[str], *, limits: Limits, folder: Path | None = None, run: str
    ) -> None:
        self._limits = limits
        self._out = bytearray()
        self._searched = 0
        self._log = bytearray()
        self._unsent: deque[memoryview] = deque()
        self._mark = f"{run}:{uuid.uuid4().hex}"
        self._watched = 0.0
        adopt_orphans()
        try:
            self._process = subprocess.Popen(
                list(command),
                bufsize=0,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, RUN_VARIABLE: self._mark},
                # A group of its own: it is stopped as a whole, and Ctrl-C is not its business.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise TesteeError(
                f"The testee {command[0]!r} does not start: {reason}.",
                "Give the command after --, as its own words: kafka-conformance testee -- "
                "./my-testee argument.",
            ) from error
        _alive.add(self._process.pid)
        self._stdin, self._stdout, self._stderr = (
            stream.fileno()
            for stream in (self._process.stdin, self._process.stdout, self._process.stderr)
            if stream is not None
        )
        for stream in (self._process.stdin, self._process.stdout):
            # Larger pipes mean fewer turns; not every system has or allows them.
            with suppress(OSError, AttributeError):
                assert stream is not None
                fcntl.fcntl(stream, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        self._selector = selectors.DefaultSelector()
        for number in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(number, False)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)
        self._open = True

    def send(self, line: bytes) -> None:
        """Queue a line (with its end); it is written while answers are waited for."""
        if not self._unsent and self._open:
            with suppress(ValueError, KeyError):
                self._selector.register(self._stdin, selectors.EVENT_WRITE)
        self._unsent.append(memoryview(line))

    def receive(self, seconds: float, waiting_for: str) -> bytes:
        """The next line, without its end.

        Raises :class:`TesteeDiedError` if the testee ended instead, :class:`TesteeLimitError` if
        it took longer than ``seconds`` or exceeded another limit.
        """
        deadline = time.monotonic() + seconds
        while True:
            line = self._line()
            if line is not None:
                return line
            if self._is_over():
                how = self._how_it_ended()
                what = self.explain(f"The testee {how} {waiting_for}")
                # One that lives on has not died of anything, and would do so again.
                alive = self._process.poll() is None
                raise TesteeError(what) if alive else TesteeDiedError(what, f"it {how}")
            left = deadline - time.monotonic()
            if left <= 0:
                raise TesteeLimitError(
                    self.explain(f"The testee did not answer within {seconds:g} s: {waiting_for}"),
                    "Is its output flushed after each line? If it is only slow, give it longer "
                    "with --answer-seconds or --hello-seconds.",
                )
            self._turn(min(left, _WATCH_SECONDS))
            self._watch()

    def check_silent(self) -> None:
        """Raises :class:`TesteeError` if it has written something that nobody asked for."""
        self._turn(0)
        self._refuse_output()

    def finish(self) -> None:
        """End its input and wait for its exit; raises :class:`TesteeError` if that goes wrong."""
        try:
            self._end_input()
            deadline = time.monotonic() + self._limits.exit_seconds
            while self._selector.get_map() and time.monotonic() < deadline:
                self._turn(_WATCH_SECONDS)
                self._refuse_output()
                if self._process.poll() is not None and not self._readable():
                    break
            try:
                code = self._process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired as error:
                raise TesteeLimitError(
                    self.explain(
                        f"The testee did not exit within {self._limits.exit_seconds:g} s of the "
                        "end of its input"
                    ),
                    "A testee ends when its standard input does (or see --exit-seconds).",
                ) from error
            if code != 0:
                raise TesteeError(
                    self.explain(f"The testee {self._how_it_ended()} after its last answer")
                )
            left = self._left_behind()
            if left:
                names = ", ".join(sorted({_name(process) for process in left}))
                raise TesteeError(
                    self.explain(f"The testee left child processes behind: {names}"),
                    "They were ended. A testee ends its children before it exits.",
                )
        finally:
            self.stop()

    def stop(self) -> None:
        """End the testee and everything it started, whatever it does about it."""
        self._end_input()
        for number in (self._stdout, self._stderr):
            with suppress(KeyError, ValueError):
                self._selector.unregister(number)
        self._selector.close()
        if self._process.poll() is None:
            self._signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_TERMINATE_SECONDS)
        self._signal(signal.SIGKILL)
        # Only when it has ended are its children orphans.
        self._process.wait()
        _alive.discard(self._process.pid)
        end_run(self._mark)
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()

    def _left_behind(self) -> list[psutil.Process]:
        """What it has started, and has not ended."""
        orphans = [
            process
            for process in (adopted(_alive) if len(_alive) == 1 else [])
            if process.status() != psutil.STATUS_ZOMBIE
        ]
        return [process for process in _of_run(self._mark) if process not in orphans] + orphans

    def _refuse_output(self) -> None:
        if self._out:
            said = bytes(self._out[:80])
            raise TesteeError(self.explain(f"The testee wrote without being asked: {said!r}"))

    def explain(self, what: str) -> str:
        """A message with the end of the testee's log."""
        text = bytes(self._log).decode("utf-8", "replace").strip()
        if not text:
            return f"{what}. Its standard error is empty."
        lines = [inert(line) for line in text.splitlines()[-_LOG_LINES:]]
        return f"{what}. The end of its standard error:\n" + "\n".join(f"    {x}" for x in lines)

    def _line(self) -> bytes | None:
        end = self._out.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._out)
            if len(self._out) > self._limits.line_bytes:
                limit = self._limits.line_bytes // MEBIBYTE
                raise TesteeLimitError(
                    self.explain(f"The testee wrote a line of more than {limit} MiB")
                )
            return None
        line = bytes(self._out[:end])
        del self._out[: end + 1]
        self._searched = 0
        return line

    def _turn(self, seconds: float) -> None:
        """One round of the loop: whatever can be read or written without waiting."""
        for key, _ in self._selector.select(seconds):
            if key.fd == self._stdin:
                self._write()
            else:
                self._read(key.fd)

    def _read(self, number: int) -> None:
        try:
            data = os.read(number, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._selector.unregister(number)
        elif number == self._stderr:
            self._log += data
            del self._log[:-_LOG_BYTES]
        else:
            self._out += data

    def _write(self) -> None:
        try:
            while self._unsent:
                head = self._unsent[0]
                sent = os.write(self._stdin, head[:_CHUNK])
                if sent < len(head):
                    self._unsent[0] = head[sent:]
                else:
                    self._unsent.popleft()
        except BlockingIOError:
            return
        except OSError:  # it closed its input: whether that matters shows in what it answers
            self._unsent.clear()
        self._selector.unregister(self._stdin)

    def _end_input(self) -> None:
        if not self._open:
            return
        self._open = False
        with suppress(KeyError, ValueError):
            self._selector.unregister(self._stdin)
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()

    def _readable(self) -> bool:
        return any(mask & selectors.EVENT_READ for _, mask in self._selector.select(0))

    def _watch(self) -> None:
        """End it if it takes too much memory."""
        now = time.monotonic()
        if now - self._watched < _WATCH_SECONDS:
            return
        self._watched = now
        used = 0
        with suppress(psutil.Error):
            process = psutil.Process(self._process.pid)
            for one in (process, *process.children(recursive=True)):
                with suppress(psutil.Error):
                    used += one.memory_info().rss
        if used > self._limits.memory_bytes:
            limit = self._limits.memory_bytes // MEBIBYTE
            raise TesteeLimitError(
                self.explain(f"The testee took more than {limit} MiB of memory"),
                "Give it more with --memory-mib, if it needs that.",
            )

    def _is_over(self) -> bool:
        """Whether no line can come any more; a child of it may still hold its output open."""
        if self._stdout not in self._selector.get_map():
            return True
        return self._process.poll() is not None and not self._readable()

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(self._limits.exit_seconds)
        except subprocess.TimeoutExpired:
            return "closed its output"
        # What it still said in its log.
        while self._stderr in self._selector.get_map() and self._readable():
            self._turn(0)
        if self._out:
            return f"ended in the middle of a line ({bytes(self._out[:40])!r})"
        if code < 0:
            with suppress(ValueError):
                return f"was killed by {signal.Signals(-code).name}"
        return f"exited with code {code}"

    def _signal(self, which: signal.Signals) -> None:
        with suppress(OSError):
            os.killpg(self._process.pid, which)


def end_run(run: str) -> None:
    """Kill every process that was started by the testees of a run, wherever it hides.

    ``run`` is what the processes were given, or the mark of one of them.
    """
    for process in _of_run(run):
        with suppress(psutil.Error):
            process.kill()
    if not _alive:  # otherwise nobody could tell whose they are
        end_adopted(_alive)


def _of_run(mark: str) -> list[psutil.Process]:
    found = []
    own = os.getpid()
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if (
                process.pid != own
                and process.status() != psutil.STATUS_ZOMBIE
                and process.environ().get(RUN_VARIABLE, "").startswith(mark)
            ):
                found.append(process)
    return found


def _name(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return inert(str(process.name()))
    return "?"
