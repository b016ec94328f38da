"""The parts of a program that every behaviour needs: topics and cluster metadata."""

from collections.abc import Mapping, Sequence

from conformance.model.case import Metadata, in_turn
from conformance.model.program import NULL, Argument, Linker, Program, integer, slot
from conformance.oracle.kafka_classes import CLUSTER, COMMON, STRING

_NODE = f"{COMMON}.Node"
_NODES = f"[L{_NODE};"
NO_RACKS = (None,) * 3


class ClusterSymbols:
    """The constructors behind ``Cluster``, resolved once per client."""

    def __init__(self, link: Linker) -> None:
        self.node = link.constructor(_NODE, "int", STRING, "int", STRING)
        self.partition_info = link.constructor(
            f"{COMMON}.PartitionInfo", STRING, "int", _NODE, _NODES, _NODES
        )
        self.cluster = link.constructor(
            CLUSTER, STRING, *(["java.util.Collection"] * 2), *(["java.util.Set"] * 2)
        )
        self.empty_set = link.method("java.util.Collections", "emptySet")


class KafkaProgram(Program):
    """A program that holds topics and metadata snapshots, each built at its first use.

    ``racks`` are those of nodes 0, 1 and 2, null for one that has none, as most have none; nodes
    beyond have them again.
    """

    def __init__(self, symbols: ClusterSymbols, racks: Sequence[str | None] = NO_RACKS) -> None:
        super().__init__()
        self._racks = racks
        self._symbols = symbols
        self._topics: dict[str | None, Argument] = {None: NULL}
        self._clusters: dict[int, Argument] = {}
        self._nodes: dict[int, Argument] = {}

    def topic(self, name: str | None) -> Argument:
        """A topic's name as a Java string, or null."""
        if name not in self._topics:
            self._topics[name] = slot(self.let(self.text(name)))
        return self._topics[name]

    def cluster(
        self, snapshots: Sequence[Metadata | None] | Mapping[int, Metadata], index: int
    ) -> Argument:
        """One snapshot as a ``Cluster``, or null; an index always means the same snapshot."""
        if index not in self._clusters:
            snapshot = snapshots[index]
            self._clusters[index] = NULL if snapshot is None else self._new_cluster(snapshot)
        return self._clusters[index]

    def _new_cluster(self, snapshot: Metadata) -> Argument:
        listed = in_turn(snapshot)
        nodes = sorted({leader for _, _, leader in listed if leader is not None})
        topics = {name: self.topic(name) for name, _ in snapshot}
        leaders: dict[int | None, Argument] = {None: NULL}
        leaders |= {node: self._node(node) for node in nodes}
        rows: list[tuple[Argument, ...]] = [
            (topics[topic], integer(number), leaders[leader], NULL, NULL)
            for topic, number, leader in listed
        ]
        # Equal nodes, not the same ones: Cluster looks leaders up by id.
        node_list = self.each(self._symbols.node, list(map(self._node_row, nodes)), columns=4)
        infos = self.each(self._symbols.partition_info, rows, columns=5)
        empty = self.new_slot()
        self.call(self._symbols.empty_set, into=empty)
        cluster = self.new_slot()
        self.call(
            self._symbols.cluster,
            NULL,
            *(NULL, slot(node_list), slot(infos), slot(empty), slot(empty)),
            into=cluster,
        )
        return slot(cluster)

    def _node(self, number: int) -> Argument:
        if number not in self._nodes:
            node = self.new_slot()
            self.call(self._symbols.node, NULL, *self._node_row(number), into=node)
            self._nodes[number] = slot(node)
        return self._nodes[number]

    def _node_row(self, number: int) -> tuple[Argument, ...]:
        # Port 0, where nobody can listen: no producer may ever reach a broker by it.
        rack = self.topic(self._racks[number % len(self._racks)])
        return (integer(number), self.topic("localhost"), integer(0), rack)
