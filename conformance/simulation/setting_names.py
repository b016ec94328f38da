"""Settings of a producer as a user writes them: which are simulated, and Kafka's others."""

from collections.abc import Iterable
from typing import Final

from conformance.errors import UsageError

_NOT_SIMULATED: Final = frozenset(
    (
        *("bootstrap.servers", "client.dns.lookup", "client.id", "client.rack"),
        *("compression.gzip.level", "compression.lz4.level", "compression.zstd.level"),
        *("connections.max.idle.ms", "enable.metrics.push", "interceptor.classes"),
        *("key.serializer", "value.serializer", "metadata.max.age.ms", "metadata.max.idle.ms"),
        *("metadata.recovery.strategy", "metric.reporters", "metrics.num.samples"),
        *("metrics.recording.level", "metrics.sample.window.ms", "auto.include.jmx.reporter"),
        *("receive.buffer.bytes", "send.buffer.bytes"),
        *("reconnect.backoff.ms", "reconnect.backoff.max.ms"),
        *("socket.connection.setup.timeout.ms", "socket.connection.setup.timeout.max.ms"),
        *("transaction.timeout.ms", "transactional.id"),
    )
)
"""Of Kafka's ``ProducerConfig``; names of security have prefixes."""
_PREFIXES: Final = ("sasl.", "security.", "ssl.")


def settings_of(texts: Iterable[str]) -> dict[str, str]:
    """``linger.ms=5`` and so on; raises :class:`UsageError`."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name or not value:
            raise UsageError(f"--set {text} sets nothing.", "Write it like --set linger.ms=5.")
        if name in found:
            raise UsageError(f"--set names {name} twice.", "Name it once.")
        found[name] = value
    return found


def check_simulated(names: Iterable[str]) -> None:
    """Raise :class:`UsageError` for a setting of Kafka's that the simulator does not have."""
    for name in names:
        if name in _NOT_SIMULATED or name.startswith(_PREFIXES):
            raise UsageError(
                f"{name} is a setting of Kafka's producer, but it is not simulated.",
                "Leave it out: docs/simulator.md says what is simulated, and what is not.",
            )
