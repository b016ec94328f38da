"""``BuiltInPartitioner`` without load stats: uniform, sticky by bytes (KIP-794)."""

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.partitioning.built_in_history import BuiltInHistory, built_in_ways
from conformance.behaviours.partitioning.built_in_labels import RAW_DRAW_CLASSES, STICKY_CLASSES
from conformance.behaviours.partitioning.dimensions.histories import BUILT_IN_HISTORIES
from conformance.behaviours.partitioning.dimensions.metadata import METADATA
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.strategies.partitioning.built_in_histories import built_in_cases


class BuiltIn(BuiltInHistory):
    """Peek, isPartitionChanged and both forms of updatePartitionInfo, interleaved."""

    name = "built-in"
    summary = (
        "null keys stick to a partition for batch.size bytes, then any available one (KIP-794)"
    )
    ways = built_in_ways("updatePartitionInfo")
    meaning = (
        "Records without key go to another partition than with Java, or change it at another "
        "byte: batches may be smaller, and shares less even."
    )
    sampled = True
    weight = 1.5
    dimensions = (*METADATA, *BUILT_IN_HISTORIES)
    interesting = {**STICKY_CLASSES, **RAW_DRAW_CLASSES}

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Histories without load stats."""
        return built_in_cases(load=False)
