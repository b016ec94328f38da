"""The operations of ``BuiltInPartitioner``'s histories, each in one place.

What an operation is, and what its members mean, is told in :mod:`.built_in_history`.
"""

from abc import ABC, abstractmethod
from collections import defaultdict
from typing import Any, ClassVar, Final

from conformance.behaviours.partitioning.partitioner_history import port_cluster
from conformance.draws import DrawSource
from conformance.model.behaviour import Reader
from conformance.model.case import Case, Operation
from conformance.model.port import Port
from conformance.model.program import NULL, Argument, Linker, Mode, boolean, integer, integers, slot
from conformance.model.trace import Answer
from conformance.model.ways import Member
from conformance.oracle.internals import BUILT_IN_MAKER, add_built_in_maker
from conformance.oracle.kafka import NO_RACKS, ClusterSymbols, KafkaProgram
from conformance.oracle.kafka_classes import (
    ATOMIC_INTEGER,
    ATOMIC_REFERENCE,
    BUILT_IN,
    CLUSTER,
    STRING,
)

CHANGED = "changed"
"""The answer of an append that found its peeked info outdated."""

_STATS = f"{BUILT_IN}$PartitionLoadStats"
_STICKY: Final = Member(BUILT_IN, "stickyPartitionInfo", ATOMIC_REFERENCE)
_TABLE: Final = tuple(
    Member(_STATS, name) for name in ("cumulativeFrequencyTable", "partitionIds", "length")
)
STATE: Final = (_STICKY, *_TABLE)
"""The private fields by which its state is seen. Without them, answers and draws are compared."""


class Symbols:
    """What operations call of a real client, linked once."""

    def __init__(self, link: Linker) -> None:
        self.cluster = ClusterSymbols(link)
        add_built_in_maker(link)
        self.maker = link.method(BUILT_IN_MAKER, "only")
        self.new = link.method(BUILT_IN_MAKER, "create", STRING, "int")
        self.peek = link.method(BUILT_IN, "peekCurrentPartitionInfo", CLUSTER)
        info = link.type_returned(BUILT_IN, "peekCurrentPartitionInfo", CLUSTER)
        self.changed = link.method(BUILT_IN, "isPartitionChanged", info)
        update = (BUILT_IN, "updatePartitionInfo", info, "int", CLUSTER)
        self.update = link.method(*update)
        self.update_switch = link.method(*update, "boolean")
        self.load = link.method(BUILT_IN_MAKER, "load", BUILT_IN, "[I", "[I", "int")
        self.range_end = link.method(BUILT_IN, "loadStatsRangeEnd")
        self.stats = link.method(BUILT_IN_MAKER, "stats", BUILT_IN)
        self.get = link.method(ATOMIC_REFERENCE, "get")
        self.count = link.method(ATOMIC_INTEGER, "get")
        self.partition = link.method(info, "partition")
        self.shows_state = all(link.has(*member) for member in STATE)
        if self.shows_state:
            self.sticky = link.field(*_STICKY)
            self.bytes = link.field(info, "producedBytes", ATOMIC_INTEGER)
            self.stats_fields = [link.field(*member) for member in _TABLE]


class JavaRun:
    """One case on its way into a program."""

    def __init__(self, symbols: Symbols, case: Case) -> None:
        self.symbols = symbols
        self.program = KafkaProgram(symbols.cluster, case["config"].get("racks", NO_RACKS))
        self.config = case["config"]
        self.maker = self.program.new_slot()
        self.program.call(symbols.maker, into=self.maker)
        self.peeked: dict[int, int] = {}
        """By step: the slot of the info that it peeked."""
        self._case = case
        self._slots: defaultdict[tuple[str, str], int] = defaultdict(self.program.new_slot)

    def begin(self, draw: tuple[int, int]) -> None:
        """What the step may draw."""
        if self.config["source"] == "mock":
            self.program.mock(draw[0])
        else:
            self.program.seed(*draw)

    def partitioner(self, operation: Operation) -> int:
        """The slot of the topic's partitioner."""
        return self._slots[operation["topic"], "partitioner"]

    def sticky(self, operation: Operation) -> int:
        """The slot of the reference to what the topic's partitioner sticks to."""
        return self._slots[operation["topic"], "sticky"]

    def info(self, operation: Operation) -> Argument:
        """The peeked info that a step refers to."""
        of = operation.get("of")
        return NULL if of is None else slot(self.peeked[of["step"]])

    def cluster(self, operation: Operation) -> Argument:
        """The metadata that a step sees."""
        return self.program.cluster(self._case["metadata"], operation["metadata"])


