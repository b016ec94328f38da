"""What is a change of a class, and what is not; and that the marked copy tells what ran."""

import zipfile
from pathlib import Path

import jpype
import pytest

from conformance.gate.driven import driven_classes
from conformance.jars.lock import jars_beside
from conformance.jars.store import JarStore
from conformance.model.classes import ChangedClass, ClassChange
from conformance.oracle.class_files import PROBES, ComparedClasses, compare_classes
from conformance.oracle.compiler import platform_loader, url_class_loader
from tests.doctored import compiled

NAME = "org.apache.kafka.clients.producer.Sample"
PLAIN = """package org.apache.kafka.clients.producer;
public class Sample {
    int kept = 1;
    public Sample() { }
    public int first(int given) { int twice = given * 2; return twice; }
    public int second(String text, int[] numbers) { return numbers.length; }
    interface Inner { int none(); }
}
"""


def compare(folder: Path, before: str, after: str) -> ComparedClasses:
    beside = JarStore().ensure(jars_beside())
    jars = []
    for side, source in (("old", before), ("new", after)):
        path = folder / f"{side}.jar"
        with zipfile.ZipFile(path, "w") as jar:
            for name, content in compiled(NAME, source, beside).items():
                jar.writestr(name, content)
        jars.append(path)
    return compare_classes((jars[0], jars[1]), beside, folder)


@pytest.mark.parametrize(
    ("replaced", "by", "changed"),
    [
        ("int kept", "\n\n // moved down\n int kept", None),
        ("int twice = given * 2; return twice", "int doubled = given * 2; return doubled", None),
        ("given * 2", "given * 3", ("first(int)",)),
        ("numbers.length", "text.length()", ("second(String, int[])",)),
        ("int kept = 1", "long kept = 1", ("<init>()",)),
        ("int kept = 1;", "int kept = 1; int more;", ("",)),
        ("public class", "public final class", ("",)),
        ("int none();", "long none();", ()),
        ("public Sample()", "public void third() { } public Sample()", ("third()",)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_a_change(
    tmp_path: Path, replaced: str, by: str, changed: tuple[str, ...] | None
) -> None:
    assert PLAIN.count(replaced) == 1
    found = compare(tmp_path, PLAIN, PLAIN.replace(replaced, by)).changed
    assert [one.probed for one in found] == ([] if changed is None else [changed])


def test_what_is_new_and_gone_is_told(tmp_path: Path) -> None:
    found = compare(tmp_path, PLAIN, PLAIN.replace("Inner", "Other")).changed
    assert {one.name.rpartition("$")[2]: one.change for one in found} == {
        NAME: ClassChange.CHANGED,  # says which classes are inside
        "Inner": ClassChange.GONE,
        "Other": ClassChange.NEW,
    }


def test_the_marked_copy_does_the_same_and_tells_what_ran(tmp_path: Path) -> None:
    after = PLAIN.replace("given * 2", "given * 3").replace("numbers.length", "7")
    found = compare(tmp_path, PLAIN, after)
    loader = url_class_loader([*found.marked, tmp_path / "new.jar"], platform_loader())
    assert jpype.JClass(NAME, loader=loader)().first(5) == 15
    ran = jpype.JClass(PROBES, loader=loader).RAN
    assert [number for number in range(4) if ran[number]] == [0]
    [told] = driven_classes(found.changed, {0}).outcomes
    assert (told.driven, told.idle) == (False, ("second(String, int[])",))
    [told] = driven_classes(found.changed, {0, 1}).outcomes
    assert told.driven


def test_a_class_without_code_and_one_that_is_gone_are_not_driven() -> None:
    changed = [
        ChangedClass("org.apache.kafka.common.Marker", ClassChange.CHANGED),
        ChangedClass("org.apache.kafka.clients.producer.Old", ClassChange.GONE),
        ChangedClass("org.apache.kafka.clients.producer.Beside", ClassChange.CHANGED, ("",), 0),
    ]
    classes = driven_classes(changed, {0})
    assert [one.name.rpartition(".")[2] for one in classes.undriven] == ["Old", "Marker"]
    assert classes.summary == (
        "2 classes of the producer changed, 1 of them driven; "
        "1 class of common changed, 0 of them driven."
    )
    assert not classes.fails
    assert driven_classes(changed, {0}, fail=True).fails
    assert not driven_classes(changed[2:], {0}, fail=True).fails
