"""``python -m conformance`` is ``kafka-conformance``."""

import io
import sys

from conformance.errors import ExitCode


def main() -> None:
    """Run the command line; Ctrl-C is clean from here on, also while the rest is imported."""
    from conformance.processes.ctrl_c import end_as_at_ctrl_c  # noqa: PLC0415

    end_as_at_ctrl_c()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A key or a topic that this terminal cannot show must not end the report on it.
            stream.reconfigure(errors="backslashreplace")
    try:
        from conformance.cli import main as command_line  # noqa: PLC0415

        command_line()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(ExitCode.NOT_RUN)


if __name__ == "__main__":
    main()
