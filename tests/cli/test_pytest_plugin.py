"""The matrix as pytest tests from outside the checkout, where its conftest.py is not read."""

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.engine.profiles import PROFILES
from conformance.pytest_plugin import PROFILE_NAMES

HEADER = "--conformance-seed"


def _pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_cells_are_tests_of_an_installed_package(tmp_path: Path) -> None:
    chosen = ("-k", "murmur2-3.8.0", "--conformance-profile", "quick", "--conformance-seed", "3")
    done = _pytest(tmp_path, "--pyargs", "conformance", *chosen)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert "conformance: --conformance-seed 3, --conformance-profile quick" in done.stdout


def test_a_profile_that_does_not_exist_is_told_without_a_trace(tmp_path: Path) -> None:
    chosen = ("-k", "murmur2-3.8.0", "--conformance-profile", "quik")
    done = _pytest(tmp_path, "--pyargs", "conformance", *chosen)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "invalid choice: 'quik'" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_the_profiles_are_those_of_the_engine() -> None:
    assert list(PROFILE_NAMES) == list(PROFILES)


def test_the_tests_of_others_do_not_notice(tmp_path: Path) -> None:
    (tmp_path / "test_theirs.py").write_text(
        "import sys\n\ndef test_it():\n    assert 'conformance.behaviours' not in sys.modules\n"
    )
    done = _pytest(tmp_path)
    assert done.returncode == 0, done.stdout
    assert HEADER not in done.stdout


def test_the_options_are_explained(tmp_path: Path) -> None:
    done = _pytest(tmp_path, "--help")
    assert "--conformance-profile" in done.stdout
    assert HEADER in done.stdout
