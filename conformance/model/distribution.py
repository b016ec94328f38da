"""What a distribution is: a behaviour as millions of records show it.

The exact half of the suite hands a subject its draws and compares traces. Here a subject uses
its own randomness, seeded so that a run can be repeated, and what it answers is counted. A
:class:`Distribution` says what every subject is given, how a real client and a port answer,
what is counted, and how the counts are judged. Where nothing is random the answers of two
subjects are compared as well, record by record.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from conformance.errors import SuiteError
from conformance.model.client_version import ClientVersion
from conformance.model.outcome import Outcome
from conformance.model.port import Port
from conformance.model.program import LoadedClient

Answers = npt.NDArray[np.int32]
"""What a subject answered in a block; the first axis counts its events (records, batches)."""
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Block:
    """A range of records with a seed of its own: the unit in which everything is computed.

    Blocks do not know of tasks, cores or workers, so neither do their counts.
    """

    number: int
    first: int
    """The index of its first record in the whole run."""
    records: int
    seed: tuple[int, ...]
    """Words of entropy: the run's seed, the distribution, the block's number."""

    def generator(self, purpose: str) -> np.random.Generator:
        """A generator of this block alone; each purpose and subject has its own stream."""
        return np.random.Generator(np.random.PCG64([*self.seed, *purpose.encode()]))

    def seed_for(self, purpose: str) -> int:
        """64 bits of seed for a subject that has its own generator."""
        return int(self.generator(purpose).integers(0, 2**64, dtype=np.uint64))


@dataclass(slots=True)
class Measures:
    """What was counted: of one block, or added up over many.

    ``counts`` are added; ``seen`` are bitmaps, united; ``rows`` keep one row per block, by the
    block's number, for tests that need to know how blocks vary; ``first`` keeps what was said of
    the earliest record of which anything was said.
    """

    records: int = 0
    counts: dict[str, IntArray] = field(default_factory=dict)
    seen: dict[str, IntArray] = field(default_factory=dict)
    rows: dict[str, dict[int, IntArray]] = field(default_factory=dict)
    first: dict[str, tuple[int, str]] = field(default_factory=dict)

    def add(self, other: "Measures") -> None:
        """Add what was counted elsewhere; the order of additions does not matter."""
        self.records += other.records
        for name, counts in other.counts.items():
            self.counts[name] = self.counts[name] + counts if name in self.counts else counts
        for name, bits in other.seen.items():
            self.seen[name] = self.seen[name] | bits if name in self.seen else bits
        for name, rows in other.rows.items():
            self.rows.setdefault(name, {}).update(rows)
        for name, told in other.first.items():
            self.first[name] = min(told, self.first.get(name, told))

    def table(self, name: str) -> npt.NDArray[np.float64]:
        """The rows of that name in the order of their blocks."""
        rows = self.rows[name]
        return np.array([rows[block] for block in sorted(rows)], dtype=np.float64)


Sampler = Callable[[Block, Any], Answers]
"""How a subject answers: a block and what :meth:`Distribution.inputs` made of it."""


Ask = Callable[[str, str, int, Mapping[str, Any]], "list[int] | str"]
"""Asks a testee: behaviour, client version, seed, members; answers partitions, or why not."""


class ImpossibleAnswerError(Exception):
    """A subject answered something that no subject may answer."""


def checked_answers(answers: npt.NDArray[Any], shape: tuple[int, ...]) -> Answers:
    """What a subject answered as int32, if that is what it answered.

    Raises :class:`ImpossibleAnswerError` for anything else: another number of answers, fractions,
    text, None, numbers beyond int32. A cast would quietly make partitions of them.
    """
    if answers.shape != shape:
        raise ImpossibleAnswerError(f"answered an array of {answers.shape}, not {shape}")
    if answers.dtype.kind not in "iu":
        raise ImpossibleAnswerError(f"answered {answers.dtype}, not whole numbers")
    limits = np.iinfo(np.int32)
    if answers.size and (answers.min() < limits.min or answers.max() > limits.max):
        raise ImpossibleAnswerError("answered a number beyond int32")
    return answers.astype(np.int32, copy=False)


def tally(
    answers: npt.NDArray[Any], size: int, weights: npt.NDArray[np.integer[Any]] | None = None
) -> IntArray:
    """How often each of 0 to ``size`` - 1 occurs, or what ``weights`` it gets.

    Raises :class:`ImpossibleAnswerError` for any other number.
    """
    wrong = (answers < 0) | (answers >= size)
    if wrong.any():
        event = int(wrong.argmax())
        raise ImpossibleAnswerError(f"answered {answers[event]}, not one of 0 to {size - 1}")
    return np.bincount(answers, weights=weights, minlength=size).astype(np.int64)


class Distribution(ABC):
    """One distribution; instances are registered in :mod:`conformance.distributions`."""

    name: str
    summary: str
    """One line for people."""
    behaviour: ClassVar[str]
    """The behaviour that it is a distribution of; a version without it lacks both."""
    records: int
    """How many records (or batches) of a default run it gets."""
    block_records: ClassVar[int]
    """Records in a block."""
    numbers: ClassVar[int] = 1
    """How many numbers each record's answer is."""
    whole_blocks: ClassVar[bool] = False
    """Whether every block must be whole; the number of records is rounded up then."""
    leaves_out: ClassVar[bool] = False
    """Whether it may leave records out, such as those without a key."""
    most: int | None = None
    """The most records that there are."""
    least: int = 1
    """With fewer records some of its tests are not run."""
    exact: ClassVar[bool] = False
    """Whether the answers of two subjects must be equal: nothing in them is random."""
    cost: ClassVar[float] = 1.0
    """Microseconds that a record takes for each version, about; only for splitting the work."""
    tells_bias: ClassVar[Sequence[str]] = ()
    """The tests that find one partition that is always taken too often, where it has such."""
    absent: ClassVar[Mapping[str, str]] = {}
    """Versions that lack it though they have the behaviour, each with the reason."""

    def lacking(self, client: ClientVersion) -> str | None:
        """Why that version does not have it, or None if it does."""
        return client.absent.get(self.behaviour) or self.absent.get(client.version)

    @abstractmethod
    def inputs(self, block: Block) -> Any:
        """What every subject is given for a block."""

    @abstractmethod
    def java(self, client: ClientVersion, java: LoadedClient) -> Sampler:
        """How that version's real client answers."""

    @abstractmethod
    def port(self, client: ClientVersion, implementation: Port) -> Sampler:
        """How a Python implementation answers; see :meth:`Behaviour.port`."""

    def testee(self, client: ClientVersion, ask: Ask) -> Sampler:
        """How a testee answers, asked through the protocol; most distributions need more."""
        raise SuiteError(
            f"No testee can be asked for {self.name}.",
            "The protocol has no question for it; docs/protocol.md has those that there are.",
        )

    def shape(self, block: Block, inputs: Any) -> tuple[int, ...]:
        """The shape that answers must have: one for each record, unless it says otherwise."""
        return (block.records, self.numbers) if self.numbers > 1 else (block.records,)

    @abstractmethod
    def measure(self, block: Block, inputs: Any, answers: Answers) -> Measures:
        """Count the answers of a block."""

    @abstractmethod
    def judge(self, totals: Measures) -> Sequence[Outcome]:
        """The tests, on the measures of a whole run."""

    def compare(self, expected: Measures, measured: Measures) -> Sequence[Outcome]:
        """Further tests of a subject, against what the oracle gave; most need none."""
        return ()

    def show(self, inputs: Any, event: int) -> str:
        """What a subject was given for one event, for a message about a difference."""
        arrays = inputs._asdict() if hasattr(inputs, "_asdict") else {}
        given = [f"{name} {array[event]}" for name, array in arrays.items() if event < len(array)]
        return ", ".join([f"event {event} of its block", *given])
