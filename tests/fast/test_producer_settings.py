"""A producer's settings without Java: defaults, bounds, and what follows from what.

The figures are those of Kafka's own documentation of the producer's settings;
tests/oracle/test_producer_settings.py holds the same class to the real ``ProducerConfig``.
"""

from dataclasses import FrozenInstanceError

import pytest

from python_impl.errors import JavaConfigError
from python_impl.producer.producer_settings import ProducerSettings, knows

INT, LONG = 2**31 - 1, 2**63 - 1
BOUNDS = {
    "batch.size": (0, INT),
    "buffer.memory": (0, LONG),
    "linger.ms": (0, LONG),
    "max.block.ms": (0, LONG),
    "max.in.flight.requests.per.connection": (1, INT),
    "max.request.size": (0, INT),
    "partitioner.availability.timeout.ms": (0, LONG),
    "request.timeout.ms": (0, INT),
    "retries": (0, INT),
    "retry.backoff.max.ms": (0, LONG),
    "retry.backoff.ms": (0, LONG),
    "delivery.timeout.ms": (0, INT),
}
DEFAULTS = {
    "acks": -1,
    "batch.size": 16_384,
    "buffer.memory": 33_554_432,
    "compression.type": "none",
    "delivery.timeout.ms": None,
    "enable.idempotence": None,
    "linger.ms": 0,
    "max.block.ms": 60_000,
    "max.in.flight.requests.per.connection": 5,
    "max.request.size": 1_048_576,
    "partitioner.adaptive.partitioning.enable": True,
    "partitioner.availability.timeout.ms": 0,
    "partitioner.ignore.keys": False,
    "request.timeout.ms": 30_000,
    "retries": INT,
    "retry.backoff.max.ms": 1000,
    "retry.backoff.ms": 100,
}
NOT_IDEMPOTENT = {"enable.idempotence": "false"}
VERSIONS = ("2.3.1", "3.2.3", "3.8.0", "4.4.0")


def of(version: str = "3.8.0", **settings: object) -> ProducerSettings:
    named = {name.replace("_", "."): value for name, value in settings.items()}
    return ProducerSettings.of(named, version)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_defaults_of_a_version(version: str) -> None:
    expected = dict(DEFAULTS)
    if version == "2.3.1":
        expected |= {"acks": 1, "enable.idempotence": False}
    if version == "4.4.0":
        expected |= {"linger.ms": 5}
    made = ProducerSettings.of({}, version)
    assert {name: getattr(made, name.replace(".", "_")) for name in DEFAULTS} == expected
    assert made.idempotent == (version != "2.3.1")
    assert made.delivery_timeout == 120_000


@pytest.mark.parametrize("name", BOUNDS)
def test_a_number_is_taken_within_its_bounds(name: str) -> None:
    # So that nothing else refuses it, such as a delivery.timeout.ms that is too small.
    others = {**NOT_IDEMPOTENT, "request.timeout.ms": "0"}
    for value in BOUNDS[name]:
        made = ProducerSettings.of({**others, name: str(value)}, "3.8.0")
        assert getattr(made, name.replace(".", "_")) == value
    for value in (BOUNDS[name][0] - 1, BOUNDS[name][1] + 1):
        with pytest.raises(JavaConfigError, match=f"{name} is {value}"):
            ProducerSettings.of({**others, name: str(value)}, "3.8.0")


@pytest.mark.parametrize(
    ("linger", "request_timeout", "delivery"),
    [
        (0, 30_000, 120_000),
        (90_000, 30_000, 120_000),
        (90_001, 30_000, 120_001),
        (100_000, 30_001, 130_001),
        (INT - 30_000, 30_000, INT),
        (INT, 1, INT),
        (LONG, 30_000, INT),
        (0, INT, INT),
    ],
)
def test_the_delivery_timeout_is_no_less_than_linger_and_request_timeout(
    linger: int, request_timeout: int, delivery: int
) -> None:
    settings = {"linger.ms": linger, "request.timeout.ms": request_timeout}
    made = ProducerSettings.of(settings, "3.8.0")
    assert made.delivery_timeout == delivery
    least = min(linger + request_timeout, INT)
    asked = ProducerSettings.of({**settings, "delivery.timeout.ms": least}, "3.8.0")
    assert asked.delivery_timeout == least
    with pytest.raises(JavaConfigError, match=r"less than linger\.ms"):
        ProducerSettings.of({**settings, "delivery.timeout.ms": least - 1}, "3.8.0")


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("retries", 0, "retries must not be 0"),
        ("acks", 1, "acks must be all, not 1"),
        ("acks", 0, "acks must be all, not 0"),
        ("max.in.flight.requests.per.connection", 6, "must be 5 at most, not 6"),
    ],
)
def test_what_an_idempotent_producer_cannot_be_told(setting: str, value: int, words: str) -> None:
    with pytest.raises(JavaConfigError, match=words):
        ProducerSettings.of({"enable.idempotence": "true", setting: value}, "3.8.0")
    given_up = ProducerSettings.of({setting: value}, "3.8.0")
    assert (given_up.enable_idempotence, given_up.idempotent) == (None, False)


