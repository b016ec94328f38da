"""The compiler of the suite's own Java: which Java, how it fails, and what it keeps."""

import os
import time
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from conformance.clients.versions import CLIENT_VERSIONS
from conformance.errors import JarError, OracleError
from conformance.jars.lock import compiler_among, jars_of_client
from conformance.jars.store import JarStore
from conformance.oracle.compiler import KEPT_DAYS, Compiler, _usual_folder, define_class, load_class
from conformance.oracle.kafka_classes import BUILT_IN, INTERNALS
from conformance.subjects.java_client import JavaSubject

_MODERN = """
import java.util.List;
import java.util.stream.IntStream;

public final class Modern {
    record Pair(int first, String second) { }
    sealed interface Shape permits Square { }
    record Square(int side) implements Shape { }

    public static String told(int count) {
        List<Pair> pairs = IntStream.range(0, count).mapToObj(i -> new Pair(i, "n" + i)).toList();
        var last = pairs.get(count - 1);
        Object shape = new Square(last.first());
        return shape instanceof Square square
            ? last.second() + square.side() + Beside.answer() : "none";
    }
}

class Beside {
    static int answer() { return 42; }
}
"""
_NEIGHBOUR = f"""
package {INTERNALS};

public final class Neighbour extends Whole {{
    interface Named {{ String name(); }}
    static class First implements Named {{
        public String name() {{ return "first"; }}
    }}
    static final class Second extends First {{ }}

    public static String told() {{
        return new Second().name() + Object.class;
    }}
}}

class Whole {{ }}
"""


@pytest.fixture(scope="module")
def jars() -> tuple[list[Path], Path]:
    """What client 3.8.0 is driven with, and the compiler."""
    return compiler_among(JarStore().ensure(jars_of_client("3.8.0")))


@pytest.fixture
def compiler(java: JavaSubject, jars: tuple[list[Path], Path], tmp_path: Path) -> Compiler:
    """With a folder of its own for what it makes."""
    java.client(CLIENT_VERSIONS[0], assertions=False)  # starts the JVM
    return Compiler(jars[1], folder=tmp_path)


def test_java_17_with_several_classes(compiler: Compiler) -> None:
    assert str(load_class(compiler.made(_MODERN, "Modern"), "Modern").told(3)) == "n2242"


def test_neighbours_are_defined_whichever_derives_from_which(
    compiler: Compiler, jars: tuple[list[Path], Path], java: JavaSubject
) -> None:
    client = java.client(CLIENT_VERSIONS[-1], assertions=False)
    beside = client.java_class(BUILT_IN).class_
    name = f"{INTERNALS}.Neighbour"
    made = define_class(compiler.made(_NEIGHBOUR, name, jars[0]), name, beside)
    assert str(made.told()) == "firstclass java.lang.Object"


def test_what_does_not_compile_is_told_with_its_line(compiler: Compiler, tmp_path: Path) -> None:
    with pytest.raises(OracleError, match="source for Wrong does not compile") as raised:
        compiler.made("class Wrong {\n    int x = new Nothing();\n}", "Wrong")
    told = str(raised.value)
    assert "Wrong.java:2: error: Nothing cannot be resolved to a type." in told
    assert str(tmp_path) not in told
    assert list(tmp_path.iterdir()) == []


def _made(compiler: Compiler, folder: Path) -> Path:
    made = compiler.made(_MODERN, "Modern")
    assert [made] == list(folder.iterdir())
    return made


def test_a_folder_that_was_deleted_is_made_again(compiler: Compiler, tmp_path: Path) -> None:
    _made(compiler, tmp_path).unlink()
    tmp_path.rmdir()
    assert _made(compiler, tmp_path).exists()


def test_a_folder_that_cannot_be_written_is_told(
    jars: tuple[list[Path], Path], java: JavaSubject, tmp_path: Path
) -> None:
    java.client(CLIENT_VERSIONS[0], assertions=False)
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OracleError, match=r"cannot be compiled into .*file.*: Not a directory"):
        Compiler(jars[1], folder=tmp_path / "file" / "classes").made("class X { }", "X")


def test_without_a_cache_to_write_to_a_folder_lasts_as_long_as_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda _name: tmp_path / "file")
    folder = _usual_folder.__wrapped__()
    assert folder.is_dir()
    assert tmp_path not in folder.parents


def test_what_was_made_is_not_made_again(compiler: Compiler, tmp_path: Path) -> None:
    before = _made(compiler, tmp_path).stat()
    assert _made(compiler, tmp_path).stat() == before
    compiler.made(_MODERN.replace("42", "43"), "Modern")
    assert len(list(tmp_path.iterdir())) == 2


def _cut(content: bytes) -> bytes:
    return content[:100]


def _changed(content: bytes) -> bytes:
    return content[:200] + bytes([content[200] ^ 1]) + content[201:]


def _emptied(_content: bytes) -> bytes:
    return b""


@pytest.mark.parametrize("damage", [_cut, _changed, _emptied])
def test_what_is_damaged_is_made_again(compiler: Compiler, tmp_path: Path, damage: Any) -> None:
    made = _made(compiler, tmp_path)
    whole = made.read_bytes()
    made.write_bytes(damage(whole))
    assert str(load_class(compiler.made(_MODERN, "Modern"), "Modern").told(3)) == "n2242"
    assert made.read_bytes() == whole


def test_what_is_old_is_forgotten(compiler: Compiler, tmp_path: Path) -> None:
    old = _made(compiler, tmp_path)
    long_ago = time.time() - (KEPT_DAYS + 1) * 86400
    os.utime(old, (long_ago, long_ago))
    compiler.made("class New { }", "New")
    assert not old.exists()


def test_what_is_in_use_is_not_old(compiler: Compiler, tmp_path: Path) -> None:
    old = _made(compiler, tmp_path)
    long_ago = time.time() - (KEPT_DAYS + 1) * 86400
    os.utime(old, (long_ago, long_ago))
    assert _made(compiler, tmp_path) == old
    compiler.made("class New { }", "New")
    assert old.exists()


def test_the_compiler_is_told_from_the_client_by_its_name(jars: tuple[list[Path], Path]) -> None:
    client, ecj = jars
    assert ecj.name.startswith("ecj-")
    assert [jar.name for jar in client] == [jar.name for jar in jars_of_client("3.8.0")[:-1]]
    with pytest.raises(JarError, match=r"ecj-.*\.jar is not one of the jars"):
        compiler_among(client)
