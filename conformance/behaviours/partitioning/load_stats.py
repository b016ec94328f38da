"""``updatePartitionLoadStats``: queue sizes to cumulative table to choice."""

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.partitioning.built_in_history import BuiltInHistory, built_in_ways
from conformance.behaviours.partitioning.built_in_labels import LOAD_CLASSES, TABLE_CLASSES
from conformance.behaviours.partitioning.dimensions.histories import FIRST_DRAW
from conformance.behaviours.partitioning.dimensions.loads import LOADED, LOADS
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.strategies.partitioning.built_in_histories import load_cases


class LoadStats(BuiltInHistory):
    """One table after another, each followed by choices from it."""

    name = "load-stats"
    summary = "queue sizes become a cumulative table of weights (max + 1 - size), in int32"
    ways = built_in_ways("updatePartitionLoadStats")
    meaning = (
        "Queues are weighed otherwise than with Java: partitions of slow brokers may get too "
        "much, or too little."
    )
    dimensions = (LOADED, FIRST_DRAW, *LOADS)
    interesting = {
        **LOAD_CLASSES,
        **TABLE_CLASSES,
        "error": "a step that the client answers with an exception",
        "negative draw": "mockRandom answers a negative number",
    }

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Tables of all kinds, with draws over the whole of int32."""
        return load_cases()
