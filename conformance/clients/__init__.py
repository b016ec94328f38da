"""The client versions that the suite knows: one module each, registered here."""

from conformance.clients.client_version import ClientVersion
from conformance.clients.v2_3_1 import V2_3_1
from conformance.clients.v3_2_3 import V3_2_3
from conformance.clients.v3_8_0 import V3_8_0

CLIENT_VERSIONS: tuple[ClientVersion, ...] = (V2_3_1, V3_2_3, V3_8_0)

__all__ = ["CLIENT_VERSIONS", "ClientVersion"]
