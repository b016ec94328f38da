"""Options of the suite's own tests, and short names for those of ``pytest conformance/``."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("conformance")
    group.addoption("--seed", dest="conformance_seed", type=int, default=0, help="the same, short")
    group.addoption(
        "--profile", dest="conformance_profile", default="default", help="the same, short"
    )
    group.addoption(
        "--write-tables", action="store_true", help="tests/quality rewrites docs/*-quality.md"
    )
