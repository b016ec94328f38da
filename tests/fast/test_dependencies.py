"""What a kept answer depends on: read from imports, and nothing too little."""

import ast
from pathlib import Path

import pytest

import conformance
from conformance.behaviours.registry import BEHAVIOURS
from conformance.engine.dependencies import _at_run_time, digest_of, sources_of

SUITE = Path(conformance.__file__).parent


def names(modules: list[str]) -> set[str]:
    return {file.relative_to(SUITE).as_posix() for file in sources_of(modules)}


def test_a_behaviour_depends_on_its_strategies_and_on_no_other_behaviour() -> None:
    sticky = names(["conformance.behaviours.partitioning.sticky"])
    assert {
        "behaviours/partitioning/sticky.py",
        "strategies/metadata.py",
        "strategies/packed.py",
    } <= sticky
    assert "behaviours/partitioning/built_in.py" not in sticky
    assert "behaviours/registry.py" not in sticky


def test_java_beside_a_module_counts() -> None:
    assert "java/Runner.java" in names(["conformance.oracle.client"])


def test_late_imports_count_and_those_for_type_checkers_do_not() -> None:
    assert "oracle/client.py" in names(["conformance.subjects.java_client"])  # in a function
    text = "if TYPE_CHECKING:\n    import one\nelse:\n    import stand_in\nimport other\n"
    told = [node.names[0].name for node in _at_run_time(ast.parse(text)) if hasattr(node, "names")]
    assert told == ["stand_in", "other"]


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.name)
def test_what_python_has_loaded_for_a_behaviour_is_among_its_sources(behaviour: object) -> None:
    """A second way to tell: the modules of the objects that a behaviour's module holds."""
    module = type(behaviour).__module__
    files = names([module])
    space = vars(__import__(module, fromlist=["_"]))
    owners = {getattr(value, "__module__", None) or "" for value in space.values()}
    for owner in (one for one in owners if one.startswith("conformance.")):
        place = owner.removeprefix("conformance.").replace(".", "/")
        assert {f"{place}.py", f"{place}/__init__.py"} & files, owner


def test_a_name_that_is_no_module_is_refused() -> None:
    with pytest.raises(LookupError, match="no module of the suite"):
        sources_of(["conformance.nothing"])


def test_digests_differ() -> None:
    assert digest_of(["conformance.model.case"]) == digest_of(["conformance.model.case"])
    assert digest_of(["conformance.model.case"]) != digest_of(["conformance.model.trace"])
