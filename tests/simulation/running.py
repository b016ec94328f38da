"""The command as the tests of the simulator call it."""

from click.testing import CliRunner, Result

from conformance.cli import main

SMALL = ("--records", "9", "--every", "5ms", "--partitions", "3", "--brokers", "3")


def simulate(*arguments: str, code: int = 0) -> Result:
    """A run with an exit code."""
    result = CliRunner().invoke(main, ["simulate", *arguments], terminal_width=200)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result