@pytest.mark.parametrize(("setting", "value"), [("retries", 1), ("acks", "all"), ("acks", -1)])
def test_what_it_can_be_told(setting: str, value: object) -> None:
    assert ProducerSettings.of({setting: value}, "3.8.0").idempotent
    assert ProducerSettings.of({setting: value, "enable.idempotence": "TRUE"}, "3.8.0").idempotent
    assert not ProducerSettings.of({setting: value, **NOT_IDEMPOTENT}, "3.8.0").idempotent


@pytest.mark.parametrize("version", VERSIONS)
def test_more_requests_in_flight_are_refused_since_4(version: str) -> None:
    name = "max.in.flight.requests.per.connection"
    assert ProducerSettings.of({name: 5}, version).idempotent == (version != "2.3.1")
    assert not ProducerSettings.of({name: 6, **NOT_IDEMPOTENT}, version).idempotent
    if version == "4.4.0":
        with pytest.raises(JavaConfigError, match=r"5 at most, unless enable\.idempotence is"):
            ProducerSettings.of({name: 6}, version)
    else:
        assert not ProducerSettings.of({name: 6}, version).idempotent


def test_idempotence_before_3_asks_for_all_acks_by_itself() -> None:
    # KafkaProducer.configureAcks of 2.3.1: a default of acks gives way, a setting does not.
    assert not of("2.3.1").idempotent
    made = of("2.3.1", enable_idempotence="true")
    assert (made.acks, made.idempotent) == (-1, True)
    with pytest.raises(JavaConfigError, match="acks must be all, not 1"):
        of("2.3.1", enable_idempotence="true", acks="1")


@pytest.mark.parametrize("value", ["all", "-1", " 1 ", "0"])
def test_acks(value: str) -> None:
    assert of(acks=value).acks == {"all": -1, "-1": -1, " 1 ": 1, "0": 0}[value]


def test_acks_as_a_number_of_the_class() -> None:
    with pytest.raises(JavaConfigError, match="acks is 2"):
        ProducerSettings(acks=2)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"acks": "2"}, "acks is 2: all, -1, 0 or 1 is taken"),
        ({"compression.type": "brotli"}, "compression.type is brotli: one of none, gzip, snappy"),
        ({"partitioner.ignore.keys": "yes"}, "partitioner.ignore.keys is yes: true or false"),
        ({"enable.idempotence": "1"}, "enable.idempotence is 1: true or false is taken"),
        ({"linger.ms": "5ms"}, "linger.ms is 5ms: a whole number is taken"),
        ({"batch.size": "1.5"}, "batch.size is 1.5: a whole number is taken"),
        ({"batch.size": "1_000"}, "batch.size is 1_000: a whole number is taken"),
        ({"retries": "\U0001d7d3"}, "retries is \U0001d7d3: a whole number is taken"),
        ({"delivery.timeout.ms": "100"}, "less than linger.ms"),
        ({"liger.ms": "5"}, "did you mean linger.ms?"),
        ({"linger.m": "5"}, "did you mean linger.ms?"),
        ({"zzz": "5"}, "zzz is no setting of a producer here: acks, batch.size"),
    ],
)
def test_what_is_refused_says_what_is_taken(settings: dict[str, str], words: str) -> None:
    with pytest.raises(JavaConfigError) as refused:
        ProducerSettings.of(settings, "3.8.0")
    assert words in str(refused.value)


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_values_are_read_as_texts(codec: str) -> None:
    made = of(compression_type=codec, partitioner_ignore_keys="True", linger_ms=" 7 ")
    assert (made.compression_type, made.partitioner_ignore_keys, made.linger_ms) == (codec, True, 7)
    assert of(partitioner_adaptive_partitioning_enable="FALSE").linger_ms == 0


@pytest.mark.parametrize(
    ("name", "first"), [("partitioner.ignore.keys", "3.3.0"), ("retry.backoff.max.ms", "3.7.0")]
)
def test_a_setting_of_a_later_release_has_no_effect(name: str, first: str) -> None:
    major, minor, _ = first.split(".")
    before = f"{major}.{int(minor) - 1}.9"
    assert (knows(before, name), knows(first, name)) == (False, True)
    assert ProducerSettings.of({name: "nonsense"}, before) == ProducerSettings.of({}, before)
    with pytest.raises(JavaConfigError, match=f"{name} is nonsense"):
        ProducerSettings.of({name: "nonsense"}, first)


def test_settings_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        of().linger_ms = 5  # type: ignore[misc]
