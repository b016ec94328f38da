"""Where experiments run, and how brokers are made slow, by what a user asks for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from conformance.cluster.cluster import Cluster, Ready
from conformance.cluster.slowness import Delay, DutyCycle, Quota, Slowness, check_share
from conformance.errors import UsageError
from conformance.experiments.admin import Topics
from conformance.experiments.catalogue import SLOW_BROKERS, Condition, Experiment
from conformance.experiments.programs import ADMIN, Program, programs
from conformance.experiments.sites import OwnSite, Site, UsersSite
from conformance.jars.fetch import Progress
from conformance.jars.store import JarStore
from conformance.simulation.quantities import MILLISECOND, duration_of

BROKERS: Final = 4
_EXAMPLES: Final = "proxy:100ms, duty-cycle:0.2,0.3 or cpu-quota:0.05"
_WAYS: Final = ("proxy", "duty-cycle", "cpu-quota")


@dataclass(frozen=True, slots=True)
class Place:
    """Brokers to run experiments at, and the clients to run there."""

    programs: Mapping[str, Program]
    slow: Sequence[int]
    """Which of its brokers are slow, or can be made so."""
    site_of: Callable[[Experiment], Site]


@contextmanager
def own_brokers(
    experiments: Sequence[Experiment],
    store: JarStore,
    slowness: str,
    *,
    fetching: Progress = lambda *_: None,
    ready: Ready = lambda *_: None,
) -> Iterator[Place]:
    """Brokers of our own for as long as the block lasts.

    Raises what :class:`~conformance.cluster.cluster.Cluster`, :func:`slowness_of` and
    :func:`~conformance.experiments.programs.programs` raise.
    """
    usual = slowness_of(slowness, SLOW_BROKERS)
    found = programs(_clients(experiments), store, fetching)
    with Cluster(BROKERS, store=store, proxied=True, fetching=fetching, ready=ready) as cluster:
        usual.check(cluster, SLOW_BROKERS)

        def site_of(experiment: Experiment) -> Site:
            ms = experiment.slow_ms
            way = usual if ms is None else Delay(dict.fromkeys(SLOW_BROKERS, ms))
            return OwnSite(cluster, way)

        yield Place(found, SLOW_BROKERS, site_of)


@contextmanager
def users_brokers(
    experiments: Sequence[Experiment],
    store: JarStore,
    bootstrap_servers: str,
    topic: str,
    slow: Sequence[int],
    *,
    fetching: Progress = lambda *_: None,
) -> Iterator[Place]:
    """A cluster of the user's, which nobody slows down or disturbs.

    Raises :class:`UsageError` for experiments that would, for ``slow`` brokers that it does not
    have, and if it does not answer.
    """
    for experiment in experiments:
        _check_undisturbed(experiment, slow)
    found = programs(_clients(experiments), store, fetching)
    site = UsersSite(bootstrap_servers, Topics(found[ADMIN], bootstrap_servers), topic)
    for broker in slow:
        if broker not in site.brokers:
            raise UsageError(
                f"--slow-brokers: there is no broker {broker} in that cluster.",
                f"It has {', '.join(map(str, site.brokers))}.",
            )
    yield Place(found, slow, lambda _: site)


def _check_undisturbed(experiment: Experiment, slow: Sequence[int]) -> None:
    conditions = {variant.condition for variant in experiment.variants}
    if conditions & {Condition.PAUSED, Condition.KILLED} or experiment.slow_ms is not None:
        raise UsageError(
            f"{experiment.name} disturbs brokers, and that cluster is not the suite's own.",
            "Leave out --bootstrap-servers: then it starts brokers of its own.",
        )
    if Condition.SLOW in conditions and not slow:
        raise UsageError(
            f"{experiment.name} is about slow brokers. Which ones are slow?",
            "Say so, such as --slow-brokers 1,3: the suite cannot slow down that cluster.",
        )


def _clients(experiments: Sequence[Experiment]) -> list[str]:
    return sorted({variant.client for one in experiments for variant in one.variants})


def broker_ids(text: str) -> list[int]:
    """``1,3`` as numbers; raises :class:`UsageError`."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise UsageError(
            f"--slow-brokers {text}: these are no ids of brokers.", "Write them like 1,3."
        )
    return [int(part) for part in dict.fromkeys(parts)]


def slowness_of(text: str, brokers: Sequence[int]) -> Slowness:
    """``proxy:100ms``, ``duty-cycle:0.2,0.3`` ...: one number for all brokers, or one for each.

    Raises :class:`UsageError` for anything else.
    """
    way, colon, numbers = text.partition(":")
    parts = [part.strip() for part in numbers.split(",")] if colon else []
    if way not in _WAYS or not all(parts) or len(parts) not in (1, len(brokers)):
        raise UsageError(
            f"--slowness {text} is no way to be slow.",
            f"Write the way and its number, or one for each slow broker: {_EXAMPLES}.",
        )
    if way == "proxy":
        return Delay(_by_broker(brokers, parts, _delay_ms))
    shares = _by_broker(brokers, parts, _share)
    return DutyCycle(shares) if way == "duty-cycle" else Quota(shares)


def _by_broker(
    brokers: Sequence[int], parts: Sequence[str], number_of: Callable[[str], float]
) -> dict[int, float]:
    numbers = [number_of(part) for part in parts]
    if len(numbers) == 1:
        numbers *= len(brokers)
    return dict(zip(brokers, numbers, strict=True))


def _delay_ms(text: str) -> float:
    return duration_of("--slowness", text) / MILLISECOND


def _share(text: str) -> float:
    try:
        return check_share(float(text))
    except ValueError as error:
        raise UsageError(
            f"--slowness: {text!r} is no part of a CPU.", f"Write it like {_EXAMPLES}."
        ) from error
