"""A real producer in a process of its own: its orders, its words, and the files that it leaves.

``conformance/java/ExperimentProducer.java`` is at the other end.
"""

import select
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import Final

from conformance.errors import SuiteError
from conformance.experiments.programs import Program
from conformance.processes.endings import how_it_ended
from conformance.processes.log import LogTail
from conformance.processes.tree import ProcessTree

RUN_NAME: Final = 8
"""Characters of a run's name, which begins each value."""
LEAST_VALUE: Final = RUN_NAME + 1 + 12
"""Bytes that a value needs for the run's name, a dash and the record's number."""
_READY_SECONDS: Final = 120.0
_READ_SECONDS: Final = 90.0


class ClientRunError(SuiteError):
    """A client's process did not do what it should: the run is not judged."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What a producer is to do.

    ``interval_ns`` lies between two records, 0 for as fast as it goes. ``settings`` are the
    producer's own, under Kafka's names.
    """

    bootstrap: str
    topic: str
    run: str
    records: int
    interval_ns: int
    value_bytes: int
    settings: Mapping[str, str]
    warmup_topic: str = ""
    warmup_records: int = 0

    def text(self, folder: Path) -> str:
        """The file of orders, in the format of Java's ``Properties``."""
        lines = {
            "bootstrap": self.bootstrap,
            "topic": self.topic,
            "run": self.run,
            "records": str(self.records),
            "interval.ns": str(self.interval_ns),
            "value.bytes": str(self.value_bytes),
            "warmup.topic": self.warmup_topic,
            "warmup.records": str(self.warmup_records),
            "folder": str(folder),
            **{f"producer.{name}": value for name, value in self.settings.items()},
        }
        return "".join(f"{_escaped(name)}={_escaped(text)}\n" for name, text in lines.items())


def _escaped(text: str) -> str:
    for character in ("\\", "=", ":", "#", "!", " "):
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", "\\n")


class ClientProcess:
    """The process, from its warm-up until it has read its records back.

    Use it as a context manager: whatever is left of the process is killed at the end. Every
    method raises :class:`ClientRunError` if the process ends, fails or is silent for too long.
    """

    def __init__(self, program: Program, orders: Orders, folder: Path) -> None:
        self._folder = folder
        file = folder / "orders.properties"
        file.write_text(orders.text(folder), "utf-8")
        self._log = TemporaryFile()  # noqa: SIM115 -- closed by __exit__
        self._heard = b""
        self._tree = ProcessTree(
            program.command(str(file)),
            folder=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )

    def __enter__(self) -> "ClientProcess":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._tree.end(seconds=0.1)
        for stream in (self._tree.process.stdin, self._tree.process.stdout, self._log):
            if stream is not None:
                stream.close()

    def wait_ready(self) -> None:
        """Until it is warm, and knows the topic's leaders."""
        self._expect("ready", _READY_SECONDS)

    def start(self) -> None:
        """Have it send; answers when it has begun to."""
        self._say("go")
        self._expect("sending", 10.0)

    def wait_sent(self, seconds: float) -> None:
        """Until all its records have ended, one way or the other."""
        self._expect("sent", seconds)

    def read_back(self) -> None:
        """Have a consumer of the same version read the topic back, and end."""
        self._say("read")
        self._expect("done", _READ_SECONDS)

    def leave(self) -> None:
        """End it without reading back."""
        self._say("end")
        self._expect("done", 10.0)

    def has_sent(self) -> bool:
        """Whether the word that all has been sent is there to be heard; does not wait."""
        assert self._tree.process.stdout is not None  # it is a pipe
        return b"\n" in self._heard or bool(
            select.select([self._tree.process.stdout], [], [], 0)[0]
        )

    def _say(self, word: str) -> None:
        assert self._tree.process.stdin is not None  # it is a pipe
        try:
            self._tree.process.stdin.write(f"{word}\n".encode())
        except OSError as error:
            raise self._failed("ended before it was told what to do next") from error

    def _expect(self, word: str, seconds: float) -> None:
        until = time.monotonic() + seconds
        while b"\n" not in self._heard:
            left = until - time.monotonic()
            if left <= 0:
                raise self._failed(f'has not said "{word}" for {seconds:g} s')
            self._hear(left, word)
        line, _, self._heard = self._heard.partition(b"\n")
        if line.decode("utf-8", "replace") != word:
            raise self._failed(f'said {line[:80]!r} instead of "{word}"')

    def _hear(self, seconds: float, word: str) -> None:
        out = self._tree.process.stdout
        assert out is not None  # it is a pipe
        if not select.select([out], [], [], seconds)[0]:
            return
        data = out.read(4096)
        if not data:
            ended = how_it_ended(self._tree.wait(10.0))
            raise self._failed(f'{ended} before it said "{word}"')
        self._heard += data

    def _failed(self, how: str) -> ClientRunError:
        self._log.seek(0)
        tail = LogTail()
        while data := self._log.read(2**16):
            tail.add(data)
        return ClientRunError(
            tail.after(f"The client's process {how}"),
            "Look at its messages; if they say nothing of a cause, repeat the experiment.",
        )
