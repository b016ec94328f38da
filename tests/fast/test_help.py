"""The help of the whole command line."""

from click.testing import CliRunner

from conformance.cli import main


def test_each_command_is_summed_up_in_a_whole_sentence() -> None:
    help_text = CliRunner().invoke(main, ["--help"], terminal_width=80).output
    commands = help_text.partition("Commands:")[2].partition("Exit codes")[0]
    for command in main.commands.values():
        first = (command.help or "").split("\n\n", maxsplit=1)[0]
        # Lines end at spaces and behind hyphens.
        assert "".join(first.split()) in "".join(commands.split())
