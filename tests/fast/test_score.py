"""The score's own code: it must say what survives, and not publish what is wrong or stale."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import conformance
import python_impl
from conformance.engine.dependencies import sources_of
from conformance.errors import UsageError
from conformance.mutants.catalogue import MUTANTS, SOMETIMES
from conformance.mutants.mutant import Mutant
from conformance.mutants.mutation import Mutation, excluded_places, files, mutations_of
from conformance.mutants.sight import SEEN_BY, cells_seeing
from conformance.score.explanations import BY_CHANCE, Explanation, load_explanations
from conformance.score.measure import Measured
from conformance.score.measured import MEASURING, Kept
from conformance.score.page import page
from conformance.score.plot import draw
from conformance.score.score import FileScore, Score, complaints, from_file, to_file

ROOT = Path(__file__).parents[2]
SUITE = Path(conformance.__file__).parent
SCORE = ROOT / "docs" / "score.md"
LIVING = Mutation("int32.py", "NumberReplacer", 3, 12, "return number + 1")
REASON = Explanation("int32.py", "return number + 1", ("NumberReplacer",), "equivalent", "no use")
MEASURED = [
    Measured(mutant.name, (True,) * 10, tuple(range(1, 11)), 2, 100, False, True)
    for mutant in MUTANTS
]


def score(*survivors: Mutation, planted: tuple[Measured, ...] = tuple(MEASURED)) -> Score:
    outcomes = {"killed": 5, "survived": len(survivors)}
    return Score(planted, (FileScore("int32.py", outcomes, 7, survivors),))


def test_what_becomes_of_mutations() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.fast.trying"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(ran.stdout) == {
        "equivalent": "survived",
        "off the list": "killed",
        "endless draws": "killed",
        "endless loop": "stopped",
        "not looked at": "survived",
    }


@pytest.mark.parametrize("file", [MUTANTS[0].file, "columns.py"])
def test_a_mutant_whose_place_is_gone_says_so_at_once(file: str) -> None:
    """Also in a file that is imported late: then it would be taken for a crash of the port."""
    moved = replace(MUTANTS[0], name="a place that is gone", file=file, before="no such text")
    with pytest.raises(LookupError, match=r"a place that is gone: 'no such text' stands 0 times"):
        moved.load()


def test_all_is_well_if_every_survivor_has_its_reason() -> None:
    assert complaints(score(LIVING), [REASON]) == []


def test_a_survivor_without_a_reason_is_a_complaint() -> None:
    assert complaints(score(LIVING), []) == [
        f"survived, and nobody has explained why: {LIVING}",
    ]


@pytest.mark.parametrize(
    "said",
    [
        replace(REASON, text="return number"),
        replace(REASON, operators=("NumberReplacer", "AddNot")),
    ],
    ids=["of another line", "an operator too many"],
)
def test_a_reason_without_a_survivor_is_a_complaint(said: Explanation) -> None:
    [*_, complaint] = complaints(score(LIVING), [REASON, said])
    assert complaint.startswith("explained, but nothing of it survives: int32.py: return number")


def test_what_survives_by_chance_may_be_killed() -> None:
    by_chance = replace(REASON, text="return number", kind=BY_CHANCE)
    assert complaints(score(LIVING), [REASON, by_chance]) == []


def test_reasons_of_files_that_were_not_tried_are_not_stale() -> None:
    assert complaints(score(LIVING), [REASON, replace(REASON, file="columns.py")]) == []


def test_a_planted_bug_that_lives_on_one_seed_is_a_complaint() -> None:
    lucky = replace(MEASURED[0], killed=(True,) * 9 + (False,))
    assert complaints(score(planted=(lucky,)), []) == [f"{MUTANTS[0].name}: survived 1 of 10 seeds"]


def test_a_reason_must_be_complete(tmp_path: Path) -> None:
    file = tmp_path / "explained.toml"
    file.write_text('[[survivor]]\nfile = "int32.py"\ntext = "x"\noperators = ["AddNot"]\n')
    with pytest.raises(UsageError, match=r"Entry 1 of explained\.toml is not complete"):
        load_explanations(file)


def test_the_reasons_are_complete_and_of_lines_that_exist() -> None:
    reasons = load_explanations()
    mutations = {file: mutations_of(file) for file in {said.file for said in reasons}}
    for said in reasons:
        for operator in said.operators:
            alone = replace(said, operators=(operator,))
            assert any(alone.explains(one) for one in mutations[said.file]), (
                f"no mutation is like {alone}"
            )


def test_the_published_score_has_every_planted_bug() -> None:
    """A new mutant wants a measured row, and a changed one another."""
    rows = re.findall(
        r"^\| ([^|]+) \| ([^|]+) \| [^|]+ \| ([^|]+) \| .+ steps, \d+ \| .+ \|$",
        SCORE.read_text("utf-8"),
        flags=re.MULTILINE,
    )
    assert [tuple(row) for row in rows] == [
        (mutant.name, mutant.bug, f"{mutant.behaviour}, {mutant.client}") for mutant in MUTANTS
    ], "measure anew: tox -e mutants"


def test_the_published_score_has_every_file_and_every_reason() -> None:
    text = SCORE.read_text("utf-8")
    mutations = text.partition("## Mutations by machine")[2]
    published = re.findall(r"^\| (\S+\.py) \| \d+ \| \d+ \| ", mutations, flags=re.MULTILINE)
    tried = [file for file in files() if mutations_of(file)]
    assert published == tried, "measure anew: tox -e mutants"
    for said in load_explanations():
        assert f"| {said.why} |" in text, f"measure anew: tox -e mutants; {said} is not there"


def test_the_readme_tells_the_published_figures() -> None:
    [(tried, survived)] = re.findall(
        r"^(\d+) mutations: \d+ found \(.+\), (\d+) survived",
        SCORE.read_text("utf-8"),
        flags=re.MULTILINE,
    )
    told = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert f"{len(MUTANTS)} planted bugs, {tried} mutations by machine" in told
    assert f"{survived} survive" in told


def test_vectors_that_were_not_run_are_no_zero() -> None:
    rows = page(score(), []).splitlines()
    total = next(row for row in rows if row.startswith("| **all**"))
    assert (
        total
        == f"| **all** | {len(MUTANTS)} | {len(MUTANTS)} | not run | 0 | {len(MUTANTS)} | 5.5 |"
    )


def test_the_plot_is_the_same_every_time(tmp_path: Path) -> None:
    draw(MEASURED, tmp_path / "one.svg")
    draw(MEASURED, tmp_path / "two.svg")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_what_was_measured_is_not_measured_again(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    Kept(file, resume=True).put([1, True], "a bug", 1)
    with file.open("a", encoding="utf-8") as cut_off:
        cut_off.write('["a line that was cut')
    kept = Kept(file, resume=True)
    assert kept.get("a bug", 1) == [1, True]
    assert kept.get("a bug", 2) is None
    kept.put("more", "a bug", 2)
    assert Kept(file, resume=True).get("a bug", 2) == "more"
    assert Kept(file, resume=False).get("a bug", 1) is None


def test_a_new_planted_bug_leaves_what_was_measured_of_others() -> None:
    measuring = {file.relative_to(SUITE).as_posix() for file in sources_of(MEASURING)}
    assert {"engine/check.py", "behaviours/partitioning/sticky.py", "java/Runner.java"} <= measuring
    assert "mutants/catalogue.py" not in measuring
    assert not any(file.startswith("mutants/partitioning/") for file in measuring)
    assert not any(file.startswith(("reports/", "commands/")) for file in measuring)


def test_what_was_measured_of_other_sources_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Kept(tmp_path / "kept.jsonl", resume=False).put(1, "a bug")
    monkeypatch.setattr("conformance.score.measured.sources", lambda: "others")
    assert Kept(tmp_path / "kept.jsonl", resume=True).get("a bug") is None


def test_without_a_last_run_there_is_nothing_to_write_again(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no last run"):
        from_file(tmp_path / "score.json")


def test_figures_can_be_kept(tmp_path: Path) -> None:
    file = tmp_path / "score.json"
    to_file(score(LIVING), file)
    assert from_file(file) == score(LIVING)


def test_every_file_of_the_port_is_seen_by_something_or_explained() -> None:
    assert set(SEEN_BY) == set(files())
    assert [file for file in files() if not cells_seeing(file)] == [
        "producer/__init__.py",
        "producer/waiting_pool.py",
        "randomness.py",
        "records/sized_builder.py",
    ]


def test_annotations_and_texts_are_no_behaviour() -> None:
    source = (
        "x: A = 1 + 1\n"
        "def f(a: B | None) -> C | D:\n"
        '    raise E(f"{1 + a}")\n'
        "K: TypeAlias = A | B\n"
    )
    lines = source.splitlines()
    left_out = [lines[a[0] - 1][a[1] : b[1]] for a, b in excluded_places(source)]
    assert sorted(left_out) == [
        "A",
        "B | None",
        "C | D",
        "K: TypeAlias = A | B",
        'f"{1 + a}"',
        'f"{1 + a}"',
    ]


@pytest.mark.parametrize("mutant", [*MUTANTS, *SOMETIMES], ids=lambda mutant: mutant.name)
def test_a_planted_bug_has_its_one_place_and_is_python(mutant: Mutant) -> None:
    source = (Path(python_impl.__file__).parent / mutant.file).read_text("utf-8")
    compile(mutant.patched(source), mutant.file, "exec")
