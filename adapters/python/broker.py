"""The Go adapters' broker (franz-go's kfake) in a process of its own, as ../README.md describes it.

librdkafka's own mock broker would be no help: it writes base offsets anew, and hands out only what
was produced to it.
"""

import json
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

TOPIC = "t"
_PROGRAM = Path(__file__).parents[1] / "go" / "testee-bin"
_ENDING_SECONDS = 10


class BrokerFailed(SystemExit):
    """There is no broker, or no more. It ends the testee, for it says nothing of the library."""


class Broker:
    """It hands over what is produced, and hands out what it is given. It has one partition."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen([str(_PROGRAM), "broker"], stdin=pipe, stdout=pipe)
        except OSError as error:
            reason = f"the broker does not start: {error}; adapters/run.py builds it"
            raise BrokerFailed(reason) from error
        try:
            self.address: str = self._answer()["address"]
            self._ask("topics", topics={TOPIC: [[0, 0]]})
        except BrokerFailed:
            self.close()
            raise

    def hand_out(self, data: bytes) -> None:
        """Give these bytes to the consumer that asks next, whatever the offset."""
        self._ask("hand out", data=data.hex())

    def wait_until_read(self) -> None:
        """Until a consumer asks for more than was handed out: it is through with all of that."""
        self._ask("wait until read")

    def produced(self) -> list[bytes]:
        """The batches that have come since the last time."""
        return [bytes.fromhex(batch) for batch in self._ask("produced")["batches"]]

    def close(self) -> None:
        """It ends as its input does."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(OSError):
            process.stdin.close()
        process.stdout.close()
        try:
            process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _ask(self, op: str, **more: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # then it has no answer, either
            self._process.stdin.write(json.dumps({"op": op, **more}).encode() + b"\n")
            self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise BrokerFailed("the broker has ended")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise BrokerFailed(answer["error"])
        return answer
