"""Jars of kafka-clients in which some classes are of our own making, or have other instructions."""

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jpype

from conformance.jars.lock import compiler_among, jars_of_client
from conformance.jars.pyspark import asm_jar
from conformance.jars.store import JarStore
from conformance.oracle.compiler import Compiler, platform_loader, url_class_loader
from conformance.oracle.jvm import start_jvm

PRODUCER = "org.apache.kafka.clients.producer"
CACHE = f"{PRODUCER}.internals.StickyPartitionCache"
CACHE_SOURCE = """
package org.apache.kafka.clients.producer.internals;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.utils.Utils;

public class StickyPartitionCache {
    private final ConcurrentMap<String, Integer> indexCache = new ConcurrentHashMap<>();

    public int partition(String topic, Cluster cluster) {
        Integer part = indexCache.get(topic);
        return part == null ? nextPartition(topic, cluster, -1) : part;
    }

    public int nextPartition(String topic, Cluster cluster, int prevPartition) {
        List<PartitionInfo> partitions = cluster.partitionsForTopic(topic);
        Integer oldPart = indexCache.get(topic);
        Integer newPart = oldPart;
        if (oldPart == null || oldPart == prevPartition) {
            List<PartitionInfo> available = cluster.availablePartitionsForTopic(topic);
            if (available.size() < 1) {
                int random = Utils.toPositive(ThreadLocalRandom.current().nextInt());
                newPart = random % partitions.size();
            } else if (available.size() == 1) {
                newPart = available.get(0).partition();
            } else {
                while (newPart == null || newPart.equals(oldPart)) {
                    int random = Utils.toPositive(ThreadLocalRandom.current().nextInt());
                    newPart = available.get(random % available.size()).partition();
                }
            }
            if (oldPart == null)
                indexCache.putIfAbsent(topic, newPart);
            else
                indexCache.replace(topic, prevPartition, newPart);
            return indexCache.get(topic);
        }
        return indexCache.get(topic);
    }
}
"""
"""It does what that of 3.8.0 does."""


def doctored(to: Path, sources: Mapping[str, str], version: str = "3.8.0") -> Path:
    """A release's jar with these classes, by their names, compiled anew."""
    jars = JarStore().ensure(jars_of_client(version))
    made: dict[str, bytes] = {}
    for class_name, source in sources.items():
        made |= compiled(class_name, source, jars)
    return _with(made, jars[0], to)


