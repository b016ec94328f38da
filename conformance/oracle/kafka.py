"""The parts of a program that every behaviour needs: topics and cluster metadata."""

from collections.abc import Mapping, Sequence

from conformance.model.case import Metadata
from conformance.model.program import NULL, Argument, Linker, Program, integer, slot
from conformance.oracle.kafka_classes import CLUSTER, COMMON, STRING

_NODE = f"{COMMON}.Node"
_NODES = f"[L{_NODE};"
_NODE_COUNT = 3
NO_RACKS = (None,) * _NODE_COUNT


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

    ``racks`` are those of nodes 0, 1 and 2, null for one that has none, as most have none.
    """

    def __init__(self, symbols: ClusterSymbols, racks: Sequence[str | None] = NO_RACKS) -> None:
        super().__init__()
        self._racks = racks
        self._symbols = symbols
        self._topics: dict[str | None, Argument] = {None: NULL}
        self._clusters: dict[int, Argument] = {}
        self._nodes: list[Argument] = []

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
        nodes = self._node_slots()
        rows: list[tuple[Argument, ...]] = [
            (
                self.topic(topic),
                integer(number),
                NULL if leader is None else nodes[leader % _NODE_COUNT],
                NULL,
                NULL,
            )
            for topic, partitions in snapshot
            for number, leader in partitions
        ]
        infos = self.each(self._symbols.partition_info, rows, columns=5)
        empty = self.new_slot()
        self.call(self._symbols.empty_set, into=empty)
        cluster = self.new_slot()
        self.call(
            self._symbols.cluster,
            NULL,
            *(NULL, slot(self._node_list), slot(infos), slot(empty), slot(empty)),
            into=cluster,
        )
        return slot(cluster)

    def _node_slots(self) -> list[Argument]:
        if not self._nodes:
            rows: list[tuple[Argument, ...]] = []
            for number in range(_NODE_COUNT):
                # Port 0, where nobody can listen: no producer may ever reach a broker by it.
                rack = self.topic(self._racks[number])
                row = (integer(number), self.topic("localhost"), integer(0), rack)
                node = self.new_slot()
                self.call(self._symbols.node, NULL, *row, into=node)
                self._nodes.append(slot(node))
                rows.append(row)
            # Equal nodes, not the same ones: Cluster looks leaders up by id.
            self._node_list = self.each(self._symbols.node, rows, columns=4)
        return self._nodes
