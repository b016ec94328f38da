"""Cases of compressed batches whose streams use what the codecs' formats allow."""

from functools import cache
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.model.case import Case, Operation
from conformance.strategies.packed import Choices, packed
from conformance.strategies.records import frames, wire
from conformance.strategies.records.batch_cases import NOW
from conformance.strategies.records.contents import DATA_BYTES, data_of
from conformance.strategies.records.wire import WireBatch, WireRecord

_KINDS: Final = ("read", "columns", "records")
_WRONG: Final = (None, None, frames.HEADER, frames.HEADER, frames.CHECKSUM)
_MOST_RECORDS: Final = 4
_CUT: Final = "compressed cut"
_STEP_BYTES: Final = 10 + _MOST_RECORDS * 2 * DATA_BYTES + frames.FRAME_BYTES
DAMAGES: Final = {
    frames.CHECKSUM: "a checksum that the codec itself takes, of a header or of contents, is wrong",
    frames.HEADER: "the header of a codec's stream is wrong or cut off; its checksum is right",
    _CUT: "the last bytes of an LZ4 frame are missing, those of its last checksum first",
}
"""What may be wrong with a stream, with its meaning."""


@cache
def stream_cases() -> SearchStrategy[Case]:
    """One to three reads of a batch each."""
    steps = st.lists(packed(_STEP_BYTES, _step), min_size=1, max_size=3)
    return steps.map(lambda some: {"config": {}, "metadata": [], "steps": some})


def _step(of: Choices) -> Operation:
    operation, wrong = of.one_of(_KINDS), of.one_of(_WRONG)
    codec = of.one_of(frames.WITH_CHECKSUMS if wrong == frames.CHECKSUM else wire.COMPRESSED)
    count = of.one_of((1, 2, 3, 4, 1, 2, 3, 0))
    records = wire.Records()
    for number in range(count):
        key, value = data_of(of.part(DATA_BYTES), rare=False), data_of(of.part(DATA_BYTES))
        records.write(WireRecord(0, number, key, value))
    stream, odd = frames.framed(codec, of.part(frames.FRAME_BYTES), records.data, wrong)
    cut, less = of.below(5), of.between(1, 5)
    if codec == "lz4" and wrong is None and cut == 4:
        stream, wrong = stream[:-less], _CUT
    batch = WireBatch(
        attributes=wire.CODEC_IDS[codec],
        last_offset_delta=max(0, count - 1),
        base_timestamp=NOW,
        max_timestamp=NOW,
        records=stream,
        count=count,
    )
    return {"op": operation, "data": batch.written(), "damage": wrong, "codec": codec, "odd": odd}
