"""Who may import whom: the layers of docs/architecture.md, held by reading the imports."""

import ast
import re
import subprocess
import sys
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _imports(file: Path) -> set[str]:
    """The absolute module names that a file imports, late imports included."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module)
    return found


def _files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def _importers(folder: str, module: str) -> set[str]:
    return {
        str(file.relative_to(ROOT))
        for file in _files(folder)
        if any(name == module or name.startswith(f"{module}.") for name in _imports(file))
    }


@pytest.mark.parametrize("module", ["jpype", "pyspark", "conformance", "hypothesis"])
def test_the_ports_know_nothing_of_java_spark_or_the_suite(module: str) -> None:
    assert _importers("python_impl", module) == set()


def test_only_the_oracle_imports_jpype() -> None:
    assert all(f.startswith("conformance/oracle/") for f in _importers("conformance", "jpype"))
    assert _importers("conformance", "jpype")


def test_only_its_own_folder_imports_spark() -> None:
    assert all(f.startswith("conformance/spark/") for f in _importers("conformance", "pyspark"))
    assert _importers("conformance", "pyspark")


@pytest.mark.parametrize("module", ["scipy", "statsmodels", "pandas", "pyspark", "matplotlib"])
def test_what_only_distributions_need_does_not_delay_the_other_commands(module: str) -> None:
    # Workers of a run import the same, each for itself.
    found = (
        f"import sys, conformance.cli, conformance.engine.workers; print({module!r} in sys.modules)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", found], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "False"


def test_only_the_port_subject_the_mutants_and_the_simulator_import_the_port() -> None:
    importers = {"conformance/subjects/python_port.py", "conformance/mutants/mutant.py"}
    found = _importers("conformance", "python_impl")
    simulated = "conformance/simulation/", "conformance/predictions/", "conformance/experiments/"
    assert {one for one in found if not one.startswith(simulated)} == importers


def test_experiments_take_of_the_port_only_what_reads_records() -> None:
    imported = set().union(*map(_imports, _files("conformance/experiments")))
    assert {name for name in imported if name.startswith("python_impl")} == {"python_impl.records"}


def test_the_simulator_rests_on_the_port_alone() -> None:
    places = set().union(*map(_places_imported, _files("conformance/simulation")))
    assert places == {"simulation", "errors.py", "names.py"}


@pytest.mark.parametrize(
    ("folder", "forbidden"),
    [
        ("conformance/strategies", "conformance.behaviours"),
        ("conformance/strategies", "conformance.oracle"),
        ("conformance/strategies", "conformance.engine"),
        ("conformance/behaviours", "conformance.engine"),
        ("conformance/behaviours", "conformance.oracle.client"),
        ("conformance/behaviours", "conformance.reports"),
        ("conformance/behaviours", "conformance.subjects"),
        ("conformance/oracle", "conformance.behaviours"),
        ("conformance/oracle", "conformance.engine"),
        ("conformance/engine", "conformance.reports"),
        ("conformance/engine", "conformance.cli"),
        ("conformance/subjects", "conformance.engine"),
        ("conformance/jars", "conformance.engine"),
        ("conformance/statistics", "conformance.distributions"),
        ("conformance/statistics", "conformance.spark"),
        ("conformance/distributions", "conformance.spark"),
        ("conformance/distributions", "conformance.reports"),
        ("conformance/reports", "conformance.oracle"),
        ("conformance/engine", "conformance.vectors"),
        ("conformance/engine", "conformance.distributions"),
        ("conformance/engine", "conformance.sampling"),
        ("conformance/engine", "conformance.statistics"),
        ("conformance/engine", "conformance.gate"),
        ("conformance/gate", "conformance.reports"),
        ("conformance/gate", "conformance.spark"),
        ("conformance/vectors", "conformance.score"),
        ("conformance/mutants", "conformance.vectors"),
        ("conformance/score", "conformance.reports"),
        ("conformance/distributions", "conformance.engine"),
        ("conformance/subjects", "conformance.distributions"),
        ("conformance/vectors", "conformance.oracle.client"),
        ("conformance/vectors", "conformance.reports"),
        ("conformance/vectors", "conformance.commands"),
    ],
)
def test_lower_layers_do_not_import_higher_ones(folder: str, forbidden: str) -> None:
    assert _files(folder)
    assert _importers(folder, forbidden) == set()


def _place(name: str) -> str:
    """The folder of a module of the suite, or the module itself where it is in none."""
    first = name.split(".")[1]
    return first if (ROOT / "conformance" / first).is_dir() else f"{first}.py"


def _places_imported(file: Path) -> set[str]:
    inside = [name for name in _imports(file) if name.startswith("conformance.")]
    # "from conformance import errors" names a module, too; nobody writes it.
    assert "conformance" not in _imports(file), file
    return {_place(name) for name in inside}


def test_folders_do_not_import_each_other_in_circles() -> None:
    """Neither late nor for type checkers only: who reads one folder reads what is below it."""
    graph: dict[str, set[str]] = {}
    for file in _files("conformance"):
        place = file.relative_to(ROOT / "conformance").parts[0]
        graph.setdefault(place, set()).update(_places_imported(file) - {place})
    try:
        order = [*TopologicalSorter(graph).static_order()]
    except CycleError as error:
        pytest.fail(f"these import each other: {' -> '.join(error.args[1])}")
    assert order.index("model") < order.index("commands")


def test_folders_import_those_above_them_in_the_table_of_the_architecture() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    table = re.findall(r"^\| `conformance/(\w+)/`", page, re.MULTILINE)
    folders = {path.parent.name for path in (ROOT / "conformance").glob("*/__init__.py")}
    assert set(table) == folders
    for place, folder in enumerate(table):
        imported = set().union(*map(_places_imported, _files(f"conformance/{folder}")))
        assert imported & set(table[place + 1 :]) == set(), folder


def test_the_model_rests_on_nothing_but_errors() -> None:
    places = set().union(*map(_places_imported, _files("conformance/model")))
    assert places == {"model", "errors.py"}


def test_no_three_files_have_one_name() -> None:
    """But for what is about one behaviour: its cases, its distribution and its planted bugs."""
    about = {file.name for file in _files("conformance/behaviours")}
    names = Counter(file.name for file in _files("conformance") if file.name not in about)
    assert {name for name, count in names.items() if count > 2} == set()


def test_files_fit_a_reader() -> None:
    long = {
        str(file.relative_to(ROOT)): lines
        for folder in ("conformance", "python_impl", "tests", "bench")
        for file in _files(folder)
        if (lines := len(file.read_text("utf-8").splitlines())) > 400
    }
    assert long == {}


def test_importing_a_package_imports_nothing_else() -> None:
    for file in _files("conformance"):
        if file.name == "__init__.py":
            body = ast.parse(file.read_text("utf-8")).body
            assert all(isinstance(node, ast.Expr) for node in body), file
