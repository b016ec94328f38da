"""What is made of what a jar has, where Java is not needed to find that out."""

from conformance.clients.inspected import Member, inspected
from conformance.errors import OracleError


def test_a_broken_class_that_a_behaviour_needs_in_part_costs_that_behaviour_alone() -> None:
    def has(member: Member) -> bool:
        if "UUIDSerializer" in member.owner:
            raise OracleError("class UUIDSerializer cannot be loaded.", "Build it again.")
        return True

    found = inspected("9.9.9", has)
    assert list(found.broken) == ["serialized-keys"]
    assert "UUIDSerializer cannot be loaded" in found.broken["serialized-keys"]
    assert "serialized-keys" not in {**found.client.realised_by, **found.client.absent}
    assert {"murmur2", "keyed", "built-in"} <= {*found.client.realised_by}
