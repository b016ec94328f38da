"""The oracle itself: isolation of the clients, control of randomness, clean failures."""

import os
from pathlib import Path
from typing import Any

import pytest

from conformance.clients.versions import CLIENT_VERSIONS
from conformance.draws import Draw
from conformance.errors import OracleError
from conformance.model.program import NULL, Mode, Program, integer, slot
from conformance.oracle.client import told_of
from conformance.subjects.java_client import JavaSubject

jpype = pytest.importorskip("jpype")

BUILT_IN = "org.apache.kafka.clients.producer.internals.BuiltInPartitioner"
RANDOM = "java.util.concurrent.ThreadLocalRandom"
_COMPILER = "org.eclipse.jdt.core.compiler.batch.BatchCompiler"
VERSIONS = [client.version for client in CLIENT_VERSIONS]


@pytest.fixture(scope="module")
def clients(java: JavaSubject) -> dict[str, Any]:
    return {client.version: java.client(client, assertions=False) for client in CLIENT_VERSIONS}


@pytest.fixture
def thread_seed(clients: dict[str, Any]) -> Any:
    """Reads the seed of this thread's ThreadLocalRandom."""
    field = (
        jpype.JClass("java.lang.Class")
        .forName("java.lang.Thread")
        .getDeclaredField("threadLocalRandomSeed")
    )
    field.setAccessible(True)
    thread = jpype.JClass("java.lang.Thread").currentThread()
    jpype.JClass(RANDOM).current()
    return lambda: int(field.getLong(thread))


@pytest.mark.parametrize("version", VERSIONS)
def test_each_loader_reports_its_own_version(clients: dict[str, Any], version: str) -> None:
    told = jpype.JClass("java.util.Properties")()
    told.load(clients[version].loader.getResourceAsStream("kafka/kafka-version.properties"))
    assert str(told.getProperty("version")) == version


def test_same_named_classes_are_different_classes(clients: dict[str, Any]) -> None:
    name = "org.apache.kafka.common.Cluster"
    classes = [clients[version].java_class(name).class_ for version in VERSIONS]
    assert len({int(jpype.JClass("java.lang.System").identityHashCode(c)) for c in classes}) == len(
        VERSIONS
    )
    assert not classes[0].isAssignableFrom(classes[1])


@pytest.mark.usefixtures("clients")
def test_no_file_is_left_by_a_jvm_that_is_killed() -> None:
    # A JVM would remove them itself, if it may; it writes them there whatever TMPDIR says.
    process = os.getpid()
    assert [*Path("/tmp").glob(f"hsperfdata_*/{process}")] == []
    assert not Path(f"/tmp/.java_pid{process}").exists()


def test_nothing_of_kafka_is_visible_from_the_system_loader(clients: dict[str, Any]) -> None:
    system = jpype.JClass("java.lang.ClassLoader").getSystemClassLoader()
    for name in ("org.apache.kafka.common.Cluster", "org.slf4j.Logger", _COMPILER):
        with pytest.raises(jpype.JException, match="ClassNotFoundException"):
            jpype.JClass("java.lang.Class").forName(name, False, system)


def test_a_client_does_not_see_the_compiler_or_another_client(clients: dict[str, Any]) -> None:
    with pytest.raises(OracleError, match=r"2\.3\.1 has no class .*BuiltInPartitioner"):
        clients["2.3.1"].java_class(BUILT_IN)
    with pytest.raises(OracleError, match="has no class"):
        clients["3.8.0"].java_class(_COMPILER)


def _draw_program(client: Any, draw: Draw, count: int) -> Program:
    current = client.method(RANDOM, "current")
    next_int = client.method("java.util.Random", "nextInt")
    program = Program()
    program.seed(draw.first, draw.tail)
    random = program.new_slot()
    program.call(current, into=random)
    for _ in range(count):
        program.call(next_int, slot(random), mode=Mode.ANSWER)
    program.draws()
    return program


@pytest.mark.parametrize("first", [0, 1, -1, 2**31 - 1, -(2**31), 123456789])
@pytest.mark.parametrize("tail", [0, 1, 2**32 - 1])
def test_thread_local_random_draws_what_a_draw_says(
    clients: dict[str, Any], first: int, tail: int
) -> None:
    draw = Draw(first, tail)
    results = clients["2.3.1"].run(_draw_program(clients["2.3.1"], draw, 50))
    sequence = draw.sequence()
    assert [results.answer() for _ in range(50)] == [next(sequence) for _ in range(50)]
    assert results.answer() == 50
    results.finish()


def test_the_seed_is_put_back(clients: dict[str, Any], thread_seed: Any) -> None:
    before = thread_seed()
    clients["3.2.3"].run(_draw_program(clients["3.2.3"], Draw(5), 3))
    assert thread_seed() == before


