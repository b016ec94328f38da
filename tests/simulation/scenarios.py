"""Any scenario: settings, records and clusters that differ in all that matters."""

from hypothesis import strategies as st

from conformance.simulation.arrivals import Keys, Load, Pace
from conformance.simulation.brokers import ClusterPlan, Service, Stop
from conformance.simulation.partitioners import PARTITIONER_CLASS, partitioner_classes
from conformance.simulation.quantities import NEVER
from conformance.simulation.scenario import RELEASES, Scenario
from tests.simulation.collected import VERSIONS

_LOADS = st.builds(
    lambda records, pace, smallest, more, keys: Load(
        records, pace, smallest, smallest + more, keys
    ),
    st.integers(1, 60),
    st.builds(Pace, st.sampled_from([1e-5, 2e-4, 1e-3, 0.02, 1.0]), st.booleans()),
    st.integers(0, 300),
    st.sampled_from([0, 10, 600]),
    st.sampled_from([Keys(), Keys("uniform", 3), Keys("zipf", 20)]),
)
_SERVICES = st.builds(Service, st.sampled_from([0, 500, 2000, 40_000]), st.booleans())
_STOPS = st.builds(
    lambda start, length: Stop(start, NEVER if length is None else start + length),
    st.integers(0, 100_000),
    st.sampled_from([1, 5000, 300_000, None]),
)


@st.composite
def _clusters(draw: st.DrawFn) -> ClusterPlan:
    brokers = draw(st.integers(1, 4))
    places = st.integers(0, brokers - 1)
    return ClusterPlan(
        draw(st.integers(1, 6)),
        brokers,
        draw(_SERVICES),
        draw(st.dictionaries(places, _SERVICES, max_size=1)),
        draw(st.dictionaries(places, st.lists(_STOPS, max_size=2), max_size=1)),
        draw(st.sampled_from([0, 300, 1000])),
    )


@st.composite
def _settings(draw: st.DrawFn) -> dict[str, str]:
    batch_size = draw(st.sampled_from([0, 200, 1000, 16_384]))
    linger = draw(st.sampled_from([0, 1, 5, 50]))
    timeout = draw(st.sampled_from([3, 40, 30_000]))
    found: dict[str, int | str] = {
        "batch.size": batch_size,
        "linger.ms": linger,
        "request.timeout.ms": timeout,
        "delivery.timeout.ms": linger + timeout + draw(st.sampled_from([0, 5, 200])),
        "buffer.memory": draw(st.sampled_from([1000, 2000, 20_000, 1 << 25])),
        "max.block.ms": draw(st.sampled_from([0, 7, 60_000])),
        "max.in.flight.requests.per.connection": draw(st.integers(1, 5)),
        "max.request.size": draw(st.sampled_from([400, 3000, 1 << 20])),
        "acks": draw(st.sampled_from(["0", "1", "all"])),
        "retries": draw(st.sampled_from([0, 1, 1000])),
        "compression.type": draw(st.sampled_from(["none", "none", "lz4", "gzip"])),
    }
    if draw(st.booleans()):
        # By default it is since 3.0, unless others exclude it.
        retries = draw(st.sampled_from([1, 1000]))
        found |= {"enable.idempotence": "true", "acks": "all", "retries": retries}
    return {name: str(value) for name, value in found.items()}


@st.composite
def _scenarios(draw: st.DrawFn) -> Scenario:
    client, settings = draw(st.sampled_from(VERSIONS)), draw(_settings())
    named = draw(st.sampled_from([None, None, *partitioner_classes(RELEASES[client])]))
    if named is not None:
        settings[PARTITIONER_CLASS] = named
    return Scenario(
        draw(_LOADS),
        draw(_clusters()),
        client,
        settings,
        random_share=draw(st.sampled_from([0.0, 0.7])),
        seed=draw(st.integers(0, 3)),
        request_us=draw(st.sampled_from([0, 0, 300, 7000])),
    )


SCENARIOS = _scenarios()


def late_and_idempotent(client: str, seed: int) -> Scenario:
    """One broker that is too slow, so that sequences of batches are in doubt."""
    late = {"linger.ms": "5", "max.in.flight.requests.per.connection": "5"}
    if client == "2.3.1":
        return Scenario(
            Load(69, Pace(1e-5, poisson=True), 4, 304),
            ClusterPlan(1, 1, Service(100_000, exponential=True), network_us=300),
            client,
            {
                **late,
                "batch.size": "200",
                "request.timeout.ms": "10",
                "delivery.timeout.ms": "2015",
                "max.in.flight.requests.per.connection": "3",
                "enable.idempotence": "true",
                "retries": "2",
            },
            seed=seed,
        )
    return Scenario(
        Load(100, Pace(2e-4, poisson=True), 100, 100),
        ClusterPlan(1, 1, Service(40_000, exponential=True)),
        client,
        {**late, "request.timeout.ms": "50", "delivery.timeout.ms": "300"},
        seed=seed,
    )
