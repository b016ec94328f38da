"""What is made of what a jar has, where Java is not needed to find that out."""

from pathlib import Path

import pytest

from conformance.clients.inspected import inspected
from conformance.engine.plan import behaviour_named
from conformance.errors import OracleError, SuiteError
from conformance.jars.client_jar import ClientJar
from conformance.model.case import Case
from conformance.model.ways import Member
from conformance.subjects.client_jar import ClientJarSubject


def test_a_broken_class_that_a_behaviour_needs_in_part_costs_that_behaviour_alone() -> None:
    def has(member: Member) -> bool:
        if "UUIDSerializer" in member.owner:
            raise OracleError("class UUIDSerializer cannot be loaded.", "Build it again.")
        return True

    found = inspected("9.9.9", has)
    assert list(found.broken) == ["serialized-keys"]
    assert "UUIDSerializer cannot be loaded" in str(found.broken["serialized-keys"])
    assert "serialized-keys" not in {**found.client.realised_by, **found.client.absent}
    assert {"murmur2", "keyed", "built-in"} <= {*found.client.realised_by}


def test_a_saved_case_is_not_asked_of_jars_that_lack_what_it_needs() -> None:
    """UUIDSerializer came with 2.1: a case that was found between later ones may need it."""
    behaviour = behaviour_named("serialized-keys")
    whole = inspected("3.8.0", lambda _member: True)
    older = inspected("2.0.1", lambda member: "UUIDSerializer" not in member.owner)
    jar = ClientJar("3.8.0", Path("own.jar"), "00", ())

    def case(kind: str) -> Case:
        step = {"op": behaviour.operations[0], "type": kind, "value": None}
        return {"config": {}, "metadata": [[("t", [[0, 0]])]], "steps": [step]}

    for one, beside in ((whole, older), (older, whole)):
        subject = ClientJarSubject(jar, one, beside, "one")
        subject.scope(behaviour).check_asked(case("string"))
        with pytest.raises(SuiteError, match="cannot be asked this case of serialized-keys"):
            subject.scope(behaviour).check_asked(case("uuid"))
    ClientJarSubject(jar, whole, whole, "whole").scope(behaviour).check_asked(case("uuid"))
