"""A real browser on a page, driven through a pipe: no driver, no port, no network.

Chromium's DevTools protocol: JSON messages that end in NUL, on file descriptors 3 and 4.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from tempfile import TemporaryDirectory
from typing import Any

PROGRAM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
_PATIENCE_SECONDS = 60
_OPTIONS = (
    *("--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
# The browser reads commands from 3 and writes to 4: this puts our pipes there.
_LAUNCH = (
    "import fcntl, os, sys\n"
    "ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]\n"
    "for place, end in zip((3, 4), ends):\n"
    "    os.dup2(end, place)\n"
    "os.execv(sys.argv[3], sys.argv[3:])\n"
)


class Browser:
    """One page of a headless browser."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands = commands
        self._answers = answers
        self._waiting = b""
        self._last = 0
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime"):
            self.call(f"{domain}.enable")

    _session: str | None = None

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def show(self, page: Path, *, width: int, scripts: bool = True, dark: bool = False) -> None:
        """Load a page in a window of that width and wait until it is there."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[theme])
        self.events.clear()
        self.call("Page.navigate", url=page.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())

    def evaluate(self, expression: str) -> Any:
        """The value of an expression on the page; works where the page's own scripts do not."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def requested(self) -> list[str]:
        """The addresses of everything that the page asked for."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._waiting:
            ready, _, _ = select([self._answers], [], [], _PATIENCE_SECONDS)
            assert ready, "the browser does not answer"
            more = os.read(self._answers, 1 << 16)
            assert more, "the browser is gone"
            self._waiting += more
        text, _, self._waiting = self._waiting.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message


@contextmanager
def started() -> Iterator[Browser]:
    """A browser with an empty profile, gone at the end."""
    assert PROGRAM is not None
    as_root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        launch = (sys.executable, "-c", _LAUNCH, str(theirs_in), str(theirs_out))
        process = subprocess.Popen(
            [*launch, PROGRAM, *_OPTIONS, *as_root, f"--user-data-dir={profile}"],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            yield Browser(ours_out, ours_in)
        finally:
            os.close(ours_out)
            os.close(ours_in)
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()
