"""The matrix as pytest tests, one per cell: ``pytest conformance/ -k "sticky and 3.8.0"``.

Or ``pytest --pyargs conformance``, where there is no checkout. Options are in ``pytest_plugin.py``.
"""

from pathlib import Path

import pytest

from conformance.behaviours.registry import BEHAVIOURS
from conformance.clients.versions import CLIENT_VERSIONS
from conformance.engine.check import check_cell
from conformance.engine.kept import usual_recordings
from conformance.engine.plan import behaviour_named, make_plan
from conformance.jars.store import JarStore
from conformance.model.client_version import ClientVersion
from conformance.model.results import Verdict
from conformance.reports.describe import describe_divergence
from conformance.reports.divergence_file import save_divergence
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort

_CELLS = [
    pytest.param(behaviour.name, client, id=f"{behaviour.name}-{client.version}")
    for behaviour in BEHAVIOURS
    for client in CLIENT_VERSIONS
    if client.shows(behaviour.name)
]


@pytest.fixture(scope="session")
def oracle() -> JavaSubject:
    """The real clients; the JVM starts with the first cell."""
    return JavaSubject(JarStore())


@pytest.mark.parametrize(("name", "client"), _CELLS)
def test_conforms(
    name: str,
    client: ClientVersion,
    oracle: JavaSubject,
    pytestconfig: pytest.Config,
    tmp_path: Path,
) -> None:
    """The Python port answers every generated case as the real client does."""
    behaviour = behaviour_named(name)
    seed = pytestconfig.getoption("conformance_seed")
    profile = pytestconfig.getoption("conformance_profile")
    plan = make_plan(clients=[client.version], behaviours=[name], profile=profile, seed=seed)
    [cell] = plan.cells
    port = PythonPort()
    result = check_cell(
        behaviour,
        client,
        oracle,
        port,
        cases=plan.cases_of(cell),
        seed=seed,
        recording=usual_recordings(plan, port).get(cell),
    )
    if result.divergence is not None:
        path = save_divergence(result.divergence, tmp_path)
        command = f"kafka-conformance replay {path}"
        pytest.fail(describe_divergence(result.divergence, command), pytrace=False)
    # Anything but conforming, such as a jar that cannot be loaded, is no pass either.
    assert result.verdict is Verdict.CONFORMS, result.reason
