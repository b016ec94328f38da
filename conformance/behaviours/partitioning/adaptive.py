"""``BuiltInPartitioner`` with load stats that come and go between its choices (KIP-794)."""

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.partitioning.built_in_history import BuiltInHistory, built_in_ways
from conformance.behaviours.partitioning.built_in_labels import LOAD_CLASSES, STICKY_CLASSES
from conformance.behaviours.partitioning.dimensions.histories import BUILT_IN_HISTORIES
from conformance.behaviours.partitioning.dimensions.loads import LOADS
from conformance.behaviours.partitioning.dimensions.metadata import METADATA
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.strategies.partitioning.built_in_histories import built_in_cases


class Adaptive(BuiltInHistory):
    """The whole class: everything that ``built-in`` does, and queue sizes that change."""

    name = "adaptive"
    summary = "partitions with shorter queues are chosen more often; slow ones can be excluded"
    ways = built_in_ways("nextPartition")
    meaning = (
        "Under load another partition is chosen than with Java: slow brokers may not be relieved."
    )
    sampled = True
    weight = 1.5
    dimensions = (*METADATA, *BUILT_IN_HISTORIES, *LOADS)
    interesting = {**STICKY_CLASSES, **LOAD_CLASSES}

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Histories in which load stats are installed, replaced and withdrawn."""
        return built_in_cases(load=True)
