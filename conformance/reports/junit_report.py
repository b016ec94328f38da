"""A run as JUnit XML: one test case per cell of the matrix, and one for each further problem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from conformance.engine.likeness import UNTRIED, TesteeOutcome
from conformance.model.results import Cell, CellResult, RunResult, Verdict
from conformance.reports.describe import describe_divergence


@dataclass(frozen=True)
class Further:
    """Something that fails a run and is of no cell."""

    name: str
    verdict: Verdict
    """Diverges or not run."""
    message: str
    of: str = "testee"
    """What it is a problem of: the class name of its test case."""


def further_of(outcome: TesteeOutcome) -> list[Further]:
    """What fails the run of a testee beside its cells."""
    gone = [Further("known divergences", Verdict.DIVERGES, told) for told in outcome.outdated]
    untried = [Further(name, Verdict.NOT_RUN, f"not run, {UNTRIED}") for name in outcome.untried]
    return gone + untried


def junit_text(
    run: RunResult,
    replay_commands: Mapping[str, str],
    *,
    unclaimed: Mapping[Cell, str] | None = None,
    further: Sequence[Further] = (),
) -> str:
    """The run as JUnit XML, which fails exactly if the command does.

    A divergence is a failure, a cell that was not run an error (never a skip, which many
    readers count as passed), a behaviour that a version lacks is skipped, and so is a divergence
    that decides nothing (``unclaimed``, with the reason). ``replay_commands`` are by the cells'
    names.
    """
    suite = ET.Element("testsuite", name="kafka-conformance")
    for result in run.results:
        suite.append(_test_case(result, replay_commands, (unclaimed or {}).get(result.cell)))
    for problem in further:
        case = ET.SubElement(suite, "testcase", classname=problem.of, name=_clean(problem.name))
        tag = "failure" if problem.verdict is Verdict.DIVERGES else "error"
        ET.SubElement(case, tag, message=_clean(problem.message))
    suite.set("tests", str(len(suite)))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("time", f"{run.seconds:.3f}")
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _test_case(
    result: CellResult, replay_commands: Mapping[str, str], unclaimed: str | None
) -> ET.Element:
    case = ET.Element(
        "testcase",
        classname=f"kafka-clients-{result.cell.client}",
        name=result.cell.behaviour,
        time=f"{result.seconds.total:.3f}",
    )
    if result.verdict is Verdict.DIVERGES:
        text = _differences(result, replay_commands)
        if unclaimed is None:
            failure = ET.SubElement(case, "failure", message=_clean(text.splitlines()[0]))
            failure.text = _clean(text)
        else:
            ET.SubElement(case, "skipped", message=_clean(f"Diverges. {unclaimed}"))
            ET.SubElement(case, "system-out").text = _clean(text)
    elif result.verdict is Verdict.NOT_RUN:
        ET.SubElement(case, "error", message=_clean(result.reason))
    elif result.verdict is Verdict.ABSENT:
        ET.SubElement(case, "skipped", message=_clean(result.reason))
    elif result.in_part:
        told = result.in_part
        if result.refused:
            told += f": {'; '.join(result.refusals)}"
        ET.SubElement(case, "system-out").text = _clean(told)
    return case


def _differences(result: CellResult, replay_commands: Mapping[str, str]) -> str:
    """The smallest case, and the tests of distributions that failed."""
    failed = [test.told for test in result.tests if test.verdict is Verdict.DIVERGES]
    if result.divergence is not None:
        failed.insert(0, describe_divergence(result.divergence, replay_commands[str(result.cell)]))
    return "\n".join(failed or result.differences)


def _clean(text: str) -> str:
    """Without what XML cannot hold: control characters and lone surrogates."""
    return "".join(
        char if char in "\t\n\r" or (char >= " " and not "\ud800" <= char <= "\udfff") else "?"
        for char in text
    )
