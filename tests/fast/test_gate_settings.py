"""Settings of two jars: what is a change of them, what is none, and what can be accepted."""

import pytest

from conformance.engine.known import NOTHING_KNOWN, KnownDivergence, KnownDivergences
from conformance.errors import OracleError, UsageError
from conformance.gate.outcomes import BehaviourChange, Change
from conformance.gate.setting_changes import changeable, compared_settings
from conformance.model.settings import Setting

SIZE = Setting("INT", "16384", "[0,...]", "MEDIUM")
LINGER = Setting("LONG", "0", "[0,...]", "MEDIUM")
OLD = {"producer": {"batch.size": SIZE, "linger.ms": LINGER}, "consumer": {"fetch.min.bytes": SIZE}}


def changes(
    producer: dict[str, Setting], known: KnownDivergences = NOTHING_KNOWN
) -> list[BehaviourChange]:
    new = {**OLD, "producer": producer}
    return [change for _, change in compared_settings("3.8.0", OLD, new, known)]


@pytest.mark.parametrize(
    ("new", "change", "what"),
    [
        (OLD["producer"], Change.SAME, ""),
        (OLD["producer"] | {"a.b": SIZE}, Change.SAME, "new: a.b"),
        ({"batch.size": SIZE}, Change.CHANGED, "linger.ms: gone: was 0"),
        (
            {"batch.size": SIZE._replace(type="LONG"), "linger.ms": LINGER._replace(default="5")},
            Change.CHANGED,
            "batch.size: type: LONG for INT; linger.ms: default: 5 for 0",
        ),
        (
            {"batch.size": SIZE._replace(importance="LOW", validator="null"), "linger.ms": LINGER},
            Change.CHANGED,
            "batch.size: validator: null for [0,...]; batch.size: importance: LOW for MEDIUM",
        ),
    ],
)
def test_what_is_a_change(new: dict[str, Setting], change: Change, what: str) -> None:
    producer, consumer = changes(new)
    assert (producer.behaviour, producer.change, producer.what) == (
        "producer-settings",
        change,
        what,
    )
    assert (consumer.behaviour, consumer.change) == ("consumer-settings", Change.SAME)


def test_a_change_can_be_accepted() -> None:
    entry = KnownDivergence(
        "producer-settings", ("3.8.0",), ("linger.ms: default",), "KIP-1030", "https://example.org"
    )
    new = {"batch.size": SIZE, "linger.ms": LINGER._replace(default="5")}
    accepted, _ = changes(new, KnownDivergences((entry,)))
    assert accepted.change is Change.CHANGE_ACCEPTED
    changeable("producer-settings")
    with pytest.raises(UsageError, match="Did you mean producer-settings"):
        changeable("producer-setting")


def test_what_cannot_be_read_is_not_the_same() -> None:
    error = OracleError("They cannot be read.", "Look.")
    for old, new in ((error, OLD), (OLD, error)):
        found = [change for _, change in compared_settings("3.8.0", old, new, NOTHING_KNOWN)]
        assert [one.change for one in found] == [Change.NOT_COMPARABLE] * 2
