"""What a producer makes of its settings: worked examples, on the real one and on the port."""

from typing import Any

import pytest

from conformance.behaviours.producing.configured_producer import PARTS, REFUSED
from conformance.model.values import int64
from tests.examples.conftest import Perform

VERSIONS = pytest.mark.parametrize("version", ["2.3.1", "3.2.3", "3.8.0", "4.4.0"])


def configured(perform: Perform, version: str, **settings: str) -> Any:
    """By their names, what the parts of a producer were told; or that it is refused."""
    named = {name.replace("_", "."): text for name, text in settings.items()}
    step = {"op": "configure", "settings": named, "partitioner": False}
    [made] = perform("configured-producer", version, [step])
    answer = made["answer"]
    return answer if answer == REFUSED else dict(zip(PARTS, answer, strict=True))


@VERSIONS
def test_defaults(perform: Perform, version: str) -> None:
    made = configured(perform, version)
    assert made["linger.ms"] == (5 if version == "4.4.0" else 0)
    assert made["acks"] == (1 if version == "2.3.1" else -1)
    assert (made["batch.size"], made["retries"]) == (16384, 2**31 - 1)
    # Documented by Kafka: KIP-794 and KIP-580.
    later = version in ("3.8.0", "4.4.0")
    assert made["partitioner.adaptive.partitioning.enable"] == (1 if later else None)
    assert made["retry.backoff.max.ms"] == (int64(1000) if later else None)


@VERSIONS
def test_a_delivery_timeout_grows_if_nobody_told_it(perform: Perform, version: str) -> None:
    assert configured(perform, version, linger_ms="100000")["delivery.timeout.ms"] == 130_000
    told = {"linger_ms": "100000", "delivery_timeout_ms": "129999"}
    assert configured(perform, version, **told) == REFUSED
    told["delivery_timeout_ms"] = "130000"
    assert configured(perform, version, **told)["delivery.timeout.ms"] == 130_000


@VERSIONS
def test_a_batch_of_0_bytes_is_one_of_1_since_3_3(perform: Perform, version: str) -> None:
    made = configured(perform, version, batch_size="0")
    later = version in ("3.8.0", "4.4.0")
    assert made["batch.size"] == made["size of its buffers"] == int(later)


@VERSIONS
def test_a_linger_of_years_is_an_int32(perform: Perform, version: str) -> None:
    assert configured(perform, version, linger_ms=str(2**63 - 1))["linger.ms"] == 2**31 - 1
    assert configured(perform, version, linger_ms=str(2**63)) == REFUSED


@VERSIONS
@pytest.mark.parametrize(
    ("text", "number"),
    [("+5", 5), (" 5\t", 5), ("\u06655", 55), ("\U0001d7d35", None), ("5.0", None), ("", None)],
)
def test_a_number_as_java_reads_it(
    perform: Perform, version: str, text: str, number: int | None
) -> None:
    made = configured(perform, version, retries=text, enable_idempotence="false")
    assert (None if made == REFUSED else made["retries"]) == number


@VERSIONS
def test_more_requests_in_flight_than_a_broker_remembers(perform: Perform, version: str) -> None:
    made = configured(perform, version, max_in_flight_requests_per_connection="6")
    if version == "4.4.0":
        assert made == REFUSED
    else:
        assert made["backoff of ids (null: not idempotent)"] is None
