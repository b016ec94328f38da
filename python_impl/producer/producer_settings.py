"""A producer's settings, under Kafka's names, with Kafka's defaults and refusals.

Follows ``org.apache.kafka.clients.producer.ProducerConfig`` and
``KafkaProducer.configureDeliveryTimeout`` (2.3.1 to 4.4.0), and for idempotence
``ProducerConfig.postProcessAndValidateIdempotenceConfigs`` (3.2.3 to 4.4.0).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Any, Final

from ..errors import JavaConfigError

_INT: Final = 2**31 - 1
_LONG: Final = 2**63 - 1
COMPRESSION_TYPES: Final = ("none", "gzip", "snappy", "lz4", "zstd")
_MOST_IN_FLIGHT: Final = 5
"""Requests of which a broker remembers the sequences."""
_REFUSES_MORE_IN_FLIGHT: Final = 4
"""The major version since which a default idempotence is not given up for more requests."""
_ACKS: Final = {"all": -1, "-1": -1, "0": 0, "1": 1}
ARRIVED: Final[Mapping[str, tuple[int, int]]] = {
    "partitioner.adaptive.partitioning.enable": (3, 3),
    "partitioner.availability.timeout.ms": (3, 3),
    "partitioner.ignore.keys": (3, 3),
    "retry.backoff.max.ms": (3, 7),
}
"""The release in which a setting arrived (KIP-794, KIP-580), if it was not always there."""
_WHITESPACE: Final = "".join(map(chr, range(0x21)))
"""What ``String.trim`` takes off."""
_WHOLE_NUMBER: Final = re.compile(r"[+-]?\d+")


def _number(default: int, least: int, most: int) -> Any:
    return field(default=default, metadata={"least": least, "most": most})


@dataclass(frozen=True, slots=True)
class ProducerSettings:
    """What a producer is told; each field is a setting of that name with dots for underscores.

    Sizes are bytes and times ms. The defaults are those of 3.0 to 3.9; :meth:`defaults_of` has
    those of another version. ``acks`` of -1 is ``all``. ``compression_type`` is one of
    :data:`COMPRESSION_TYPES`. ``delivery_timeout_ms`` None is the default, which grows with other
    settings where it must.

    ``enable_idempotence`` None is the default since 3.0: on, unless other settings exclude it.

    Raises :class:`JavaConfigError` for what the client refuses: a number out of its range, a
    ``delivery.timeout.ms`` that is less than ``linger.ms`` and ``request.timeout.ms`` together, or
    settings that exclude an idempotence that is asked for.
    """

    acks: int = -1
    batch_size: int = _number(16384, 0, _INT)
    buffer_memory: int = _number(32 << 20, 0, _LONG)
    compression_type: str = "none"
    delivery_timeout_ms: int | None = None
    enable_idempotence: bool | None = None
    linger_ms: int = _number(0, 0, _LONG)
    max_block_ms: int = _number(60_000, 0, _LONG)
    max_in_flight_requests_per_connection: int = _number(5, 1, _INT)
    max_request_size: int = _number(1 << 20, 0, _INT)
    partitioner_adaptive_partitioning_enable: bool = True
    partitioner_availability_timeout_ms: int = _number(0, 0, _LONG)
    partitioner_ignore_keys: bool = False
    request_timeout_ms: int = _number(30_000, 0, _INT)
    retries: int = _number(_INT, 0, _INT)
    retry_backoff_max_ms: int = _number(1000, 0, _LONG)
    retry_backoff_ms: int = _number(100, 0, _LONG)

    def __post_init__(self) -> None:
        for setting in fields(self):
            value = getattr(self, setting.name)
            if setting.metadata and not (
                setting.metadata["least"] <= value <= setting.metadata["most"]
            ):
                bounds = f"{setting.metadata['least']} to {setting.metadata['most']}"
                raise JavaConfigError(f"{kafka_name(setting.name)} is {value}: {bounds} is taken")
        if self.acks not in _ACKS.values():
            raise JavaConfigError(f"acks is {self.acks}: all, -1, 0 or 1 is taken")
        if self.compression_type not in COMPRESSION_TYPES:
            known = ", ".join(COMPRESSION_TYPES)
            raise JavaConfigError(f"compression.type is {self.compression_type}: one of {known}")
        if self.delivery_timeout_ms is not None:
            self._check_delivery_timeout(self.delivery_timeout_ms)
        excluding = self._excluding_idempotence()
        if self.enable_idempotence and excluding is not None:
            raise JavaConfigError(f"enable.idempotence is true: {excluding}")

    def _excluding_idempotence(self) -> str | None:
        """What an idempotent producer cannot be told."""
        if self.retries == 0:
            return "retries must not be 0"
        if self.acks != _ACKS["all"]:
            return f"acks must be all, not {self.acks}"
        most, limit = self.max_in_flight_requests_per_connection, _MOST_IN_FLIGHT
        if most > limit:
            return f"max.in.flight.requests.per.connection must be {limit} at most, not {most}"
        return None

    @property
    def idempotent(self) -> bool:
        """Whether batches are numbered, so that a broker takes each of them once."""
        if self.enable_idempotence is None:
            return self._excluding_idempotence() is None
        return self.enable_idempotence

    def _check_delivery_timeout(self, delivery_timeout_ms: int) -> None:
        if not 0 <= delivery_timeout_ms <= _INT:
            raise JavaConfigError(
                f"delivery.timeout.ms is {delivery_timeout_ms}: 0 to {_INT} is taken"
            )
        if delivery_timeout_ms < self._least_delivery_timeout_ms:
            raise JavaConfigError(
                f"delivery.timeout.ms is {delivery_timeout_ms}, less than linger.ms "
                f"({self.linger_ms}) and request.timeout.ms ({self.request_timeout_ms}) together"
            )

    @property
    def _least_delivery_timeout_ms(self) -> int:
        return min(min(self.linger_ms, _INT) + self.request_timeout_ms, _INT)

    @property
    def delivery_timeout(self) -> int:
        """``delivery.timeout.ms`` as it is used: by default two minutes, or more if need be."""
        if self.delivery_timeout_ms is not None:
            return self.delivery_timeout_ms
        return max(120_000, self._least_delivery_timeout_ms)

    @classmethod
    def defaults_of(cls, version: str) -> dict[str, Any]:
        """What differs in a version (``"2.3.1"``) from the defaults of 3.0 to 3.9, by field."""
        major = _major(version)
        if major < 3:
            return {"acks": 1, "enable_idempotence": False}
        return {"linger_ms": 5} if major >= 4 else {}

    @classmethod
    def of(cls, settings: Mapping[str, object], version: str) -> "ProducerSettings":
        """Settings by Kafka's names, as strings or values, over the defaults of a version.

        Raises :class:`JavaConfigError` for what the client refuses, and for a name that is no
        setting of the port: Java only warns of it, which helps nobody. Since 4.0 also for more than
        five requests in flight, unless idempotence is off; before, it is then off by itself.

        A setting of a later release (:data:`ARRIVED`) has no effect, whatever its value, as in
        Java; :func:`knows` tells.
        """
        taken = cls.defaults_of(version)
        types = {kafka_name(setting.name): setting for setting in fields(cls)}
        for name, value in settings.items():
            if name not in types:
                near = get_close_matches(name, types, 1)
                hint = f"; did you mean {near[0]}?" if near else f": {', '.join(types)}"
                raise JavaConfigError(f"{name} is no setting of a producer here{hint}")
            if knows(version, name):
                taken[types[name].name] = _parsed(name, types[name].default, value)
        if taken.get("enable_idempotence") and "acks" not in settings:
            taken["acks"] = _ACKS["all"]  # the default before 3.0 gives way
        made = cls(**taken)
        if made.enable_idempotence is None and _major(version) >= _REFUSES_MORE_IN_FLIGHT:
            most = made.max_in_flight_requests_per_connection
            if most > _MOST_IN_FLIGHT:
                raise JavaConfigError(
                    f"max.in.flight.requests.per.connection is {most}: {_MOST_IN_FLIGHT} at most, "
                    "unless enable.idempotence is false"
                )
        return made


def _major(version: str) -> int:
    return int(version.split(".", maxsplit=1)[0])


def knows(version: str, name: str) -> bool:
    """Whether a release (``"2.3.1"``) has the setting of that name; it ignores any other."""
    major, minor = map(int, version.split(".")[:2])
    return (major, minor) >= ARRIVED.get(name, (0, 0))


def kafka_name(field_name: str) -> str:
    """The setting that a field holds: ``linger.ms`` for ``linger_ms``."""
    return field_name.replace("_", ".")


def _parsed(name: str, default: object, value: object) -> Any:
    """A value as ``ConfigDef.parseType`` reads it."""
    text = str(value).strip(_WHITESPACE)
    if name == "acks":
        if text not in _ACKS:
            raise JavaConfigError(f"acks is {text}: all, -1, 0 or 1 is taken")
        return _ACKS[text]
    if isinstance(default, str):
        return text
    if isinstance(default, bool) or name == "enable.idempotence":
        if text.lower() not in ("true", "false"):
            raise JavaConfigError(f"{name} is {text}: true or false is taken")
        return text.lower() == "true"
    # Java's digits are those of all scripts that need no surrogates; Python's int takes more.
    if not _WHOLE_NUMBER.fullmatch(text) or any(ord(one) > 0xFFFF for one in text):
        raise JavaConfigError(f"{name} is {text}: a whole number is taken")
    return int(text)
