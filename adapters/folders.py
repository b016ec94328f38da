"""What ``adapters.toml`` files say: testees, their kinds of partitioner, how folders are built."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

ADAPTERS = Path(__file__).parent


@dataclass(frozen=True)
class Kind:
    """A kind of partitioner: which code of a library, of its adapter and of ours a testee runs.

    Which hash it is makes no kind: the code around it is the same, and so is what we ask.
    """

    meaning: str
    client: str
    """The version of Java that does the most alike, the only one that ``--quick`` asks about."""


KINDS = {
    "hash": Kind("a hash of the key; records without key go to one partition or to none", "3.8.0"),
    "hash, random": Kind(
        "a hash of the key; each record without key goes to a random partition", "3.8.0"
    ),
    "hash, round robin": Kind("a hash of the key; records without key go in turn", "2.3.1"),
    "hash, sticky": Kind(
        "a hash of the key; records without key stay for a batch or some time", "3.2.3"
    ),
    "hash, bytes": Kind(
        "a hash of the key; records without key stay for a number of bytes", "4.4.0"
    ),
    "random": Kind("each record goes to a random partition, whatever its key", "3.8.0"),
    "round robin": Kind("all records go in turn, whatever their keys", "3.2.3"),
    "sticky": Kind("records stay for a batch or some time, whatever their keys", "3.2.3"),
    "bytes": Kind("records stay for a number of bytes, whatever their keys", "3.8.0"),
    "least": Kind("each record goes to the partition with the fewest sent or waiting", "3.8.0"),
    "batches": Kind("record batches: their bytes written and read", "3.8.0"),
    "manual": Kind("the partition that the record names", "3.8.0"),
    "exact": Kind("a real client that takes the suite's draws", "4.4.0"),
}


@dataclass(frozen=True)
class Adapter:
    """One testee of a folder's ``adapters.toml``."""

    name: str
    title: str
    command: Sequence[str]
    folder: Path
    library: str = ""
    kind: str = ""
    """One of ``KINDS``."""
    quick: bool = True
    """Whether ``--quick`` may run it: not one that is slow, and whose code another one runs."""
    needs: Sequence[str] = ()
    """Names of further folders: the testee runs what their builds make."""

    @property
    def known(self) -> Path:
        """The file of its known divergences; there is none if it has none."""
        return self.folder / "known" / f"{self.name}.toml"


@dataclass
class Folder:
    """All testees of a language or a library, and what builds them."""

    path: Path
    language: str
    tools: Sequence[str]
    build: Sequence[Sequence[str]]
    """Commands, ``{python}`` in them is this Python."""
    versions: Sequence[Sequence[str]] = ()
    """Commands that tell the versions of what builds."""
    sources: Sequence[str] = ()
    """Patterns of the files that the build reads."""
    makes: Sequence[str] = ()
    """What the build makes, and the testees run: files, or folders with all that is in them."""
    leaves: Sequence[str] = ()
    """Patterns of what else it leaves behind, and goes on from the next time."""
    seconds: int = 0
    """About how long it takes from nothing on two cores: the longest is begun first."""
    adapters: list[Adapter] = field(default_factory=list)


def read_folders(names: Sequence[str]) -> list[Folder]:
    """The folders and testees that are wanted; raises ``click.BadParameter`` for unknown names."""
    folders = _all_folders()
    adapters = [adapter.name for folder in folders for adapter in folder.adapters]
    twice = sorted({name for name in adapters if adapters.count(name) > 1})
    if twice:
        raise click.ClickException(f"two testees have the name {', '.join(twice)}")
    known = {folder.path.name for folder in folders} | set(adapters)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise click.BadParameter(f"{', '.join(unknown)}: known are {', '.join(sorted(known))}")
    for folder in folders:
        if names and folder.path.name not in names:
            folder.adapters = [adapter for adapter in folder.adapters if adapter.name in names]
    return [folder for folder in folders if folder.adapters]


def keep_first_of_kinds(folders: list[Folder]) -> None:
    """Keep the first quick testee of each kind of each library, which is what ``--quick`` runs.

    A folder without one is not built either. Raises ``click.UsageError`` if nothing is left.
    """
    seen: set[tuple[str, str]] = set()
    for folder in folders:
        kept = []
        for adapter in folder.adapters:
            if adapter.quick and (adapter.library, adapter.kind) not in seen:
                seen.add((adapter.library, adapter.kind))
                kept.append(adapter)
        folder.adapters = kept
    folders[:] = [folder for folder in folders if folder.adapters]
    if not folders:
        raise click.UsageError("None of these is quick: leave --quick out.")


def with_needed(folders: Sequence[Folder]) -> list[Folder]:
    """These, and without testees those that they need: both are built.

    Raises ``click.ClickException`` if there is no such folder.
    """
    there = {folder.path.name for folder in folders}
    needed = {name for folder in folders for one in folder.adapters for name in one.needs} - there
    others = {folder.path.name: folder for folder in _all_folders()} if needed else {}
    unknown = sorted(needed - others.keys())
    if unknown:
        raise click.ClickException(f"testees need {', '.join(unknown)}, which is no folder here")
    return [*folders, *(replace(others[name], adapters=[]) for name in sorted(needed))]


def _all_folders() -> list[Folder]:
    return [_read_folder(file) for file in sorted(ADAPTERS.glob("*/adapters.toml"))]


def _read_folder(file: Path) -> Folder:
    document = tomllib.loads(file.read_text("utf-8"))
    # What else an entry has, such as what the library claims, is for readers.
    wanted = ("name", "title", "command", "library", "kind")
    needs = document.pop("needs", ())
    adapters = [
        Adapter(
            folder=file.parent,
            quick=entry.get("quick", True),
            needs=entry.get("needs", needs),
            **{name: entry[name] for name in wanted},
        )
        for entry in document.pop("testee")
    ]
    return Folder(file.parent, **document, adapters=adapters)
