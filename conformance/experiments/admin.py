"""Topics of an experiment: made, described and deleted by Kafka's own admin client."""

import subprocess
from collections.abc import Mapping, Sequence
from tempfile import TemporaryFile

from conformance.errors import SuiteError, UsageError
from conformance.experiments.programs import Program
from conformance.processes.tree import ProcessTree
from conformance.text import inert

_SECONDS = 60.0
_NAMES_AT_ONCE = 100


class Topics:
    """The admin client of a cluster, a process for each question.

    Every method raises :class:`UsageError` if the cluster cannot be reached, and
    :class:`SuiteError` if it refuses.
    """

    def __init__(self, program: Program, bootstrap: str) -> None:
        self._program = program
        self._bootstrap = bootstrap

    def brokers(self) -> list[int]:
        """The ids of the cluster's brokers, sorted."""
        return sorted(int(line) for line in self._asked("brokers"))

    def leaders(self, topic: str) -> Mapping[int, int]:
        """The leader of each partition; -1 where there is none.

        Raises :class:`UsageError` if there is no such topic.
        """
        lines = [line.split(" ") for line in self._asked("describe", topic)]
        return {int(partition): int(leader) for _, partition, leader in lines}

    def create(self, names: Sequence[str], leaders: Sequence[int] | int) -> None:
        """Make topics of one replica: with these leaders by partition, or with so many partitions.

        Raises :class:`UsageError` if one exists already.
        """
        where = f"*{leaders}" if isinstance(leaders, int) else ",".join(map(str, leaders))
        for first in range(0, len(names), _NAMES_AT_ONCE):
            self._asked("create", where, *names[first : first + _NAMES_AT_ONCE])

    def delete(self, names: Sequence[str]) -> None:
        """Delete topics."""
        for first in range(0, len(names), _NAMES_AT_ONCE):
            self._asked("delete", *names[first : first + _NAMES_AT_ONCE])

    def _asked(self, what: str, *arguments: str) -> list[str]:
        command = self._program.command(self._bootstrap, what, *arguments)
        with TemporaryFile() as out:
            tree = ProcessTree(command, stdout=out, stderr=subprocess.DEVNULL)
            try:
                code = tree.wait(_SECONDS)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                tree.end(seconds=0.1)
            out.seek(0)
            lines = out.read().decode("utf-8", "replace").splitlines()
        errors = [line.removeprefix("error=") for line in lines if line.startswith("error=")]
        if code == 0 and not errors:
            return lines
        raise self._error(what, arguments, errors[0] if errors else "")

    def _error(self, what: str, arguments: Sequence[str], told: str) -> SuiteError:
        name = inert(arguments[-1]) if arguments else ""
        if told.startswith("TopicExistsException"):
            return UsageError(
                f"A topic that the experiment would make exists already ({inert(told)}).",
                "Delete it, or begin the names of topics otherwise (--topic-prefix).",
            )
        if told.startswith(("UnknownTopicOrPartition", "InvalidTopic")):
            return UsageError(
                f"The cluster at {self._bootstrap} has no topic {name}.",
                "Make it, or leave out --topic: then the experiment makes topics of its own.",
            )
        if told.startswith(("TimeoutException", "ConfigException")) or not told:
            return UsageError(
                f"The cluster at {self._bootstrap} does not answer"
                f"{f' ({inert(told)})' if told else ''}.",
                "Correct --bootstrap-servers (host:port, separated by commas). The experiments "
                "connect without TLS and without a login.",
            )
        return SuiteError(
            f"The cluster at {self._bootstrap} refuses to {what} topics: {inert(told)}",
            "Ask who runs it for the right to, or make a topic there yourself and name it "
            "with --topic.",
        )
