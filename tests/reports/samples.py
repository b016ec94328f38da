"""Reports to make pages of, without a run: written by the code that writes real ones."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from conformance.commands.divergences import replay_command
from conformance.engine.events import RunFinished, RunStarted
from conformance.engine.known import KnownDivergence
from conformance.model.case import Case
from conformance.model.difference import AnswerKind, AnswerSort, Difference, Part
from conformance.model.results import (
    Cell,
    CellResult,
    Divergence,
    Picture,
    RunResult,
    Seconds,
    Shows,
    TestResult,
    Verdict,
    plain,
)
from conformance.model.values import to_json
from conformance.reports.html.documents import load_documents
from conformance.reports.html.page import page_text
from conformance.reports.json_report import JsonReport
from conformance.testees.protocol import Hello, Support
from tests.reports.pages import Page

DIGEST = "0123456789abcdef" * 2
STAYS = "by record: stays"
A_NUMBER = AnswerKind(AnswerSort.VALUE, "a number")


def differing(
    expected: AnswerKind, answered: AnswerKind, *contexts: str, operation: str = "partition"
) -> Difference:
    """Answers of one kind for those of another."""
    return Difference(operation, Part.ANSWER, expected, answered, contexts)


def conforming(behaviour: str, client: str, **more: Any) -> CellResult:
    """A cell of which all cases agreed."""
    values: dict[str, Any] = {
        "cases": 150,
        "steps": 1234,
        "seconds": Seconds(0.1, 0.2, 0.3, 0.0),
        "digest": DIGEST,
        **more,
    }
    return CellResult(Cell(behaviour, client), Verdict.CONFORMS, **values)


def diverging(
    behaviour: str = "keyed",
    client: str = "3.8.0",
    *,
    key: bytes = b"k1",
    topic: str = "t",
    difference: Difference | None = None,
    answer: Any = 2,
    by: str = "a library",
    remarks: tuple[str, ...] = (),
    verdict: Verdict = Verdict.DIVERGES,
) -> CellResult:
    """A cell with a counterexample of one step; ``difference`` None: another number."""
    kind = difference or differing(A_NUMBER, A_NUMBER)
    case: Case = {
        "config": {},
        "metadata": [[(topic, [[0, 1], [1, None], [2, 0]])]],
        "steps": [{"op": "partition", "topic": topic, "key": key, "metadata": 0}],
    }
    divergence = Divergence(
        Cell(behaviour, client),
        expected_of=f"Java {client}",
        answered_by=by,
        case=case,
        expected=[{"answer": 1}],
        answered=[{"answer": answer}],
        step=0,
        java_method="DefaultPartitioner.partition",
        seed=7,
        cases_before=3,
        remarks=remarks,
    )
    found = conforming(
        behaviour, client, divergence=divergence, differences={str(kind): 12}, refused=3,
        kinds={str(kind): kind}, refusals=("an empty key: it cannot be sent",),
    )  # fmt: skip
    return CellResult(**{**_members(found), "verdict": verdict})


def sampled(
    behaviour: str = "sticky", client: str = "3.2.3", verdict: Verdict = Verdict.DIVERGES
) -> CellResult:
    """A cell that was judged by its distribution, with everything that is drawn of it."""
    name, missing = f"{behaviour}/by record", f"{behaviour}/leaders missing"
    stays = Verdict.CONFORMS if verdict is Verdict.CONFORMS else Verdict.DIVERGES
    partitions = ("4", "0", "1", "2", "3")
    others = tuple(tuple(0 if a == b else 50 for a in range(5)) for b in range(5))
    leaning = tuple(tuple(9 + 20 * ((a - b) % 5) for a in range(5)) for b in range(5))
    odd = "moved on 629,131 of 629,131 times where Java stays; 1.00 records in a row"
    return CellResult(
        Cell(behaviour, client),
        verdict,
        records=1_048_576,
        differences={STAYS: 1} if stays is Verdict.DIVERGES else {},
        tests=(
            TestResult(name, "available", Verdict.CONFORMS, 1_048_576, "0 of 1,048,576 records"),
            TestResult(name, "stays", stays, 629_131, odd),
            TestResult(name, "moves on", Verdict.CONFORMS, 419_317, "0 of 419,317 new batches"),
            TestResult(name, "transitions", stays, 395_817, "", 0.0, 0.0, 0.5456, 0.0150),
            TestResult(name, "no memory", Verdict.CONFORMS, 419_189, "", 0.4, 1.0, 0.002, 0.0180),
            TestResult(name, "choices", Verdict.CONFORMS, 1_048_576, "", 0.9, 1.0, 0.0, 0.0096),
            TestResult(missing, "available", Verdict.CONFORMS, 131_072, "0 of 131,072 records"),
            TestResult(missing, "stays", Verdict.CONFORMS, 78_645, "moved on 0 of 78,645 times"),
        ),
        pictures=(
            Picture(name, Shows.TRANSITIONS, partitions, partitions, others, leaning),
            Picture(name, Shows.PARTITIONS, ("all",), partitions, ((5,) * 5,), ((9, 5, 4, 4, 3),)),
            Picture(name, Shows.IN_A_ROW, ("all",), ("records", "times"), ((10, 4),), ((10, 10),)),
        ),
    )


def loaded(verdict: Verdict = Verdict.DIVERGES) -> CellResult:
    """A cell of the adaptive partitioner: shares under load."""
    tests = (TestResult("adaptive", "weights", verdict, 999, "", 1e-9, 1e-8, 0.3, 0.01),)
    table = ((7, 12, 1), (10, 10, 10))
    picture = Picture(
        "adaptive", Shows.LOADS, ("8 3 14", "1 1 1"), ("0", "1", "2"), table, table[::-1]
    )
    return CellResult(
        Cell("adaptive", "3.8.0"),
        verdict,
        records=999,
        differences={"adaptive: weights": 1},
        tests=tests,
        pictures=(picture,),
    )


def not_run(behaviour: str = "built-in", client: str = "3.8.0", why: str = "it died") -> CellResult:
    """A cell of which nothing is known."""
    return CellResult(Cell(behaviour, client), Verdict.NOT_RUN, reason=why)


def absent(behaviour: str = "sticky", client: str = "2.3.1") -> CellResult:
    """A cell that a version does not have."""
    return CellResult(Cell(behaviour, client), Verdict.ABSENT, reason="arrived in 2.4 (KIP-480)")


def report(
    results: Iterable[CellResult],
    name: str | None = "a library",
    *,
    version: str = "1.0",
    language: str = "Perl 5",
    known: tuple[KnownDivergence, ...] = (),
    likeness: tuple[str, ...] = ("keyed: matches Java 3.8.0",),
    outdated: tuple[str, ...] = (),
    unclaimed: tuple[Cell, ...] = (),
    interrupted: bool = False,
    command: tuple[str, ...] = ("perl", "testee.pl"),
) -> dict[str, Any]:
    """The document of a run; of the Python port if there is no name."""
    found = tuple(results)
    listener = JsonReport()
    subjects = f"Java each version and {name or 'the Python port of each version'}"
    listener(RunStarted(7, "quick", subjects, name or "Python port", {}, (), 1))
    listener(RunFinished(RunResult(found, 2.0, 1, interrupted)))
    words = ["--", *command] if name is not None else []
    commands = {
        str(one.cell): replay_command(
            Path(f"conformance-results/{one.cell.behaviour}-{one.cell.client}.json"), words
        )
        for one in found
        if one.divergence is not None
    }
    document = listener.document(commands)
    if name is not None:
        support = Support("exact", claims=("3.8.0",), cannot=("null keys",))
        hello = Hello(name, version, language, {one.cell.behaviour: support for one in found})
        document["testee"] = {
            **plain(hello),
            "command": list(command),
            "likeness": list(likeness),
            "known": [plain(one) for one in known],
            "outdated": list(outdated),
            "unclaimed": [{**plain(one), "why": "It is not claimed."} for one in unclaimed],
        }
    parsed: dict[str, Any] = json.loads(to_json(document))
    return parsed


def usual(name: str | None = "a library", **more: Any) -> dict[str, Any]:
    """One of each verdict."""
    cells = [
        conforming("keyed", "2.3.1"),
        diverging(),
        absent(),
        sampled(verdict=Verdict.KNOWN),
        not_run(),
    ]
    entry = KnownDivergence(
        "sticky", ("3.2.3",), (STAYS,), "It takes turns.", "https://example.org/issue/1"
    )
    return report(cells, name, **{"known": (entry,), **more})


def page_of(folder: Path, *documents: Mapping[str, Any]) -> Page:
    """The page of these documents, taken apart."""
    return Page(page_text(load_documents(written(folder, *documents))))


def written(folder: Path, *documents: Mapping[str, Any]) -> list[Path]:
    """Each document in a file of its own."""
    paths = []
    for number, document in enumerate(documents):
        paths.append(folder / f"{number}.json")
        paths[-1].write_text(json.dumps(document), "utf-8")
    return paths


def _members(result: CellResult) -> dict[str, Any]:
    return {name: getattr(result, name) for name in result.__dataclass_fields__}


def crowd(count: int) -> list[dict[str, Any]]:
    """As many testees as somebody may have, each with as much to tell as a real one."""
    cells = [
        *(conforming("murmur2", client) for client in ("2.3.1", "3.2.3", "3.8.0")),
        *(diverging("keyed", client) for client in ("2.3.1", "3.2.3", "3.8.0")),
        sampled("round-robin-null-key", "2.3.1", Verdict.CONFORMS),
        *(sampled("sticky", client) for client in ("3.2.3", "3.8.0")),
        *(sampled("uniform-sticky", client) for client in ("3.2.3", "3.8.0")),
        sampled("built-in", "3.8.0"),
    ]
    return [report(cells, f"library {number} HashPartitioner") for number in range(count)]
