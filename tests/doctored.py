"""Jars of kafka-clients in which some classes are of our own making."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

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
    with zipfile.ZipFile(jars[0]) as old, zipfile.ZipFile(to, "w", zipfile.ZIP_STORED) as new:
        for name in dict.fromkeys([*old.namelist(), *made]):
            new.writestr(name, made[name] if name in made else old.read(name))
    return to


def renamed(to: Path, names: Mapping[str, str], version: str = "3.8.0") -> Path:
    """A release's jar as after a refactoring that renames classes, private fields and methods.

    ``names`` are those of the JVM: ``a/b/Class``, ``a/b/Class.field``, ``a/b/Class.method(I)V``.
    """
    start_jvm()
    jar, *_ = JarStore().ensure(jars_of_client(version))
    loader = url_class_loader([asm_jar()], platform_loader())
    reader, writer, remapper, simple = (
        jpype.JClass(f"org.apache.xbean.asm9.{name}", loader=loader)
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


def compiled(class_name: str, source: str, jars: list[Path]) -> dict[str, bytes]:
    """The class files that a source becomes, by their names in a jar; ``jars`` has the compiler."""
    start_jvm()
    beside, ecj = compiler_among(jars)
    with zipfile.ZipFile(Compiler(ecj).made(source, class_name, beside)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