class PortRun:
    """One case on the port."""

    def __init__(self, implementation: Port, partitioner: Any, case: Case) -> None:
        self.source = DrawSource()
        self.subjects: dict[str, Any] = {}
        """By topic: its partitioner; missing if its creation failed."""
        self.peeked: dict[int, Any] = {}
        self._partitioner = partitioner
        self.config = case["config"]
        racks = self.config.get("racks", NO_RACKS)
        self._clusters = [port_cluster(implementation, known, racks) for known in case["metadata"]]

    def create(self, operation: Operation, **more: Any) -> Any:
        """A partitioner as the case wants them; ``more`` are further arguments by name."""
        source = "mock_random" if self.config["source"] == "mock" else "random"
        # Left out where they are off, so that the port's default is seen as well.
        assertions = {"assertions": True} if self.config["assertions"] else {}
        return self._partitioner(
            operation["topic"],
            operation["batch_size"],
            **assertions,
            **{source: self.source},
            **more,
        )

    def subject(self, operation: Operation) -> Any:
        """The topic's partitioner; without one there is another answer than Java's."""
        return self.subjects[operation["topic"]]

    def info(self, operation: Operation) -> Any:
        """The peeked info that a step refers to."""
        of = operation.get("of")
        return None if of is None else self.peeked.get(of["step"])

    def cluster(self, operation: Operation) -> Any:
        """The metadata that a step sees."""
        return self._clusters[operation["metadata"]]


class Performed(ABC):
    """One operation: how it is written down for Java, read back, and performed on the port."""

    java_method: ClassVar[str]
    """The method of ``BuiltInPartitioner`` that it is about."""
    state: ClassVar[tuple[str, ...]] = ("partition", "bytes", "peeked bytes")
    """What is observed after it, in this order."""

    @abstractmethod
    def emit(self, run: JavaRun, index: int, operation: Operation) -> None:
        """Write step ``index`` down."""

    def read(self, operation: Operation, results: Reader) -> Answer:
        """The answer, from what :meth:`emit` emitted."""
        return results.answer()

    @abstractmethod
    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        """The port's answer."""

    def emit_state(self, run: JavaRun, operation: Operation) -> None:
        """Emit :attr:`state`: what it sticks to, and the bytes of the info that was referred to."""
        program, symbols = run.program, run.symbols
        sticky, referred = slot(run.sticky(operation)), run.info(operation)

        def write() -> None:
            info = program.new_slot()
            program.call(symbols.get, sticky, mode=Mode.FOLLOW, into=info)
            program.call(symbols.partition, slot(info), mode=Mode.OBSERVE)
            for one in (slot(info), referred):
                count = program.new_slot()
                program.call(symbols.bytes, one, mode=Mode.FOLLOW, into=count)
                program.call(symbols.count, slot(count), mode=Mode.OBSERVE)

        program.again((sticky, referred), write)

    def state_of(self, subject: Any, referred: Any) -> tuple[Answer, ...]:
        """The same of the port's partitioner, and of the info that was referred to."""
        info = subject.current
        return (
            None if info is None else info.partition(),
            None if info is None else info.produced_bytes,
            None if referred is None else referred.produced_bytes,
        )


class Create(Performed):
    """The topic's partitioner is made."""

    java_method = "<init>"
    state = ()

    def emit(self, run: JavaRun, index: int, operation: Operation) -> None:
        self.make(run, operation, run.symbols.new)

    @staticmethod
    def make(run: JavaRun, operation: Operation, new: int, *more: Argument) -> None:
        """Emit a call of the maker, and keep what it made."""
        program, partitioner = run.program, run.partitioner(operation)
        arguments = (program.topic(operation["topic"]), integer(operation["batch_size"]), *more)
        program.call(new, slot(run.maker), *arguments, mode=Mode.TRY, into=partitioner)
        if run.symbols.shows_state:
            sticky = run.sticky(operation)
            program.call(run.symbols.sticky, slot(partitioner), mode=Mode.FOLLOW, into=sticky)

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        run.subjects[operation["topic"]] = run.create(operation)
        return None


class _Peek(Performed):
    java_method = "peekCurrentPartitionInfo"

    def emit(self, run: JavaRun, index: int, operation: Operation) -> None:
        program = run.program
        peeked = run.peeked[index] = program.new_slot()
        partitioner = slot(run.partitioner(operation))
        cluster = run.cluster(operation)
        program.call(run.symbols.peek, partitioner, cluster, mode=Mode.TRY, into=peeked)
        program.call(run.symbols.partition, slot(peeked), mode=Mode.OBSERVE)

    def read(self, operation: Operation, results: Reader) -> Answer:
        return results.tried()

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        info = run.peeked[index] = run.subject(operation).peek(run.cluster(operation))
        return info.partition()


class _Changed(Performed):
    java_method = "isPartitionChanged"

    def emit(self, run: JavaRun, index: int, operation: Operation) -> None:
        self.ask(run, operation, into=-1)

    @staticmethod
    def ask(run: JavaRun, operation: Operation, into: int) -> None:
        """Emit whether the info is outdated, and keep it."""
        arguments = (slot(run.partitioner(operation)), run.info(operation))
        run.program.call(run.symbols.changed, *arguments, mode=Mode.ANSWER, into=into)

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        return int(run.subject(operation).is_partition_changed(run.info(operation)))


