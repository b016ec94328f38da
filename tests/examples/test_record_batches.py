"""What surprises people about record batches, each fact on Java and on the port."""

import struct
from typing import Any

import pytest

from tests.examples.conftest import Perform, answers

VERSIONS = pytest.mark.parametrize("version", ["2.3.1", "3.2.3", "3.8.0", "4.4.0"])
CONFIG = {
    **{"codec": "none", "log_append_time": None, "base_offset": "0", "control": False},
    **{"leader_epoch": -1, "limit": 16384, "ratio": None},
    **{"producer_id": "-1", "epoch": -1, "sequence": -1, "transactional": False},
}
EMPTY = {"key": b"", "value": b"", "headers": []}


def append(timestamp: int = 0, **contents: Any) -> dict[str, Any]:
    return {"op": "append", "times": 1, "timestamp": str(timestamp), **EMPTY, **contents}


def has_room(**contents: Any) -> dict[str, Any]:
    return {"op": "has room", "timestamp": "0", **EMPTY, **contents}


def bits(ratio: float) -> str:
    """The nearest float32, as a double's bits."""
    (single,) = struct.unpack("f", struct.pack("f", ratio))
    return struct.pack(">d", single).hex()


BUILD = {"op": "build"}


def batch(perform: Perform, version: str, *steps: dict[str, Any], **config: Any) -> Any:
    return perform("record-batch", version, list(steps), config={**CONFIG, **config})


@VERSIONS
def test_a_record_without_bytes_is_bounded_by_85(perform: Perform, version: str) -> None:
    # 61 of the batch, 21 of the record, and a byte each for key, value and the count of headers.
    steps = [
        {"op": "upper bound", **EMPTY},
        {"op": "record size", "offset_delta": 0, "timestamp_delta": "0", **EMPTY},
    ]
    assert answers(perform("record-sizes", version, steps)) == [61 + 21 + 3, 7] == [85, 7]


@VERSIONS
def test_its_batch_has_68_bytes(perform: Perform, version: str) -> None:
    (_, built) = answers(batch(perform, version, append(), BUILD))
    assert len(built) == 61 + 7
    # A length of 6; no attributes, no time, no offset; no key, no value, no headers.
    assert built[61:].hex() == "0c000000000000"
    assert built[8:12] == (68 - 12).to_bytes(4, "big")
    assert built[16] == 2


@VERSIONS
def test_null_is_no_empty_value(perform: Perform, version: str) -> None:
    (_, built) = answers(batch(perform, version, append(key=None, value=None), BUILD))
    assert built[61:].hex() == "0c000000010100"  # lengths of -1


@VERSIONS
def test_a_batch_without_records_has_no_bytes(perform: Perform, version: str) -> None:
    assert answers(batch(perform, version, BUILD)) == [b""]


@VERSIONS
def test_a_batch_is_full_at_its_limit_and_its_first_record_may_exceed_it(
    perform: Perform, version: str
) -> None:
    trace = batch(perform, version, has_room(value=bytes(99)), append(), has_room(), limit=68)
    assert [step["answer"] for step in trace] == [1, None, 0]
    assert [step["state"]["full"] for step in trace] == [0, 1, 1]
    trace = batch(perform, version, append(), has_room(), limit=68 + 7)
    assert trace[-1]["answer"] == 1
    trace = batch(perform, version, append(), has_room(), limit=68 + 6)
    assert (trace[-1]["answer"], trace[-1]["state"]["full"]) == (0, 0)


@VERSIONS
def test_a_time_may_go_backwards(perform: Perform, version: str) -> None:
    (*_, built) = answers(batch(perform, version, append(1000), append(990), BUILD))
    first, largest = built[27:35], built[35:43]
    assert int.from_bytes(first, "big") == int.from_bytes(largest, "big") == 1000
    assert built[61 + 7 :].hex() == "0c00" + "1302" + "000000"  # -10 ms, offset 1


@VERSIONS
def test_an_estimate_counts_5_percent_more_and_the_next_record_in_full(
    perform: Perform, version: str
) -> None:
    trace = batch(perform, version, append(value=bytes(993)), codec="gzip", ratio=bits(0.5))
    # 61 and int((993 + 9) * 0.5 * 1.05), in 32 bits.
    assert trace[0]["state"]["uncompressed size"] == 61 + 1002
    assert trace[0]["state"]["estimated size"] == 61 + 526


@VERSIONS
def test_half_a_character_makes_a_record_that_nobody_can_read(
    perform: Perform, version: str
) -> None:
    """Java counts three bytes for it (four for a high one), and writes a question mark."""
    (_, built) = answers(batch(perform, version, append(headers=[["\ude00", None]]), BUILD))
    length, written = built[61] // 2, len(built) - 62
    assert (length, written) == (11, 9)


@VERSIONS
def test_an_estimate_falls_by_a_small_step(perform: Perform, version: str) -> None:
    step = {"op": "update", "topic": "t", "codec": "lz4", "ratio": bits(0.5)}
    (answer,) = answers(perform("compression-ratio", version, [step]))
    assert answer == {"double": bits(0.995)}


@pytest.mark.parametrize(("version", "estimate"), [("2.3.1", 0.995), ("3.2.3", 0.999)])
def test_an_estimate_stops_at_what_was_observed_since_2_5(
    perform: Perform, version: str, estimate: float
) -> None:
    step = {"op": "update", "topic": "t", "codec": "lz4", "ratio": bits(0.999)}
    (answer,) = answers(perform("compression-ratio", version, [step]))
    assert answer == {"double": bits(estimate)}


@VERSIONS
def test_a_sequence_number_wraps_to_0(perform: Perform, version: str) -> None:
    last = 2**31 - 1
    steps = [{"op": "sequence", "sequence": sequence, "by": 1} for sequence in (last, 0)]
    assert answers(perform("record-sizes", version, steps)) == [[0, last - 1], [1, last]]
