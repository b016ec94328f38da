"""Divergences that are known: they match, or are told to be gone; a crash is never one."""

from pathlib import Path

import pytest

from conformance.behaviours import BEHAVIOURS
from conformance.engine.known import (
    NOTHING_KNOWN,
    KnownDivergence,
    KnownDivergences,
    load_known,
)
from conformance.engine.results import Cell, CellResult, Verdict
from conformance.errors import UsageError

GAPS = "partition: a number for another"
CELL = Cell("keyed", "3.8.0")
ENTRY = f"""
[[divergence]]
behaviour = "keyed"
clients = ["3.2.3", "3.8.0"]
differences = ["{GAPS}"]
cause = "it ignores leaders"
link = "https://example.org/1"
"""


def _load(folder: Path, text: str) -> KnownDivergences:
    file = folder / "known.toml"
    file.write_text(text, "utf-8")
    return load_known(file)


def _known(*differences: str, behaviour: str = "keyed", client: str = "3.8.0") -> KnownDivergences:
    entry = KnownDivergence(behaviour, (client,), differences, "a cause", "a link")
    return KnownDivergences((entry,))


def _result(verdict: Verdict, *differences: str) -> CellResult:
    seen = dict.fromkeys(differences, 1)
    return CellResult(CELL, verdict, cases=10, differences=seen, reason="the reason")


def test_a_file_is_read(tmp_path: Path) -> None:
    [entry] = _load(tmp_path, ENTRY).entries
    assert entry.behaviour == "keyed"
    assert entry.clients == ("3.2.3", "3.8.0")
    assert entry.differences == (GAPS,)
    assert (entry.cause, entry.link) == ("it ignores leaders", "https://example.org/1")


def test_an_empty_file_knows_nothing(tmp_path: Path) -> None:
    assert _load(tmp_path, "# nothing diverges\n") == NOTHING_KNOWN


def test_only_what_is_written_down_is_excused(tmp_path: Path) -> None:
    known = _load(tmp_path, ENTRY)
    assert known.excuse(CELL, GAPS) is known.entries[0]
    assert known.excuse(Cell("keyed", "2.3.1"), GAPS) is None
    assert known.excuse(Cell("round-robin", "3.8.0"), GAPS) is None
    assert known.excuse(CELL, "partition: a number for error arithmetic") is None
    assert NOTHING_KNOWN.excuse(CELL, GAPS) is None


@pytest.mark.parametrize(
    "difference",
    [
        *(
            "partition: died for a number",
            "partition: died for another",
            "new batch: died for null",
        ),
        *("partition: nothing", "died", "partition: died for a number (ids with gaps)"),
    ],
)
def test_a_crash_or_a_missing_answer_is_never_excused(difference: str, tmp_path: Path) -> None:
    assert _known(difference).excuse(CELL, difference) is None
    with pytest.raises(UsageError, match="a crash or a missing answer never is"):
        _load(tmp_path, ENTRY.replace(GAPS, difference))


def test_what_no_longer_diverges_is_told() -> None:
    [told] = _known(GAPS).outdated([_result(Verdict.CONFORMS)])
    assert told.startswith("keyed[3.8.0]: ")
    assert GAPS in told
    assert "was not seen" in told
    assert "a cause" in told


def test_one_of_two_differences_that_is_gone_is_told() -> None:
    known = _known(GAPS, "partition: another state")
    [told] = known.outdated([_result(Verdict.KNOWN, GAPS)])
    assert "'partition: another state'" in told
    assert known.outdated([_result(Verdict.DIVERGES, GAPS, "partition: another state")]) == []


def test_an_entry_for_a_cell_that_is_absent_is_told() -> None:
    [told] = _known(GAPS).outdated([_result(Verdict.ABSENT)])
    assert "is absent: the reason" in told


def test_cells_that_were_not_run_say_nothing() -> None:
    assert _known(GAPS).outdated([_result(Verdict.NOT_RUN)]) == []
    assert _known(GAPS).outdated([]) == []
    assert _known(GAPS, client="2.3.1").outdated([_result(Verdict.CONFORMS)]) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[divergence", "cannot be read as TOML"),
        ("\udcff", "cannot be read as TOML"),
        ("other = 1\n" + ENTRY, "something else than"),
        ("[divergence]\n", "something else than"),
        ("divergence = 3\n", "something else than"),
        (ENTRY.replace("cause", "because"), "because, cause missing or unknown"),
        (ENTRY.replace("link", "# link"), "link missing or unknown"),
        (ENTRY.replace('"it ignores leaders"', '" "'), "cause must be a text"),
        (ENTRY.replace('"it ignores leaders"', "3"), "cause must be a text"),
        (ENTRY.replace('["3.2.3", "3.8.0"]', "[]"), "clients must be a list of texts"),
        (ENTRY.replace('["3.2.3", "3.8.0"]', "[3]"), "clients must be a list of texts"),
        (ENTRY.replace('["3.2.3", "3.8.0"]', '"3.8.0"'), "clients must be a list of texts"),
        (ENTRY.replace('"keyed"', '"keyde"'), "There is no behaviour 'keyde'"),
        (ENTRY.replace('"3.2.3"', '"3.2.4"'), "There is no client version '3.2.4'"),
        (ENTRY + ENTRY.replace('"keyed"', "[]"), "entry 2: behaviour must be a text"),
        ('divergence = ["x"]\n', "entry 1"),
    ],
)
def test_a_file_that_is_not_as_documented_is_the_user_s_mistake(
    text: str, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "known.toml"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError) as refused:
        load_known(file)
    assert words in str(refused.value)
    assert refused.value.exit_code == 2


def test_a_file_that_does_not_exist_is_the_user_s_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        load_known(tmp_path / "missing.toml")


def test_every_behaviour_can_be_named(tmp_path: Path) -> None:
    for behaviour in BEHAVIOURS:
        text = ENTRY.replace('"keyed"', f'"{behaviour.name}"')
        assert _load(tmp_path, text).entries[0].behaviour == behaviour.name
