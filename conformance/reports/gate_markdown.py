"""A gate as Markdown, for a pull request: what changed, and the smallest case of each change.

What comes out of a jar or a case was written by others. All of it stands in code, where Markdown
and HTML mean nothing, nobody is mentioned and no link can be followed.
"""

import re
from collections.abc import Mapping, Sequence

from conformance.gate.driven import Classes
from conformance.gate.outcomes import BehaviourChange, Change
from conformance.jars.client_jar import ClientJar
from conformance.model.results import CellResult, RunResult
from conformance.reports.describe import describe_divergence
from conformance.reports.gate_classes import undriven_lines
from conformance.reports.gate_console import cases_of, counted
from conformance.reports.html.text import cut, cut_lines, visible

_LONGEST_CELL = 400
_MOST_CLASSES = 60
_LONGEST_CASE = 4_000
"""Characters; a comment on GitHub has 65,536 at most, and there are a dozen behaviours."""


def gate_markdown(
    jars: tuple[ClientJar, ClientJar],
    outcomes: Sequence[BehaviourChange],
    outdated: Sequence[str],
    run: RunResult,
    commands: Mapping[str, str],
    effort: str,
    columns: tuple[str, str] = ("behaviour", "cases"),
    classes: Classes | None = None,
) -> str:
    """The whole summary; ``commands`` replay divergences, by the cells' names."""
    old, new = jars
    lines = [
        f"### kafka-clients {_code(old.version)} → {_code(new.version)}: {counted(outcomes)}",
        "",
        f"| {columns[0]} | | {columns[1]} | what |",
        "| --- | --- | ---: | --- |",
        *(_row(one) for one in outcomes),
        "",
    ]
    if outdated:
        lines += ["**Accepted, but no longer occurs:**", ""]
        lines += [f"- {_code(problem)}" for problem in outdated]
        lines.append("")
    changed = {one.behaviour for one in outcomes if one.change is Change.CHANGED}
    for result in run.results:
        if result.cell.behaviour in changed:
            lines += _smallest_case(result, commands)
    lines += _classes(classes) if classes is not None else []
    lines += [
        f"{effort}. SHA-256: baseline {_code(old.sha256)}, candidate {_code(new.sha256)}.",
        "",
    ]
    return "\n".join(lines)


def _row(one: BehaviourChange) -> str:
    change = f"**{one.change}**" if one.change in _BOLD else str(one.change)
    return f"| {one.behaviour} | {change} | {cases_of(one)} | {_code(one.what, in_table=True)} |"


_BOLD = (Change.CHANGED, Change.GONE, Change.NOT_COMPARABLE)


def _smallest_case(result: CellResult, commands: Mapping[str, str]) -> list[str]:
    if result.divergence is None:
        return []
    # The command at its end is what is needed most, so it is never cut.
    told, _, command = describe_divergence(
        result.divergence, commands[str(result.cell)]
    ).rpartition("\n")
    text = f"{cut(visible(cut_lines(told)), _LONGEST_CASE)}\n{visible(command)}"
    fence = "`" * max(3, _longest_ticks(text) + 1)
    summary = f"<details><summary>{result.cell.behaviour}: the smallest case</summary>"
    return [summary, "", f"{fence}text", text, fence, "", "</details>", ""]


def _classes(classes: Classes) -> list[str]:
    lines = [f"{_code(line)}" for line in undriven_lines(classes, _MOST_CLASSES)]
    if not lines:
        return [_code(classes.summary), ""]
    summary = "<summary>Changed, but driven by no behaviour</summary>"
    listed = [f"- {line}" for line in lines]
    return [_code(classes.summary), "", f"<details>{summary}", "", *listed, "", "</details>", ""]


def _code(text: str, *, in_table: bool = False) -> str:
    """A text as code, whatever is in it; nothing for an empty one."""
    shown = " ".join(visible(cut(text, _LONGEST_CELL)).split())
    if not shown:
        return ""
    ticks = "`" * (_longest_ticks(shown) + 1)
    room = " " if len(ticks) > 1 else ""
    if in_table:  # a bar ends the cell even inside of code
        shown = shown.replace("|", r"\|")
    return f"{ticks}{room}{shown}{room}{ticks}"


def _longest_ticks(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
