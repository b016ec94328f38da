"""The port without the suite: what ``pip install ./python_impl`` gives, its README's example."""

import doctest
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import python_impl

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "python_impl"


def project(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    return read


def test_the_ports_example_is_true() -> None:
    assert doctest.testmod(python_impl) == (0, 2)


def test_both_distributions_have_one_version_and_the_same_bounds() -> None:
    port, suite = project(FOLDER), project(ROOT)
    for field in ("version", "license", "requires-python"):
        assert port[field] == suite[field]
    assert {*port["dependencies"], *port["optional-dependencies"]["numba"]} < {
        *suite["dependencies"]
    }


@pytest.mark.network
def test_the_port_is_installed_without_the_suite_and_without_numba(tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    pinned = {**environment, "PIP_CONSTRAINT": str(ROOT / "constraints.txt")}
    subprocess.run([sys.executable, "-m", "venv", tmp_path], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", FOLDER], env=pinned, check=True)

    example = re.search(r"```python\n(.*?)```", (FOLDER / "README.md").read_text("utf-8"), re.S)
    assert example
    code = f"""{example[1]}
import sys, python_impl
print(*partitions_for_keys(pa.array([b"user-1", None]), 12), partition_for_key(b"user-1", 12))
unwanted = {{"numba", "conformance", "jpype", "pyspark"}}
print(*sorted(unwanted & {{*sys.modules}}), python_impl.__file__)
"""
    run = [python, "-W", "error", "-c", code]
    shown = subprocess.run(
        run, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    answers, file = shown.stdout.splitlines()
    assert answers == "8 None 8"
    installed = Path(file).parent
    assert tmp_path in installed.parents
    ours = {path.relative_to(FOLDER) for path in FOLDER.rglob("*.py")}
    assert {path.relative_to(installed) for path in installed.rglob("*.py")} == ours
    assert (installed / "py.typed").exists()
