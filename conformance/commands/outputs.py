"""Files that a command's options name: where its results can go, and that nothing is lost there."""

import os
from collections.abc import Iterator
from pathlib import Path

import click

from conformance.errors import UsageError
from conformance.files import check_writable, is_irregular


def check_output(path: Path) -> None:
    """Check that a result can be written to a file that an option of the running command names.

    Raises :class:`UsageError` if it cannot be, and if another option or argument names the same
    file: the result would take the place of another result, or of what the command reads. A device,
    such as /dev/null, may be named as often as one likes.
    """
    check_writable(path)
    if is_irregular(path):
        return
    names = [name for name, other in _files_named() if _is_same(path, other)]
    if len(names) > 1:
        raise UsageError(
            f"{' and '.join(names)} name the same file: {path}.",
            "A result takes the place of what is in its file: name a file of its own for each.",
        )


def _files_named() -> Iterator[tuple[str, Path]]:
    """What the user calls each option or argument that is a file, and the file."""
    context = click.get_current_context()
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Path):
                is_option = isinstance(parameter, click.Option)
                yield parameter.opts[0] if is_option else parameter.human_readable_name, one


def _is_same(path: Path, other: Path) -> bool:
    # Not by Path.resolve, which raises for links that go round in circles.
    return os.path.realpath(path) == os.path.realpath(other)
