"""The bugs that were held out: each has its place, and an example that shows it."""

import os
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import python_impl
from conformance.mutants.mutant import compile_kernel
from conformance.mutants.mutation import source_of
from conformance.mutants.sight import SEEN_BY
from conformance.score import held_out as measuring
from conformance.score.held_out import HeldOut, held_out
from conformance.score.measured import Kept
from tests.landing import first_of_each

BUGS = held_out()
_SECONDS = 60


def _number(bug: HeldOut) -> str:
    """Not its name, which says too much."""
    return str(BUGS.index(bug))


def test_there_are_enough_and_no_two_are_alike() -> None:
    assert len(BUGS) >= 120
    assert max(Counter(bug.name for bug in BUGS).values()) == 1
    assert max(Counter((bug.file, bug.before, bug.after) for bug in BUGS).values()) == 1
    assert {bug.file for bug in BUGS} <= set(SEEN_BY)


def test_each_has_its_place() -> None:
    for bug in BUGS:
        assert bug.mutant().patched(source_of(bug.file)) != source_of(bug.file)


def test_one_without_a_place_is_refused_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = replace(BUGS[0], before="no such text")
    monkeypatch.setattr(measuring, "held_out", lambda: (gone,))
    with pytest.raises(LookupError, match="'no such text' stands 0 times"):
        measuring.measure_held_out(
            jobs=1, kept=Kept(tmp_path / "kept.jsonl", resume=False), tell=print
        )


@pytest.mark.parametrize("bug", first_of_each(BUGS, lambda bug: bug.file), ids=_number)
def test_its_example_shows_it(bug: HeldOut) -> None:
    compile_kernel()
    assert in_a_child(bug.demo, python_impl.__name__, None) != in_a_child(bug.demo, "", bug)


def in_a_child(demo: str, package: str, bug: HeldOut | None) -> bytes:
    """What an example results in, or how the child ended: bugs may loop or crash."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(_SECONDS)
        os.write(theirs, repr(_result(demo, package, bug)).encode()[:60_000])
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return said + f" {status}".encode()


def _result(demo: str, package: str, bug: HeldOut | None) -> Any:
    try:
        if bug is not None:
            mutant = bug.mutant()
            mutant.load()
            package = mutant.package
        names: dict[str, Any] = {}
        exec(demo.replace("{package}", package), names)
        return names["result"]
    except Exception as error:
        return repr(type(error))
