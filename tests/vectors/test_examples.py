"""The examples in three languages check the vectors by themselves, and notice a bug."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.landing import later, nightly
from tests.vectors.test_lint import VECTORS

EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Example:
    """How a check is started in its folder, and a bug: a text of its testee and another."""

    folder: str
    command: Sequence[str]
    testee: str
    right: str
    wrong: str
    program: str = ""
    nothing_compared: int = 2
    """The exit code if there was nothing to compare; ``go test`` has only one."""

    def run(self, folder: Path, vectors: Path) -> "subprocess.CompletedProcess[str]":
        """Run the check on the copy in a folder."""
        arguments = [str(vectors) if part == "VECTORS" else part for part in self.command]
        return subprocess.run(
            arguments,
            cwd=folder,
            env={**os.environ, "VECTORS": str(vectors), "PYTHONPATH": ""},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )


ALL = [
    Example(
        "python",
        (sys.executable, "check_vectors.py", "VECTORS"),
        "testee.py",
        "(murmur2(key) & 0x7FFFFFFF) % abs(count)",
        "(murmur2(key) & 0xFFFFFFFF) % abs(count)",
    ),
    Example(
        "node",
        ("node", "check_vectors.js", "VECTORS"),
        "testee.js",
        "remainder(toPositive(murmur2(",
        "remainder(Math.abs(murmur2(",
        "node",
    ),
    Example(
        "go",
        ("go", "test", "-count=1", "-v", "testee.go", "testee_test.go"),
        "testee.go",
        "return (number & 0x7fffffff) % int32(count)",
        "return number % int32(count)",
        "go",
        1,
    ),
]

# The same checks, and bugs in what writes and reads batches: each shows in answers of its own.
BATCHES = [
    replace(ALL[0], testee="batches.py", right="0x82F63B78", wrong="0xEDB88320"),
    replace(
        ALL[1],
        testee="batches.js",
        right="[...rows, 'refused']",
        wrong="rows",
    ),
    Example(
        "go/batches",
        ("go", "test", "-count=1", "-v", "batches.go", "batches_test.go"),
        "batches.go",
        "varint(varint([]byte{0}, timeDelta), int64(offsetDelta))",
        "varint(varint([]byte{0}, int64(offsetDelta)), timeDelta)",
        "go",
        1,
    ),
]


def _copy(example: Example, place: Path) -> Path:
    if example.program and shutil.which(example.program) is None:
        pytest.skip(f"there is no {example.program}")
    return Path(shutil.copytree(EXAMPLES / example.folder, place / example.folder))


@pytest.mark.parametrize("example", [*ALL, BATCHES[-1]], ids=lambda example: example.folder)
def test_the_example_passes(example: Example, tmp_path: Path) -> None:
    answer = example.run(_copy(example, tmp_path), VECTORS)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    found = re.search(r"(\d+) answers compared", answer.stdout)
    assert found is not None
    assert int(found[1]) >= 20


@pytest.mark.parametrize("example", ALL, ids=lambda example: example.folder)
def test_a_bug_fails_with_ids_and_notes(example: Example, tmp_path: Path) -> None:
    answer = _with_bug(example, tmp_path)
    assert re.search(r"(keyed|round-robin)-[0-9a-f]{8}: ", answer.stdout), answer.stdout
    assert re.search(
        r"(WideMask|AbsForMask|SignedModulo|SignOfDraw|CounterWrap): \w+", answer.stdout
    ), answer.stdout


@pytest.mark.parametrize("example", BATCHES, ids=lambda example: example.folder)
def test_a_bug_of_batches_fails_with_ids_and_notes(example: Example, tmp_path: Path) -> None:
    answer = _with_bug(example, tmp_path)
    assert re.search(r"(record-batch|batch-reading)-[0-9a-f]{8}: ", answer.stdout), answer.stdout
    told = r"(Checksum|RecordCount|BatchLength|TimeDelta|OffsetDelta): \w+"
    assert re.search(told, answer.stdout), answer.stdout


def _with_bug(example: Example, place: Path) -> "subprocess.CompletedProcess[str]":
    """The check of an example that has its bug; it must fail."""
    folder = _copy(example, place)
    testee = folder / example.testee
    text = testee.read_text("utf-8")
    assert text.count(example.right) == 1
    testee.write_text(text.replace(example.right, example.wrong), "utf-8")
    answer = example.run(folder, VECTORS)
    assert answer.returncode == 1
    return answer


@nightly
def test_a_step_without_an_answer_is_not_passed_over_in_go(tmp_path: Path) -> None:
    """There a loop over the port's own answers would end early, and nobody would notice."""
    folder = _copy(ALL[2], tmp_path)
    testee = folder / "testee.go"
    text = testee.read_text("utf-8")
    assert text.count("\treturn answers\n") == 1
    testee.write_text(text.replace("\treturn answers\n", "\treturn nil\n"), "utf-8")
    assert ALL[2].run(folder, VECTORS).returncode == 1


@pytest.mark.parametrize("example", ALL, ids=lambda example: example.folder)
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "keyed.json"),
        later(('{"cases": [', "keyed.json is no file of vectors")),
        later(('{"format": "kafka-conformance vectors 9"}', "kafka-conformance vectors 9")),
    ],
    ids=["missing", "broken", "another format"],
)
def test_files_that_are_no_vectors_are_told(
    example: Example, text: str | None, told: str, tmp_path: Path
) -> None:
    vectors = Path(shutil.copytree(VECTORS, tmp_path / "vectors"))
    file = vectors / "keyed.json"
    file.unlink()
    if text is not None:
        file.write_text(text, "utf-8")
    answer = example.run(_copy(example, tmp_path), vectors)
    said = answer.stdout + answer.stderr
    assert answer.returncode == example.nothing_compared
    assert told in said
    assert "answers compared" not in said
    assert "Traceback" not in said