class _Update(Performed):
    java_method = "updatePartitionInfo"

    def emit(self, run: JavaRun, index: int, operation: Operation) -> None:
        symbols, switch = run.symbols, operation["switch"]
        arguments = [
            slot(run.partitioner(operation)),
            run.info(operation),
            integer(operation["bytes"]),
            run.cluster(operation),
        ]
        if switch is not None:
            arguments.append(boolean(switch))
        method = symbols.update if switch is None else symbols.update_switch
        run.program.call(method, *arguments, mode=Mode.ANSWER)

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        switch = {} if operation["switch"] is None else {"enable_switch": operation["switch"]}
        arguments = (run.info(operation), operation["bytes"], run.cluster(operation))
        run.subject(operation).update_partition_info(*arguments, **switch)
        return None


class _Append(_Update):
    """As ``RecordAccumulator.append`` does it."""

    def emit(self, run: JavaRun, index: int, operation: Operation) -> None:
        program = run.program
        # The snapshot is made before what may be skipped: later steps use the same slot.
        run.cluster(operation)
        changed = program.new_slot()
        _Changed.ask(run, operation, into=changed)
        skipped = program.skip_if(changed)
        super().emit(run, index, operation)
        program.end_skip(skipped)

    def read(self, operation: Operation, results: Reader) -> Answer:
        return CHANGED if results.answer() == 1 else results.answer()

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        if run.subject(operation).is_partition_changed(run.info(operation)):
            return CHANGED
        return super().perform(run, index, operation)


class Load(Performed):
    """Queue sizes are installed, or withdrawn."""

    java_method = "updatePartitionLoadStats"
    state: ClassVar[tuple[str, ...]] = ("table", "ids", "length")

    def emit(self, run: JavaRun, index: int, operation: Operation) -> None:
        self.install(run, operation, run.symbols.load)

    @staticmethod
    def install(run: JavaRun, operation: Operation, load: int, *racks: Argument) -> None:
        """Emit a call of the maker with the queue sizes, and what became of their array."""
        program, queues = run.program, operation["queues"]
        array = None if queues is None else program.let(integers(queues))
        arguments = (
            slot(run.partitioner(operation)),
            NULL if array is None else slot(array),
            integers(operation["ids"]),
            *racks,
            integer(operation["length"]),
        )
        program.call(load, slot(run.maker), *arguments, mode=Mode.TRY)
        if array is not None:
            program.emit(array)

    def read(self, operation: Operation, results: Reader) -> Answer:
        if operation["queues"] is None:
            return results.answer()
        return results.tried()

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        queues = operation["queues"] and list(operation["queues"])
        arguments = (queues, operation["ids"], operation["length"])
        run.subject(operation).update_partition_load_stats(*arguments, *self.racks(operation))
        return queues and list(queues)  # it keeps the array

    def racks(self, operation: Operation) -> tuple[list[str | None], ...]:
        """What the port is told of racks: nothing."""
        return ()

    def emit_state(self, run: JavaRun, operation: Operation) -> None:
        self.emit_stats(run, operation, run.symbols.stats)

    @staticmethod
    def emit_stats(run: JavaRun, operation: Operation, getter: int) -> None:
        """Emit a table of weights, which the maker gets of the partitioner."""
        program, stats = run.program, run.program.new_slot()
        partitioner = slot(run.partitioner(operation))
        program.call(getter, slot(run.maker), partitioner, mode=Mode.FOLLOW, into=stats)
        for field in run.symbols.stats_fields:
            program.call(field, slot(stats), mode=Mode.OBSERVE)

    def state_of(self, subject: Any, referred: Any) -> tuple[Answer, ...]:
        return self.stats_of(subject.load_stats)

    @staticmethod
    def stats_of(stats: Any) -> tuple[Answer, ...]:
        """The same of a table of the port's."""
        if stats is None:
            return (None, None, None)
        return list(stats.table), list(stats.partition_ids), stats.length


class _RangeEnd(Performed):
    java_method = "loadStatsRangeEnd"

    def emit(self, run: JavaRun, index: int, operation: Operation) -> None:
        partitioner = slot(run.partitioner(operation))
        run.program.call(run.symbols.range_end, partitioner, mode=Mode.ANSWER)

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        return run.subject(operation).load_stats_range_end()


OPERATIONS: Final[dict[str, Performed]] = {
    "create": Create(),
    "peek": _Peek(),
    "changed": _Changed(),
    "update": _Update(),
    "append": _Append(),
    "load": Load(),
    "range end": _RangeEnd(),
}
"""By the ``op`` of a step."""
