"""The end of what a process says of itself."""

from conformance.text import inert

_BYTES = 2**14
_LINES = 12


class LogTail:
    """The last lines of a log, however long it gets."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def add(self, data: bytes) -> None:
        """Whatever came; lines need not be whole."""
        self._kept += data
        del self._kept[:-_BYTES]

    def after(self, what: str) -> str:
        """A message (without its full stop), and the log's end below it."""
        text = bytes(self._kept).decode("utf-8", "replace").strip()
        if not text:
            return f"{what}. Its standard error is empty."
        lines = "\n".join(f"    {inert(line)}" for line in text.splitlines()[-_LINES:])
        return f"{what}. The end of its standard error:\n{lines}"
