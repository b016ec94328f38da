"""How brokers are slow and which ones, as a user says it; what is refused before anything runs."""

import pytest

from conformance.cluster.slowness import Delay, DutyCycle, Quota
from conformance.errors import UsageError
from conformance.experiments.catalogue import experiments_named
from conformance.experiments.places import broker_ids, slowness_of, users_brokers
from conformance.jars.store import JarStore


def test_one_number_is_for_all_brokers_and_several_for_one_each() -> None:
    assert slowness_of("proxy:100ms", (1, 3)) == Delay({1: 100.0, 3: 100.0})
    assert slowness_of("proxy:0.5s, 20ms", (1, 3)) == Delay({1: 500.0, 3: 20.0})
    assert slowness_of("duty-cycle:0.2,0.3", (1, 3)) == DutyCycle({1: 0.2, 3: 0.3})
    assert slowness_of("cpu-quota:0.05", (1, 3)) == Quota({1: 0.05, 3: 0.05})


@pytest.mark.parametrize(
    "text",
    [
        *("", "proxy", "proxy:", "proxy:100", "proxy:-1ms", "proxy:1ms,2ms,3ms", "proxy:1ms,"),
        *("duty-cycle:0", "duty-cycle:1", "duty-cycle:nan", "cpu-quota:much", "magic:100ms"),
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        slowness_of(text, (1, 3))


def test_what_is_slow_says_how() -> None:
    assert "broker 1 100 ms, broker 3 50 ms" in slowness_of("proxy:100ms,50ms", (1, 3)).described
    assert "SIGSTOP" in slowness_of("duty-cycle:0.2", (1, 3)).described
    assert "cgroups" in slowness_of("cpu-quota:0.2", (1, 3)).described


def test_ids_of_brokers_are_numbers() -> None:
    assert broker_ids("1, 3,1") == [1, 3]
    for text in ("", "1,", "one", "-1", "1.5", "\u0661"):
        with pytest.raises(UsageError):
            broker_ids(text)


@pytest.mark.parametrize(
    ("name", "slow", "said"),
    [
        ("cross", [1], "cross disturbs brokers"),
        ("map", [1], "disturbs brokers"),
        ("sticky-slow-brokers", [], "Which ones are slow"),
    ],
)
def test_a_users_cluster_is_not_disturbed(name: str, slow: list[int], said: str) -> None:
    place = users_brokers(experiments_named([name]), JarStore(), "nowhere:1", "", slow)
    with pytest.raises(UsageError, match=said), place:
        pass
