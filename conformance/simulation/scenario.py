"""What is simulated: a producer with its settings and version, records, a cluster, a seed."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Final

from conformance.errors import UsageError
from conformance.names import unknown
from conformance.simulation.arrivals import Arrivals, Load
from conformance.simulation.brokers import ClusterPlan
from conformance.simulation.partitioners import (
    PARTITIONER_CLASS,
    check_partitioner,
    partitioner_class,
)
from conformance.simulation.quantities import SECOND, Micros, exact_text
from conformance.simulation.setting_names import check_simulated
from python_impl import kafka_2_3_1, kafka_3_2_3, kafka_3_8_0, kafka_4_4_0
from python_impl.errors import JavaConfigError
from python_impl.producer.kafka_producer import KafkaProducer
from python_impl.producer.producer_settings import ProducerSettings

RELEASES: Final[Mapping[str, ModuleType]] = {
    release.VERSION: release for release in (kafka_2_3_1, kafka_3_2_3, kafka_3_8_0, kafka_4_4_0)
}
"""The port of each version of the client."""
MOST_VARIANTS: Final = 12
RANDOM_SHARE: Final = 0.5
_DOUBLES_TO_A_NEGATIVE: Final = 1 << 30
"""A ``batch.size`` from which twice as much is no int32."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One run; ``until_us`` ends it, whatever records are still on their way.

    ``request_us`` is what the producer's sender takes for a request, to build it and to handle
    its answer: meanwhile it sends nothing else, and batches fill.

    ``random_share`` of each value is random bytes (0 to 1), which matters with compression only.
    Raises :class:`UsageError` for a version that there is not, and for settings that the client
    refuses.
    """

    load: Arrivals
    cluster: ClusterPlan = field(default_factory=ClusterPlan)
    client: str = "3.8.0"
    settings: Mapping[str, str] = field(default_factory=dict)
    random_share: float = RANDOM_SHARE
    seed: int = 0
    until_us: Micros = 86_400 * SECOND
    request_us: Micros = 0
    name: str = ""
    """What sets it apart from those beside it, such as ``linger.ms=5``."""

    def __post_init__(self) -> None:
        if self.client not in RELEASES:
            raise unknown("client version", self.client, list(RELEASES))
        if not 0 <= self.random_share <= 1:
            raise UsageError(f"--random-share is {self.random_share:g}.", "It is from 0 to 1.")
        if self.seed < 0:
            raise UsageError(f"--seed is {self.seed}.", "It is 0 or more.")
        if not 0 <= self.request_us <= SECOND:
            raise UsageError(
                f"--request-time is {exact_text(self.request_us, SECOND)} s.",
                "It is from 0 to 1 s.",
            )
        taken = self.producer_settings()
        keyless = isinstance(self.load, Load) and not self.load.keys.count
        if keyless or taken.partitioner_ignore_keys:
            self.check_choice(taken)

    def check_choice(self, taken: ProducerSettings) -> None:
        """Raise :class:`UsageError` if the send of a record that no key places never returns.

        ``taken`` are the scenario's settings. Without a partitioner's class the accumulator
        chooses the partition of records without a key, or of all if keys are ignored.
        """
        size, asked = taken.batch_size, partitioner_class(self.release, self.settings)
        if asked is not None or size < _DOUBLES_TO_A_NEGATIVE:
            return
        raise UsageError(
            f"batch.size is {size:,}: with it a real client {self.client} never returns from the "
            "send of a record whose partition no key decides. It leaves a partition after twice "
            "batch.size, which is no 32-bit number from 2^30 on, and becomes negative: so it "
            "leaves each partition before it has appended anything.",
            f"Set batch.size below {_DOUBLES_TO_A_NEGATIVE:,}, let keys decide (--keys), or set "
            f"{PARTITIONER_CLASS}.",
        )

    @property
    def means(self) -> tuple[object, ...]:
        """The client, its settings as it takes them, and the partitioner that it asks."""
        asked = partitioner_class(self.release, self.settings)
        return self.client, self.producer_settings(), asked

    @property
    def compared(self) -> str:
        """The setting in which it differs from those beside it; empty if there are none."""
        return self.name.partition("=")[0]

    def producer_settings(self) -> ProducerSettings:
        """The settings as the client takes them; refusals are its own."""
        check_partitioner(self.release, self.settings)
        check_simulated(self.settings)
        settings = {**self.settings}
        settings.pop(PARTITIONER_CLASS, None)
        try:
            return ProducerSettings.of(settings, self.client)
        except JavaConfigError as error:
            raise UsageError(
                f"Settings of client {self.client}: {error}",
                "Settings have Kafka's names and values, such as --set linger.ms=5. --compare "
                f"takes one of them, {PARTITIONER_CLASS}, or client.",
            ) from error

    @property
    def release(self) -> ModuleType:
        """The port of that version."""
        return RELEASES[self.client]

    @property
    def producer_class(self) -> type[KafkaProducer]:
        """Its producer."""
        found: type[KafkaProducer] = self.release.KafkaProducer
        return found


def split_comparison(compare: str) -> tuple[str, str]:
    """``linger.ms=0,5,50``: what is compared, and the values, which need not make sense."""
    name, _, values = compare.partition("=")
    return name.strip(), values.strip()


def variants_of(scenario: Scenario, compare: str | None) -> list[Scenario]:
    """``linger.ms=0,5,50`` or ``client=2.3.1,3.8.0``: the scenario with each of these values."""
    if compare is None:
        return [scenario]
    name, values = split_comparison(compare)
    asked = [value.strip() for value in values.split(",")] if values else []
    if len(asked) < 2 or not all(asked):
        raise UsageError(
            f"--compare {compare} compares nothing.",
            "Name a setting, or client, and two values or more: linger.ms=0,5,50.",
        )
    if len(set(asked)) < len(asked) or len(asked) > MOST_VARIANTS:
        raise UsageError(
            f"--compare {compare}: {len(asked)} values, {len(set(asked))} of them different.",
            f"Name each once, and at most {MOST_VARIANTS}.",
        )
    if name in scenario.settings:
        raise UsageError(f"--compare and --set both name {name}.", "Leave out one of them.")
    return [_variant(scenario, name, value) for value in asked]


def _variant(scenario: Scenario, name: str, value: str) -> Scenario:
    # Of a class the last part of its name tells enough.
    told = f"{name}={value.rpartition('.')[2] if name == PARTITIONER_CLASS else value}"
    if name == "client":
        return replace(scenario, client=value, name=told)
    return replace(scenario, settings={**scenario.settings, name: value}, name=told)
