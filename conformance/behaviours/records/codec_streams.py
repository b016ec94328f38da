"""Compressed batches whose streams use what the codecs' formats allow, and no usual writer does.

Vocabulary and answers are those of :mod:`.batch_reading`. No testee is asked: libraries differ in
what they make of such streams, and nobody sends them.
"""

from collections.abc import Iterator
from typing import ClassVar

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.records.batch_reading import BatchReading
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.dimension import numbers
from conformance.model.trace import Trace
from conformance.strategies.records.frames import FEATURES, features
from conformance.strategies.records.stream_cases import DAMAGES, stream_cases
from conformance.strategies.records.wire import CODEC_IDS, OVERHEAD


class CodecStreams(BatchReading):
    """The same methods of the client, and only batches that are compressed."""

    name = "codec-streams"
    summary = "streams of gzip, snappy, lz4 and zstd with all that their formats allow"
    operations = ("read", "columns", "records")
    only_with: ClassVar = {}
    for_testees = False
    weight = 0.6
    interesting = {
        **{codec: f"records compressed by {codec}" for codec in CODEC_IDS if codec != "none"},
        **FEATURES,
        **{f"damage: {damage}": meaning for damage, meaning in DAMAGES.items()},
        "undamaged": "streams that are right",
        "refused records": "a stream that is refused",
        "refused columns": "a segment that is refused as a whole",
        "refused batches": "records of whole batches up to one that is refused",
        "columns": "records as columns",
        "consumed records": "records as a consumer hands them out",
        "empty batch": "a batch without records, whose stream holds nothing",
    }
    contexts = tuple(label for label in interesting if label.startswith("damage: "))
    dimensions = (
        numbers(
            "bytes",
            "bytes of a batch",
            (OVERHEAD, OVERHEAD + 16, 128, 256, 1024),
            lambda case: (len(step["data"]) for step in case["steps"]),
        ),
    )

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Reads of one batch each."""
        return stream_cases()

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        yield from (label for label in super().labels(case, trace) if label in self.interesting)
        for operation in case["steps"]:
            yield from features(operation["data"])
