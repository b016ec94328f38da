"""A testee as a process: lines in, lines out, within limits, and nothing left behind.

One loop reads, writes and watches; nothing blocks, so neither a testee that does not read nor one
that never stops writing can hold the suite up or fill its memory.
"""

import fcntl
import os
import selectors
import subprocess
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from conformance.processes.endings import how_it_ended, why_not_started
from conformance.processes.log import LogTail
from conformance.processes.tree import ProcessTree, name_of
from conformance.testees.errors import TesteeDiedError, TesteeError, TesteeLimitError
from conformance.testees.limits import MEBIBYTE, Limits
from conformance.testees.transcript import Transcript
from conformance.text import inert

_CHUNK = 2**18
_PIPE_BYTES = 2**20
_WATCH_SECONDS = 0.2


class TesteeProcess:
    """One running testee. ``command`` is run as it is, without a shell."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        limits: Limits,
        folder: Path | None = None,
        run: str,
        transcripts: Path | None = None,
    ) -> None:
        self._limits = limits
        self._out = bytearray()
        self._searched = 0
        self._log = LogTail()
        self._unsent: deque[memoryview] = deque()
        self._watched = 0.0
        self._transcript = None if transcripts is None else Transcript(transcripts)
        pipe = subprocess.PIPE
        try:
            self._tree = ProcessTree(
                command, run=run, folder=folder, stdin=pipe, stdout=pipe, stderr=pipe
            )
        except (OSError, ValueError) as error:
            if self._transcript:
                self._transcript.close()
            why = why_not_started(command[0], folder, error)
            raise TesteeError(
                f"The testee {command[0]!r} does not start: {why}.",
                "Give the command after --, as its own words: kafka-conformance testee -- "
                "./my-testee argument.",
            ) from error
        self._process = self._tree.process
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
        if self._transcript:
            self._transcript.sent(line)
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
                    "with --answer-seconds or --hello-seconds; --transcripts FOLDER writes down "
                    "what it was asked.",
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
                    "A testee must exit when its standard input ends (see --exit-seconds).",
                ) from error
            if code != 0:
                raise TesteeError(
                    self.explain(f"The testee {self._how_it_ended()} after its last answer")
                )
            left = self._tree.left_behind()
            if left:
                names = ", ".join(sorted({inert(name_of(process)) for process in left}))
                raise TesteeError(
                    self.explain(f"The testee left child processes behind: {names}"),
                    "The suite killed them. A testee must end its children before it exits.",
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
        self._tree.end()
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()
        if self._transcript:
            self._transcript.close(bytes(self._out))

    def _refuse_output(self) -> None:
        if self._out:
            said = bytes(self._out[:80])
            raise TesteeError(self.explain(f"The testee wrote without being asked: {said!r}"))

    def explain(self, what: str) -> str:
        """A message with the end of the testee's log."""
        return self._log.after(what)

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
        if self._transcript:
            self._transcript.received(line)
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
            self._log.add(data)
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
        if self._tree.memory_bytes() > self._limits.memory_bytes:
            limit = self._limits.memory_bytes // MEBIBYTE
            raise TesteeLimitError(
                self.explain(f"The testee took more than {limit} MiB of memory"),
                "Allow more with --memory-mib, if it needs more.",
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
            half = bytes(self._out[:40])
            return f"{how_it_ended(code)}, and ended in the middle of a line ({half!r})"
        return how_it_ended(code)