def _failing_program(client: Any, *, mock: bool) -> Program:
    """Sets randomness, then fails in a call whose failure is no answer."""
    program = Program()
    if mock:
        client.mock_by(BUILT_IN, "mockRandom")
        program.mock(7)
    else:
        program.seed(99, 0)
    murmur2 = client.method("org.apache.kafka.common.utils.Utils", "murmur2", "[B")
    program.call(murmur2, NULL, NULL)
    return program


def test_everything_is_put_back_after_a_failure(clients: dict[str, Any], thread_seed: Any) -> None:
    client = clients["3.8.0"]
    field = client.java_class(BUILT_IN).class_.getDeclaredField("mockRandom")
    field.setAccessible(True)
    before = thread_seed()
    for mock in (False, True):
        with pytest.raises(OracleError, match="NullPointerException"):
            client.run(_failing_program(client, mock=mock))
        assert field.get(None) is None
        assert thread_seed() == before


def test_mock_random_of_another_owner_is_put_back(clients: dict[str, Any]) -> None:
    client = clients["3.8.0"]
    client.mock_by(BUILT_IN, "mockRandom")
    field = client.java_class(BUILT_IN).class_.getDeclaredField("mockRandom")
    field.setAccessible(True)
    supplier = jpype.JProxy("java.util.function.Supplier", dict={"get": lambda: 4})
    field.set(None, supplier)
    try:
        program = Program()
        program.mock(1)
        client.run(program)
        assert field.get(None) is supplier
    finally:
        field.set(None, None)


def test_what_is_mocked_has_to_be_said(clients: dict[str, Any]) -> None:
    program = Program()
    program.mock(1)
    with pytest.raises(OracleError, match="nobody said what is to be mocked"):
        clients["3.2.3"].run(program)


def test_an_answer_may_be_an_exception_with_its_message(clients: dict[str, Any]) -> None:
    client = clients["3.8.0"]
    parse = client.method("java.lang.Integer", "parseInt", "java.lang.String")
    program = Program()
    program.call(parse, NULL, program.text("x"), mode=Mode.ANSWER)
    program.call(parse, NULL, program.text("12"), mode=Mode.ANSWER)
    results = client.run(program)
    assert results.answer() == {"error": "java.lang.NumberFormatException"}
    assert results.answer() == 12
    assert client.last_messages() == ['java.lang.NumberFormatException: For input string: "x"']


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda client: client.method(BUILT_IN, "noSuchMethod"), "no method"),
        (lambda client: client.constructor(BUILT_IN), "no constructor"),
        (lambda client: client.field(BUILT_IN, "noSuchField"), "no field"),
    ],
)
def test_a_missing_symbol_names_itself(clients: dict[str, Any], build: Any, message: str) -> None:
    with pytest.raises(OracleError, match=f"3.8.0 has {message} {BUILT_IN}"):
        build(clients["3.8.0"])


def test_results_that_are_not_read_are_noticed(clients: dict[str, Any]) -> None:
    results = clients["3.8.0"].run(_draw_program(clients["3.8.0"], Draw(1), 2))
    results.answer()
    with pytest.raises(AssertionError, match="2 emitted values were not read"):
        results.finish()


def test_assertions_are_on_only_in_the_loader_that_asks(java: JavaSubject) -> None:
    client = next(c for c in CLIENT_VERSIONS if c.version == "3.8.0")
    for assertions in (False, True):
        loaded = java.client(client, assertions=assertions)
        assert bool(loaded.java_class(BUILT_IN).class_.desiredAssertionStatus()) is assertions


def test_skip_if_skips_only_when_true(clients: dict[str, Any]) -> None:
    client = clients["3.8.0"]
    parse = client.method("java.lang.Boolean", "parseBoolean", "java.lang.String")
    absolute = client.method("java.lang.Math", "abs", "int")
    program = Program()
    for text in ("true", "false"):
        condition = program.new_slot()
        program.call(parse, NULL, program.text(text), into=condition)
        opened = program.skip_if(condition)
        program.call(absolute, NULL, integer(-3 if text == "true" else -4), mode=Mode.ANSWER)
        program.end_skip(opened)
    results = client.run(program)
    assert results.answer() == 4
    results.finish()


def test_what_java_throws_is_told_in_the_same_words_each_time(java: JavaSubject) -> None:
    client = java.client(CLIENT_VERSIONS[-1], assertions=False)
    thrown = client.java_class("java.lang.ClassCastException")
    assert told_of(thrown()) == "java.lang.ClassCastException"
    assert told_of(thrown("a Foo@7d3430a7 is no Bar")) == (
        "java.lang.ClassCastException: a Foo is no Bar"
    )
