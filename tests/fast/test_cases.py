"""Cases as data: JSON without loss, programs, traces, and taking steps out."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings

from conformance.behaviours.registry import BEHAVIOURS
from conformance.clients.versions import CLIENT_VERSIONS
from conformance.engine.minimise import minimise
from conformance.engine.plainest import plainest
from conformance.engine.plan import behaviour_named
from conformance.model.case import Case, Operation, in_turn, without_steps
from conformance.model.client_version import ClientVersion
from conformance.model.program import Mode, Program, integer, integers, long, slot
from conformance.model.trace import answer_of, first_difference
from conformance.model.values import from_json, is_error, thrown, to_json
from conformance.strategies.names import FAMILIES, MOST_TOPICS

CELLS = [
    pytest.param(behaviour.name, client, id=f"{behaviour.name}-{client}")
    for behaviour in BEHAVIOURS
    for client in CLIENT_VERSIONS
    if client.shows(behaviour.name)
]


@pytest.mark.parametrize(("name", "client"), CELLS)
def test_every_case_survives_json(name: str, client: ClientVersion) -> None:
    @settings(max_examples=30, database=None, derandomize=True, deadline=None)
    @given(behaviour_named(name).cases(client))
    def check(case: Case) -> None:
        # Tuples become lists, which is why the texts are compared.
        text = to_json(case)
        assert to_json(from_json(text)) == text

    check()


def test_json_keeps_bytes_and_lone_surrogates() -> None:
    value = {"key": b"\x00\xff", "text": "\ud83d", "n": 2**63}
    assert from_json(to_json(value)) == value
    with pytest.raises(TypeError, match="cannot hold set"):
        to_json({"x": {1}})


def test_traces_part_at_the_first_difference() -> None:
    left = [{"answer": 1}, {"answer": 2}]
    assert first_difference(left, [{"answer": 1}, {"answer": 2}]) is None
    assert first_difference(left, [{"answer": 1}, {"answer": 3}]) == 1
    assert first_difference(left, [{"answer": 1}]) == 1
    assert first_difference(left, [{"answer": 1, "draws": 1}, {"answer": 2}]) == 0


def test_exceptions_are_answers() -> None:
    class NamedError(Exception):
        java_class = "java.lang.NullPointerException"

    def fail(error: Exception) -> None:
        raise error

    assert answer_of(lambda: 3) == 3
    assert answer_of(lambda: fail(NamedError())) == thrown("java.lang.NullPointerException")
    assert answer_of(lambda: [1, None]) == [1, None]
    assert answer_of(lambda: 3.0) == thrown("python answers float 3.0")
    assert answer_of(lambda: [True]) == thrown("python answers bool True")
    other = answer_of(lambda: fail(KeyError("x")))
    assert is_error(other)
    assert other["error"].startswith("python KeyError")


def test_programs_are_plain_integers() -> None:
    program = Program()
    kept = program.let(integers([4, -5]))
    program.call(7, slot(kept), integer(-1), long(-2), mode=Mode.ANSWER)
    assert program.code == [2, 0, 6, 2, 4, -5, 0, 7, -1, 1, 1, 0, 2, 2, -1, 7, -1, -2]
    assert program.slots == 1
    assert program.data(b"abc") == (4, 0, 3)
    assert program.data(b"d") == (4, 3, 1)
    assert bytes(program.blob) == b"abcd"


def test_what_was_written_down_once_is_written_down_again() -> None:
    program = Program()

    def observe(number: int) -> Callable[[], None]:
        return lambda: program.call(number, slot(program.new_slot()), mode=Mode.OBSERVE)

    program.again((slot(5),), observe(7))
    once = list(program.code)
    program.again((slot(6),), observe(8))
    other = program.code[len(once) :]
    program.again((slot(5),), observe(9))
    assert program.code == once + other + once
    assert other != once
    assert program.slots == 2


def _case(*steps: dict[str, object]) -> Case:
    return {"config": {}, "metadata": [], "steps": list(steps)}


def test_steps_are_taken_out_with_those_that_refer_to_them() -> None:
    case = _case({"op": "a"}, {"op": "b"}, {"op": "c", "of": {"step": 0}}, {"op": "d"})
    shorter = without_steps(case, [0])
    assert shorter is not None
    assert shorter["steps"] == [{"op": "b"}, {"op": "d"}]
    shorter = without_steps(case, [1])
    assert shorter is not None
    assert shorter["steps"] == [{"op": "a"}, {"op": "c", "of": {"step": 0}}, {"op": "d"}]
    assert without_steps(_case({"op": "a"}, {"op": "b", "of": {"step": 0}}), [0]) is None


def test_references_follow_their_step() -> None:
    case = _case({"op": "x"}, {"op": "a"}, {"op": "c", "of": {"step": 1}})
    shorter = without_steps(case, [0])
    assert shorter is not None
    assert shorter["steps"][1] == {"op": "c", "of": {"step": 0}}


def test_partitions_of_several_topics_are_handed_over_in_turn_or_together() -> None:
    one = ("b", [[0, 1], [2, 3], [1, 4]])
    listed = in_turn([("a", [[5, 0], [3, None]]), one])
    assert listed == [("a", 5, 0), ("b", 0, 1), ("a", 3, None), ("b", 2, 3), ("b", 1, 4)]
    listed = in_turn([("a", [[5, 0]]), one])
    assert listed == [("a", 5, 0), ("b", 0, 1), ("b", 2, 3), ("b", 1, 4)]
    assert in_turn([]) == []


def test_names_of_a_family_are_all_different() -> None:
    for named in FAMILIES.values():
        names = {named(number) for number in range(MOST_TOPICS)}
        assert len(names) == MOST_TOPICS
        assert max(map(len, names)) <= 249


def test_minimise_drops_partitions_that_do_not_matter() -> None:
    partitions = [[number, 0] for number in range(300)]
    case: Case = {"config": {}, "metadata": [None, [("t", partitions)]], "steps": [{"op": "a"}]}

    def diverges_at(case: Case) -> int | None:
        snapshot = case["metadata"][1]
        assert snapshot is not None
        return 0 if len(snapshot[0][1]) >= 7 else None

    small = minimise(case, 0, diverges_at)
    assert small["metadata"] == [None, [("t", partitions[:7])]]


def test_minimise_cuts_the_ends_of_keys_that_do_not_matter() -> None:
    keys = [b"k" * 2**20, None, b"l" * 1030]

    def diverges_at(case: Case) -> int | None:
        [step] = case["steps"]
        return 0 if step["keys"][0].startswith(b"kkkkk") else None

    small = minimise(_case({"op": "column", "keys": keys, "key": b"abc"}), 0, diverges_at)
    [step] = small["steps"]
    assert step == {"op": "column", "keys": [b"k" * 8, None, b"l" * 8], "key": b"abc"}


def test_minimise_leaves_only_what_diverges() -> None:
    # Diverges at the second "b", wherever that is.
    def diverges_at(case: Case) -> int | None:
        places = [at for at, step in enumerate(case["steps"]) if step["op"] == "b"]
        return places[1] if len(places) > 1 else None

    noise = [{"op": "a"}] * 30
    case = _case(*noise, {"op": "b"}, *noise, {"op": "b"}, *noise)
    step = diverges_at(case)
    assert step is not None
    assert [s["op"] for s in minimise(case, step, diverges_at)["steps"]] == ["b", "b"]


def test_minimise_takes_two_steps_out_that_need_each_other() -> None:
    # Diverges at the second "b", if there is a "close" for each "open".
    def diverges_at(case: Case) -> int | None:
        names = [step["op"] for step in case["steps"]]
        balanced = names.count("open") == names.count("close")
        return names.index("b", names.index("b") + 1) if balanced and names.count("b") > 1 else None

    names = ["open", "b", "close", "b"]
    case = _case(*({"op": name} for name in names))
    assert minimise(case, 3, diverges_at)["steps"] == [{"op": "b"}] * 2


def _plainest(case: Case, diverges: Callable[[Operation], bool]) -> Operation:
    """The last step of the plainest case of which the last step diverges."""
    last = len(case["steps"]) - 1
    found = plainest(case, last, lambda one: last if diverges(one["steps"][last]) else None)
    return found["steps"][last]


def test_the_plainest_case_has_the_queues_that_are_needed() -> None:
    load = {"op": "load", "queues": [0] * 150 + [3], "ids": [*range(151)], "length": 149}
    step = _plainest(_case(load), lambda one: 3 in one["queues"] and one["length"] > 1)
    assert step["queues"] == [0, 0, 3]
    assert len(step["ids"]) == 3
    assert step["ids"][2] == 150
    assert step["length"] == 2
    unlike = {"op": "load", "queues": [1, 2, 3], "ids": [0], "racks": [], "length": -1}
    step = _plainest(_case(unlike), lambda one: 2 in one["queues"])
    assert step == {"op": "load", "queues": [2], "ids": [], "racks": [], "length": -1}
    none = {"op": "load", "queues": None, "ids": [1, 2], "length": 2}
    assert _plainest(_case(none), lambda one: len(one["ids"]) == one["length"])["ids"] == []


def test_the_plainest_case_has_keys_of_no_more_than_is_needed() -> None:
    key = b"%mebibyte" * 100_000
    step = _plainest(_case({"op": "a", "key": key}), lambda one: len(one["key"]) >= 9000)
    assert step["key"] == bytes(9000)
    step = _plainest(_case({"op": "a", "key": key}), lambda one: one["key"][4:5] == b"i")
    assert step["key"] == b"\0\0\0\0i"
    bytes_of = {"op": "serialize", "type": "bytes", "value": b"abcdefghij", "partitions": 2}
    assert _plainest(_case(bytes_of), lambda one: len(one["value"]) > 2)["value"] == bytes(3)
    for kind, left in (("string", "abc"), ("uuid", "abcdefghij")):
        text = {"op": "serialize", "type": kind, "value": "abcdefghij", "partitions": 2}
        assert _plainest(_case(text), lambda one: len(one["value"]) > 2)["value"] == left
    ending = _plainest(_case({"op": "a", "key": key}), lambda one: one["key"][-3:-1] == b"yt")
    assert ending["key"] == b"yt\0"
    columns = {"op": "column", "keys": [b"a", None, b"bcd", b"efg"], "repeat": 3}
    step = _plainest(_case(columns), lambda one: any(len(key or b"") > 1 for key in one["keys"]))
    assert step == {"op": "column", "keys": [bytes(2)], "repeat": 3}


def test_the_plainest_case_has_headers_of_no_more_than_is_needed() -> None:
    headers = [["ä" * 32, b"%d" % number] for number in range(60)] + [["last", None]]
    append = {"op": "append", "key": None, "value": None, "headers": headers}
    step = _plainest(_case(append), lambda one: any("ä" in name for name, _ in one["headers"]))
    assert step["headers"] == [["ä", b"\0"]]
    step = _plainest(_case(append), lambda one: len(one["headers"][-1:]) > 0)
    assert step["headers"] == [["", b""]]
    none = _plainest(_case({**append, "headers": None}), lambda one: one["op"] == "append")
    assert none["headers"] is None


def test_the_plainest_case_has_the_snapshots_and_topics_that_it_sees() -> None:
    snapshots = [[(name, [[number, 0]]) for name in "tu"] for number in range(4)]
    steps = [{"op": "a", "metadata": at, "topic": "u"} for at in (0, 3, 1)]
    case: Case = {"config": {}, "metadata": [*snapshots], "steps": steps}

    def diverges_at(case: Case) -> int | None:
        seen = [dict(case["metadata"][step["metadata"]] or []).get("u") for step in case["steps"]]
        return len(seen) - 1 if [[0, 0]] in seen and [[3, 0]] in seen else None

    small = plainest(case, 2, diverges_at)
    assert small["metadata"] == [[("u", [[0, 0]])], [("u", [[3, 0]])]]
    assert [step["metadata"] for step in small["steps"]] == [0, 1]
