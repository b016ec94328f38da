"""Divergences that are known: they match, or are told to be gone; a crash is never one."""

from pathlib import Path

import pytest

from conformance.behaviours.registry import BEHAVIOURS
from conformance.engine.known import (
    NOTHING_KNOWN,
    KnownDivergence,
    KnownDivergences,
    load_known,
)
from conformance.errors import UsageError
from conformance.model.results import Cell, CellResult, TestResult, Verdict
from tests.cli.running import check_schema
from tests.testees.catalogue import CATALOGUE
from tests.testees.running import TINY, arguments, run_here

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
    with pytest.raises(UsageError, match="no crash or missing answer can"):
        _load(tmp_path, ENTRY.replace(GAPS, difference))


def test_what_no_longer_diverges_is_told() -> None:
    [told] = _known(GAPS).outdated([_result(Verdict.CONFORMS)])
    assert told.startswith("keyed[3.8.0]: ")
    assert GAPS in told
    assert "did not occur" in told
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
    ("stays", "choices", "of_other", "oracle_tested", "verdict"),
    [
        (Verdict.DIVERGES, Verdict.CONFORMS, Verdict.CONFORMS, False, Verdict.KNOWN),
        (Verdict.DIVERGES, Verdict.NOT_RUN, Verdict.CONFORMS, True, Verdict.KNOWN),
        (Verdict.DIVERGES, Verdict.NOT_RUN, Verdict.CONFORMS, False, Verdict.NOT_RUN),
        (Verdict.DIVERGES, Verdict.CONFORMS, Verdict.NOT_RUN, True, Verdict.NOT_RUN),
        (Verdict.CONFORMS, Verdict.NOT_RUN, Verdict.CONFORMS, True, Verdict.NOT_RUN),
        (Verdict.CONFORMS, Verdict.CONFORMS, Verdict.DIVERGES, True, Verdict.DIVERGES),
        (Verdict.CONFORMS, Verdict.CONFORMS, Verdict.CONFORMS, False, Verdict.CONFORMS),
    ],
)
def test_only_a_difference_beside_it_explains_a_test_that_a_subject_left_nothing_for(
    stays: Verdict, choices: Verdict, of_other: Verdict, oracle_tested: bool, verdict: Verdict
) -> None:
    known = _known("by record: stays")
    tests = (
        TestResult("by record", "stays", stays, 9, ""),
        TestResult("by record", "choices", choices, 9, ""),
        TestResult("leaders missing", "available", of_other, 9, ""),
    )
    result = known.result_of_tests(CELL, tests, oracle_tested=oracle_tested)
    assert (result.verdict, result.tests) == (verdict, tests)
    unknown = NOTHING_KNOWN.result_of_tests(CELL, tests, oracle_tested=oracle_tested).verdict
    assert unknown is (Verdict.DIVERGES if result.differences else verdict)


def test_who_always_takes_one_partition_leaves_no_choices_to_test(
    tmp_path: Path, here: None
) -> None:
    [entry] = [entry for entry in CATALOGUE if entry.fault == "always the same partition"]
    run_here(arguments(entry, tmp_path, TINY)).expect(1)
    [cell] = check_schema(tmp_path / "report.json", "report")["cells"]
    assert "there is only one way to choose" in cell["reason"]
    text = ENTRY.replace("keyed", "sticky").replace(
        f'"{GAPS}"', str(list(cell["differences"]))[1:-1]
    )
    (tmp_path / "known.toml").write_text(text.replace('"3.2.3", ', ""), "utf-8")
    words = arguments(entry, tmp_path, TINY)
    words[1:1] = ["--known", str(tmp_path / "known.toml")]
    run_here(words).expect(
        0, "known to diverge", "by record: no memory: not made, for there is only one way to choose"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[divergence", "cannot be read as TOML"),
        ("\udcff", "cannot be read as TOML"),
        ("other = 1\n" + ENTRY, "more than"),
        ("[divergence]\n", "more than"),
        ("divergence = 3\n", "more than"),
        (ENTRY.replace("cause", "because"), "because, cause missing or unknown"),
        (ENTRY.replace("link", "# link"), "link missing or unknown"),
        (ENTRY.replace('"it ignores leaders"', '" "'), "cause must be a string"),
        (ENTRY.replace('"it ignores leaders"', "3"), "cause must be a string"),
        (ENTRY.replace('["3.2.3", "3.8.0"]', "[]"), "clients must be a list of strings"),
        (ENTRY.replace('["3.2.3", "3.8.0"]', "[3]"), "clients must be a list of strings"),
        (ENTRY.replace('["3.2.3", "3.8.0"]', '"3.8.0"'), "clients must be a list of strings"),
        (ENTRY.replace('"keyed"', '"keyde"'), "There is no behaviour 'keyde'"),
        (ENTRY.replace('"3.2.3"', '"3.2.4"'), "There is no client version '3.2.4'"),
        (ENTRY + ENTRY.replace('"keyed"', "[]"), "entry 2: behaviour must be a string"),
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
