"""Options that both ``pytest conformance/`` and the suite's own tests understand."""

import pytest

from conformance.engine.profiles import PROFILES


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("conformance")
    group.addoption("--seed", type=int, default=0, help="seed of all generated cases (0)")
    group.addoption("--profile", default="default", choices=list(PROFILES), help="how many cases")
    group.addoption(
        "--write-tables", action="store_true", help="tests/quality rewrites docs/*-quality.md"
    )


def pytest_report_header(config: pytest.Config) -> str:
    return f"conformance: --seed {config.getoption('seed')}, profile {config.getoption('profile')}"