def renamed(to: Path, names: Mapping[str, str], version: str = "3.8.0") -> Path:
    """A release's jar as after a refactoring that renames classes, private fields and methods.

    ``names`` are those of the JVM: ``a/b/Class``, ``a/b/Class.field``, ``a/b/Class.method(I)V``.
    """
    jar, *_ = JarStore().ensure(jars_of_client(version))
    reader, writer, remapper, simple = (
        _asm(name)
        for name in (
            "ClassReader",
            "ClassWriter",
            "commons.ClassRemapper",
            "commons.SimpleRemapper",
        )
    )
    mapping = simple(jpype.java.util.HashMap(dict(names)))
    owners = {name.split(".")[0].encode() for name in names}
    with zipfile.ZipFile(jar) as old, zipfile.ZipFile(to, "w", zipfile.ZIP_STORED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith(".class") and any(owner in content for owner in owners):
                written = writer(0)
                reader(jpype.JArray(jpype.JByte)(content)).accept(remapper(written, mapping), 0)
                content = bytes(written.toByteArray())
            inside = name.removesuffix(".class")
            new.writestr(f"{names[inside]}.class" if inside in names else name, content)
    return to


@dataclass(frozen=True)
class Edit:
    """Some instructions of a method, and what takes their place.

    Both are separated by semicolons, in the words of :func:`_shown`. ``was`` is there exactly once
    among the methods of that name. ``now`` may repeat what was there, such as a variable that is
    read. Of what is new, a jump goes where the jump of ``was`` went, and a call is one of the class
    and types of the call in ``was``; anything else has no operand.
    """

    method: str
    """Such as ``a.b.Class.method``."""
    was: str
    now: str


def edited(to: Path, edits: Sequence[Edit], version: str = "3.8.0") -> Path:
    """A release's jar with other instructions in some methods.

    Their classes are written anew, so an edit that changes nothing makes a jar that is rebuilt.
    """
    jar, *_ = JarStore().ensure(jars_of_client(version))
    of_class: dict[str, list[Edit]] = {}
    for edit in edits:
        owner = edit.method.rpartition(".")[0]
        of_class.setdefault(f"{owner.replace('.', '/')}.class", []).append(edit)
    with zipfile.ZipFile(jar) as old:
        made = {name: _edited(old.read(name), those) for name, those in of_class.items()}
    return _with(made, jar, to)


def _edited(content: bytes, edits: Iterable[Edit]) -> bytes:
    node = _asm("tree.ClassNode")()
    _asm("ClassReader")(jpype.JArray(jpype.JByte)(content)).accept(node, 0)
    for edit in edits:
        name = edit.method.rpartition(".")[2]
        methods = [method for method in node.methods if str(method.name) == name]
        found = [at for method in methods for at in _places(method, _words(edit.was))]
        told = "\n\n".join(
            "; ".join(_shown(one, method) for one in _code(method)) for method in methods
        )
        assert len(found) == 1, f"{edit.was!r} is {len(found)} times in {edit.method}:\n{told}"
        _replace(*found[0], _words(edit.now))
    # The frames of the release stay: no edit makes a new place to jump to.
    writer = _asm("ClassWriter")(_asm("ClassWriter").COMPUTE_MAXS)
    node.accept(writer)
    return bytes(writer.toByteArray())


def _words(instructions: str) -> list[str]:
    return [one.strip() for one in instructions.split(";")]


def _code(method: Any) -> list[Any]:
    """A method's instructions, without labels, lines and frames."""
    return [one for one in method.instructions if int(one.getOpcode()) >= 0]


def _places(method: Any, words: list[str]) -> list[tuple[Any, list[Any]]]:
    """Where a method has these instructions, one after the other."""
    code = _code(method)
    shown = [_shown(one, method) for one in code]
    starts = range(len(code) - len(words) + 1)
    ends = [(at, at + len(words)) for at in starts if shown[at : at + len(words)] == words]
    return [(method, code[at:end]) for at, end in ends]


def _shown(instruction: Any, method: Any) -> str:
    """An instruction in words that are alike in all releases.

    Opcode and, without class and types, the name of the local variable, field or method that it is
    about. All calls are INVOKE, as compilers choose differently.
    """
    opcode = _opcodes()[int(instruction.getOpcode())]
    match type(instruction).__name__.rpartition(".")[2]:
        case "MethodInsnNode":
            return f"INVOKE {instruction.name}"
        case "FieldInsnNode":
            return f"{opcode} {instruction.name}"
        case "VarInsnNode":
            return f"{opcode} {_variable(instruction, method)}"
        case "IincInsnNode":
            return f"{opcode} {_variable(instruction, method)} {instruction.incr}"
    return opcode


def _variable(instruction: Any, method: Any) -> str:
    """The name of a local variable; one that is stored may begin to be there right after."""
    code = method.instructions
    at = int(code.indexOf(instruction))
    for variable in method.localVariables or ():
        begins, ends = int(code.indexOf(variable.start)), int(code.indexOf(variable.end))
        if int(variable.index) == int(instruction.var) and begins <= at + 1 and at < ends:
            return str(variable.name)
    return str(instruction.var)


def _replace(method: Any, old: list[Any], words: list[str]) -> None:
    by_words = {_shown(one, method): one for one in old}
    made = [_made(word, by_words) for word in words]
    for one in made:
        method.instructions.insertBefore(old[0], one)
    for one in old:
        method.instructions.remove(one)


def _made(word: str, was: Mapping[str, Any]) -> Any:
    """A new instruction, or a copy of one that was there."""
    numbers = {name: number for number, name in _opcodes().items()}
    jumps = [one for one in was.values() if type(one).__name__.endswith("JumpInsnNode")]
    calls = [one for one in was.values() if type(one).__name__.endswith("MethodInsnNode")]
    opcode, _, name = word.partition(" ")
    if opcode.startswith(("IF", "GOTO")):
        [jump] = jumps
        return _asm("tree.JumpInsnNode")(numbers[opcode], jump.label)
    if word in was:
        return was[word].clone(jpype.java.util.HashMap())
    if opcode == "INVOKE":
        [call] = calls
        copy = call.clone(jpype.java.util.HashMap())
        copy.name = name
        return copy
    assert not name, f"{word!r} is not among {list(was)}"
    return _asm("tree.InsnNode")(numbers[opcode])


@cache
def _opcodes() -> dict[int, str]:
    """The names of opcodes, from NOP to IFNONNULL, by their numbers."""
    fields = [str(one.getName()) for one in _asm("Opcodes").class_.getFields()]
    first, last = fields.index("NOP"), fields.index("IFNONNULL")
    return {int(getattr(_asm("Opcodes"), name)): name for name in fields[first : last + 1]}


@cache
def _asm(name: str) -> Any:
    """A class of PySpark's ASM; starts the JVM."""
    start_jvm()
    return jpype.JClass(f"org.apache.xbean.asm9.{name}", loader=_asm_loader())


@cache
def _asm_loader() -> Any:
    return url_class_loader([asm_jar()], platform_loader())


def _with(made: Mapping[str, bytes], jar: Path, to: Path) -> Path:
    """A copy of a jar with these classes, by their names in it."""
    with zipfile.ZipFile(jar) as old, zipfile.ZipFile(to, "w", zipfile.ZIP_STORED) as new:
        for name in dict.fromkeys([*old.namelist(), *made]):
            new.writestr(name, made[name] if name in made else old.read(name))
    return to


def compiled(class_name: str, source: str, jars: list[Path]) -> dict[str, bytes]:
    """The class files that a source becomes, by their names in a jar; ``jars`` has the compiler."""
    start_jvm()
    beside, ecj = compiler_among(jars)
    with zipfile.ZipFile(Compiler(ecj).made(source, class_name, beside)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
