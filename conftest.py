"""Options of the suite's own tests, and short names for those of ``pytest conformance/``."""

import hypothesis
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


def pytest_configure(config: pytest.Config) -> None:
    """What Hypothesis generates for our tests is always the same; ``--seed`` varies it, too."""
    repeatable = config.getoption("conformance_seed") == 0
    # How long an example takes is the machine's affair.
    hypothesis.settings.register_profile(
        "of the suite",
        derandomize=repeatable,
        deadline=None,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
    hypothesis.settings.load_profile("of the suite")


def pytest_itemcollected(item: pytest.Item) -> None:
    """See :func:`pytest_configure`."""
    seed = item.config.getoption("conformance_seed")
    test = getattr(item, "obj", None)
    if seed and hypothesis.is_hypothesis_test(test):
        hypothesis.seed(seed)(test)
