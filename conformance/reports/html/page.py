"""The page: what its template is given, and the template's surroundings."""

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from conformance.behaviours.registry import BEHAVIOURS
from conformance.model.results import Verdict
from conformance.reports.console import version_key
from conformance.reports.html.documents import Documents
from conformance.reports.html.experiments import experiment_views
from conformance.reports.html.gates import gate_view
from conformance.reports.html.looks import LOOKS, SOME
from conformance.reports.html.pictures import HEIGHT, SIDE
from conformance.reports.html.statistics import statistics_view
from conformance.reports.html.testees import TesteeView, testee_view
from conformance.reports.html.text import cut, inert
from conformance.suite_version import suite_version

TITLE = "Kafka partitioner conformance"


def page_text(documents: Documents, title: str = TITLE) -> str:
    """The whole page; raises :class:`UsageError` for a damaged divergence."""
    found = [testee_view(path, one, at) for at, (path, one) in enumerate(documents.reports)]
    found = _told_apart(found)
    gates = [gate_view(path, one, at) for at, (path, one) in enumerate(documents.gates)]
    experiments = [
        view
        for at, (path, one) in enumerate(documents.experiments)
        for view in experiment_views(path, one, at)
    ]
    testees = sorted(found, key=lambda one: (one.group.casefold(), one.name.casefold()))
    script = _part("page.js")
    return (
        _environment()
        .get_template("page.html")
        .render(
            title=cut(title, 200),
            style=Markup(_part("style.css")),
            script=Markup(script),
            script_hash=_hash(script),
            looks=[*LOOKS.values(), SOME],
            groups=_groups(testees),
            testees=testees,
            columns=_columns(testees),
            counts=_counts(testees),
            unrun=[
                *(one for one in testees if one.counts[Verdict.NOT_RUN] or one.interrupted),
                *(one for one in gates if one.unrun),
                *(one for one in experiments if one.unrun or one.interrupted),
            ],
            untried=[one for one in testees if one.untried],
            statistics=[statistics_view(*one, at) for at, one in enumerate(documents.statistics)],
            gates=gates,
            experiments=experiments,
            files=len({path for kind in _kinds(documents) for path, _ in kind}),
            suite_version=suite_version(),
            side=SIDE,
            height=HEIGHT,
        )
    )


def _kinds(documents: Documents) -> tuple[Sequence[tuple[Path, Any]], ...]:
    return documents.reports, documents.statistics, documents.gates, documents.experiments


def _told_apart(found: Sequence[TesteeView]) -> list[TesteeView]:
    """With the names of their files, where several are of one subject."""
    who = Counter((one.name, one.version, one.language) for one in found)
    return [
        replace(one, name=f"{one.name} ({one.file})")
        if who[one.name, one.version, one.language] > 1
        else one
        for one in found
    ]


def _counts(testees: Sequence[TesteeView]) -> list[tuple[Any, int]]:
    """How many cells have each verdict."""
    return [(look, sum(one.counts[verdict] for one in testees)) for verdict, look in LOOKS.items()]


def _groups(testees: Sequence[TesteeView]) -> Mapping[str, list[TesteeView]]:
    """By language."""
    groups: dict[str, list[TesteeView]] = {}
    for one in testees:
        groups.setdefault(one.group, []).append(one)
    return groups


def _columns(testees: Sequence[TesteeView]) -> list[tuple[str, list[str]]]:
    """Behaviours with the versions of which anybody was tried; absent everywhere is no column."""
    cells = {key for one in testees for key in one.cells}
    order = {behaviour.name: at for at, behaviour in enumerate(BEHAVIOURS)}
    names = sorted({name for name, _ in cells}, key=lambda name: (order.get(name, 99), name))
    return [
        (name, sorted((c for n, c in cells if n == name), key=lambda c: (version_key(c), c)))
        for name in names
    ]


def _part(name: str) -> str:
    return (resources.files(__package__) / "templates" / name).read_text("utf-8")


def _hash(script: str) -> str:
    """What the page's policy allows: this script and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@cache
def _environment() -> Environment:
    # Not a word of a report reaches the page but through `inert`, and escaped.
    return Environment(
        loader=PackageLoader("conformance.reports.html"),
        autoescape=True,
        finalize=inert,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
