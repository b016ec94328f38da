"""Settings of two jars: what is a change of them, what is none, and what can be accepted."""

import pytest

from conformance.engine.known import NOTHING_KNOWN, KnownDivergence, KnownDivergences
from conformance.errors import OracleError, UsageError
from conformance.gate.outcomes import BehaviourChange, Change
from conformance.gate.setting_changes import Declared, changeable, compared_outright
from conformance.model.settings import Setting

SIZE = Setting("INT", "16384", "[0,...]", "MEDIUM")
LINGER = Setting("LONG", "0", "[0,...]", "MEDIUM")
OLD = {"producer": {"batch.size": SIZE, "linger.ms": LINGER}, "consumer": {"fetch.min.bytes": SIZE}}
BYTES = {"ShortSerializer": {"1": "0001", "null": "null"}}


def changes(
    producer: dict[str, Setting], known: KnownDivergences = NOTHING_KNOWN
) -> list[BehaviourChange]:
    old, new = (Declared(one, BYTES) for one in (OLD, {**OLD, "producer": producer}))
    return [change for _, change in compared_outright("3.8.0", old, new, known)]


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
    producer, consumer, _ = changes(new)
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
    accepted, *_ = changes(new, KnownDivergences((entry,)))
    assert accepted.change is Change.CHANGE_ACCEPTED
    changeable("producer-settings")
    with pytest.raises(UsageError, match="Did you mean producer-settings"):
        changeable("producer-setting")


def test_what_cannot_be_read_is_not_the_same() -> None:
    error = OracleError("They cannot be read.", "Look.")
    whole = Declared(OLD, BYTES)
    for one in (Declared(error, BYTES), Declared(OLD, error)):
        for old, new in ((whole, one), (one, whole)):
            found = [change for _, change in compared_outright("3.8.0", old, new, NOTHING_KNOWN)]
            assert Change.NOT_COMPARABLE in {change.change for change in found}
            assert Change.CHANGED not in {change.change for change in found}


def test_one_serializer_that_cannot_be_asked_hides_no_other() -> None:
    error = OracleError("ShortSerializer cannot be asked.", "Look.")
    others = {"LongSerializer": {"1": "01"}, "VoidSerializer": {"null": "null"}}
    with_long = {"LongSerializer": {"1": "10"}}
    whole, broken = BYTES | others, {"ShortSerializer": error, **others}
    for old, new, change, what in [
        (whole, broken, Change.CHANGED, f"ShortSerializer: can be asked: {error.what}"),
        (broken, whole, Change.NOT_COMPARABLE, error.what),
        (broken, broken, Change.NOT_COMPARABLE, error.what),
        (broken, broken | with_long, Change.CHANGED, "LongSerializer: 1: 10 for 01"),
    ]:
        sides = (Declared(OLD, old), Declared(OLD, new))
        *_, (_, found) = compared_outright("3.8.0", *sides, NOTHING_KNOWN)
        assert (found.change, found.what) == (change, what)


def test_other_bytes_are_a_change() -> None:
    new = {"ShortSerializer": {"1": "0100", "null": "null"}, "Other": {}}
    sides = (Declared(OLD, BYTES), Declared(OLD, new))
    *_, (_, change) = compared_outright("3.8.0", *sides, NOTHING_KNOWN)
    assert (change.behaviour, change.change) == ("serializers", Change.CHANGED)
    assert change.what == "ShortSerializer: 1: 0100 for 0001; new: Other"
