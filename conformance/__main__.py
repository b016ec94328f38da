"""``python -m conformance`` is ``kafka-conformance``."""

import io
import os
import sys

from conformance.errors import ExitCode, SuiteError


class _Output(io.TextIOWrapper):
    """Standard output that says of itself what is wrong with it.

    Of an :class:`OSError` nobody could tell where it comes from, and Click and Rich end at a
    broken pipe with exit code 1, which is a divergence.
    """

    def write(self, text: str, /) -> int:
        """See :class:`io.TextIOWrapper`; raises :class:`SuiteError`."""
        try:
            # Click tries whether it may write nothing at all, and keeps what comes of it to itself.
            return 0 if text == "" else super().write(text)
        except OSError as error:
            raise self._lost(error) from error

    def flush(self) -> None:
        """See :class:`io.TextIOWrapper`; raises :class:`SuiteError`."""
        try:
            super().flush()
        except OSError as error:
            raise self._lost(error) from error

    def _lost(self, error: OSError) -> SuiteError:
        # Whatever is still printed goes nowhere, or the last lines would fail once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
        return SuiteError(
            f"Standard output cannot be written: {error.strerror}.",
            "Send it to a place with room that reads all of it.",
        )


def main() -> None:
    """Run the command line; Ctrl-C is clean from here on, also while the rest is imported."""
    from conformance.processes.ctrl_c import end_as_at_ctrl_c  # noqa: PLC0415

    end_as_at_ctrl_c()
    # A key or a topic that this terminal cannot show must not end the report on it.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = _Output(
            sys.stdout.buffer,
            sys.stdout.encoding,
            "backslashreplace",
            line_buffering=sys.stdout.line_buffering,
            write_through=sys.stdout.write_through,
        )
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="backslashreplace")
    try:
        try:
            from conformance.cli import main as command_line  # noqa: PLC0415

            command_line()
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(ExitCode.NOT_RUN)
    except SuiteError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
