"""Options of the suite's own tests, and short names for those of ``pytest conformance/``."""

import pytest

from conformance.pytest_plugin import PROFILE_NAMES


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("conformance")
    group.addoption(
        "--seed", dest="conformance_seed", type=int, default=0, help="short for --conformance-seed"
    )
    group.addoption(
        "--profile",
        dest="conformance_profile",
        default="default",
        choices=PROFILE_NAMES,
        help="short for --conformance-profile",
    )
    group.addoption(
        "--write-tables", action="store_true", help="tests/quality rewrites docs/*-quality.md"
    )
