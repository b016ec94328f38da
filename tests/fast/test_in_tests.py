"""Mutations that no case notices, held against unit tests."""

from pathlib import Path

import pytest

from conformance.errors import SuiteError
from conformance.mutants.mutation import Mutation, mutations_of
from conformance.score import in_tests
from conformance.score.in_tests import try_in_tests
from conformance.score.trial import Fate, Tried

_SUBTRACTS = "ReplaceBinaryOperator_Sub_Add"
_IMPORT = "from python_impl.randomness import random_int32\n"
_HOLDS = _IMPORT + "def test_it():\n    assert random_int32() < 2**31\n"
_LOOKS_AWAY = _IMPORT + "def test_it():\n    assert random_int32() is not None\n"
_HANGS = _IMPORT + "def test_it():\n    while random_int32() >= 2**31:\n        pass\n"
_FAILS = "def test_it():\n    assert False, 'as it is'\n"


def _mutation() -> Mutation:
    """An int32 to which 2**31 is added, not taken away: never below 2**31."""
    [mutation] = [one for one in mutations_of("randomness.py") if one.operator == _SUBTRACTS]
    return mutation


def _fates(tmp_path: Path, source: str) -> list[Fate]:
    file = tmp_path / "test_of_randomness.py"
    file.write_text(source, encoding="utf-8")
    survivors = [Tried(_mutation(), Fate.SURVIVED)]
    return [one.outcome for one in try_in_tests(survivors, [str(file)], jobs=1)]


@pytest.mark.parametrize(
    ("source", "fate"), [(_HOLDS, Fate.TESTED), (_LOOKS_AWAY, Fate.SURVIVED)], ids=str
)
def test_a_test_notices_or_does_not(tmp_path: Path, source: str, fate: Fate) -> None:
    assert _fates(tmp_path, source) == [fate]


def test_one_that_does_not_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_tests, "_SECONDS_MORE", 0)
    assert _fates(tmp_path, _HANGS) == [Fate.STOPPED]


@pytest.mark.parametrize("source", [_FAILS, "", "import nowhere_at_all\n"], ids=str)
def test_tests_that_do_not_pass_on_the_port_say_nothing(tmp_path: Path, source: str) -> None:
    with pytest.raises(SuiteError, match="on the port as it is"):
        _fates(tmp_path, source)


def test_without_survivors_nothing_is_run() -> None:
    assert not [*try_in_tests([], ["no such file"], jobs=1)]
