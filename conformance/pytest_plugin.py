"""pytest's options for the matrix: ``pytest --pyargs conformance``, with or without a checkout.

pytest loads this in every run of whoever has the suite installed. So the options have long names
that nobody else takes, and nothing of the suite is imported.
"""

import pytest

PROFILE_NAMES = ("quick", "default", "thorough")
"""As in :mod:`conformance.engine.profiles`, which takes a second to import."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of ``conformance/test_conformance.py``, and of the suite's own tests."""
    group = parser.getgroup("conformance", "kafka-conformance")
    group.addoption(
        "--conformance-seed", type=int, default=0, help="seed of all generated cases (0)"
    )
    group.addoption(
        "--conformance-profile",
        default="default",
        choices=PROFILE_NAMES,
        help="how many cases (default)",
    )


def pytest_report_header(config: pytest.Config) -> str | None:
    """What it takes to repeat the run; nothing in the runs of others."""
    checkout = (config.rootpath / "conformance" / "pytest_plugin.py").is_file()
    asked = {arg.partition(".")[0] for arg in config.args}
    if not checkout and "conformance" not in asked:
        return None
    seed, profile = (config.getoption(f"conformance_{one}") for one in ("seed", "profile"))
    return f"conformance: --conformance-seed {seed}, --conformance-profile {profile}"
