"""What Spark's exceptions mean: their causes are deep inside Java stack traces."""

import re

from conformance.errors import SuiteError

_LOST = re.compile(
    r"Task \d+ in stage \S+ failed (\d+) times?, most recent failure: "
    r"Lost task \S+ in stage \S+ \(TID \d+\) \((\S+) executor (\S+)\): (.*)"
)
_VERSIONS = re.compile(r"different version: ([\d.]+) than that in driver: ([\d.]+)")
_MODULE = re.compile(r"No module named '([^']+)'")
_PROGRAM = re.compile(r'Cannot run program "([^"]+)"')
_CALLED = re.compile(r"An error occurred while calling [^\n]*\n: (.*)")
_KILLED = re.compile(r"Application has been killed\. Reason: (.*)")
_PYTHON = (
    "The executors' Python, which PYSPARK_PYTHON names, needs the driver's minor version and the "
    "suite's dependencies; docs/cluster.md says how to install them."
)
_MORE = "Nothing was written."


def explain(error: BaseException) -> SuiteError:
    """Spark's exception as a message for a person."""
    text = _text(error)
    lost = _LOST.search(text)
    where = "On an executor"
    if lost is not None:
        machine = f"On {lost[2]}" if lost[3] == "driver" else f"On {lost[2]} (executor {lost[3]})"
        where = f"{machine}, {lost[1]} times in a row"
    if found := _VERSIONS.search(text):
        what = f"{where}: Python is {found[1]}, but the driver's is {found[2]}."
        return SuiteError(what, f"{_MORE} {_PYTHON}")
    if found := _MODULE.search(text):
        what = f"{where}: Python has no module {found[1]!r}."
        return SuiteError(what, f"{_MORE} {_PYTHON}")
    if found := _PROGRAM.search(text):
        what = f"{where}: there is no executable program {found[1]}."
        return SuiteError(what, f"{_MORE} {_PYTHON}")
    if "exited unexpectedly" in text:
        return SuiteError(
            f"{where}: the Python worker, with its JVM, died.",
            f"{_MORE} The usual reason is memory: a worker needs up to 2 GiB beside the executor "
            "(spark.executor.memoryOverhead). The executor's log may say more.",
        )
    if found := _KILLED.search(text):
        return SuiteError(
            f"The Spark master ended the run: {found[1].rstrip('.')}.",
            f"{_MORE} Executors that cannot start are the usual reason; their logs say why.",
        )
    reason = _python_reason(text) or (lost[4] if lost else _java_reason(text))
    said = f"{where}: {reason}" if lost else f"Spark gave up: {reason}"
    return SuiteError(f"{said.rstrip('.')}.", f"{_MORE} Spark's logs say more.")


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # Py4J asks the JVM for it, which may be gone
        return type(error).__name__


def _java_reason(text: str) -> str:
    """What Java said of a call through Py4J, whose own first line only names the call."""
    found = _CALLED.match(text)
    return found[1] if found else first_line(Exception(text))


def _python_reason(text: str) -> str | None:
    """The last line of the traceback of a Python worker, if there is one."""
    _, found, trace = text.partition("Traceback (most recent call last):\n")
    if not found:
        return None
    lines = (line for line in trace.splitlines() if line and not line.startswith((" ", "\t")))
    return next(lines, None)


def first_line(error: BaseException) -> str:
    """The first line that an exception says of itself, for a message."""
    lines = [line.strip() for line in _text(error).splitlines() if line.strip()]
    return lines[0].rstrip(".") if lines else type(error).__name__
