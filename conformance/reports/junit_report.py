"""A run as JUnit XML: one test case per cell of the matrix."""

from xml.etree import ElementTree as ET

from conformance.engine.results import CellResult, RunResult, Verdict
from conformance.reports.describe import describe_divergence


def junit_text(run: RunResult, replay_commands: dict[str, str]) -> str:
    """The run as JUnit XML.

    A divergence is a failure, a cell that was not run an error (never a skip, which many
    readers count as passed), a behaviour that a version lacks is skipped. ``replay_commands``
    are by the cells' names.
    """
    counts = dict.fromkeys(Verdict, 0)
    for result in run.results:
        counts[result.verdict] += 1
    suite = ET.Element(
        "testsuite",
        name="kafka-conformance",
        tests=str(len(run.results)),
        failures=str(counts[Verdict.DIVERGES]),
        errors=str(counts[Verdict.NOT_RUN]),
        skipped=str(counts[Verdict.ABSENT]),
        time=f"{run.seconds:.3f}",
    )
    for result in run.results:
        suite.append(_test_case(result, replay_commands))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _test_case(result: CellResult, replay_commands: dict[str, str]) -> ET.Element:
    case = ET.Element(
        "testcase",
        classname=f"kafka-clients-{result.cell.client}",
        name=result.cell.behaviour,
        time=f"{result.seconds.total:.3f}",
    )
    if result.verdict is Verdict.DIVERGES and result.divergence is not None:
        text = describe_divergence(result.divergence, replay_commands[str(result.cell)])
        failure = ET.SubElement(case, "failure", message=_clean(text.splitlines()[0]))
        failure.text = _clean(text)
    elif result.verdict is Verdict.DIVERGES:
        failed = [test for test in result.tests if test.verdict is Verdict.DIVERGES]
        text = "; ".join(f"{test.distribution}: {test.test}: {test.detail}" for test in failed)
        ET.SubElement(case, "failure", message=_clean(text))
    elif result.verdict is Verdict.NOT_RUN:
        ET.SubElement(case, "error", message=_clean(result.reason))
    elif result.verdict is Verdict.ABSENT:
        ET.SubElement(case, "skipped", message=_clean(result.reason))
    return case


def _clean(text: str) -> str:
    """Without what XML cannot hold: control characters and lone surrogates."""
    return "".join(
        char if char in "\t\n\r" or (char >= " " and not "\ud800" <= char <= "\udfff") else "?"
        for char in text
    )
