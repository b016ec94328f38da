"""Free ports on loopback, chosen where the system itself takes none for connections going out."""

import secrets
import socket
from contextlib import ExitStack
from typing import Final

from conformance.cluster.wire import HOST
from conformance.errors import ClusterError

_FIRST: Final = 15_000
_END: Final = 32_000
"""Linux takes ports from 32768 on for outgoing connections, others from 49152 on. A broker's own
connection to the controller could otherwise take the port of a broker that is still starting."""
_TRIES: Final = 2_000


def free_ports(count: int) -> list[int]:
    """So many ports, all different, on which nobody listens now.

    Somebody may take one before a broker does. Raises :class:`ClusterError` if there are not
    enough.
    """
    ports: list[int] = []
    with ExitStack() as open_sockets:
        for _ in range(_TRIES):
            if len(ports) == count:
                return ports
            listener = open_sockets.enter_context(socket.socket())
            port = _FIRST + secrets.randbelow(_END - _FIRST)
            try:
                listener.bind((HOST, port))
            except OSError:
                listener.close()
            else:
                ports.append(port)
    raise ClusterError(
        f"Only {len(ports)} of {count} ports from {_FIRST} to {_END - 1} are free on {HOST}.",
        "End other servers on this machine, or start fewer brokers.",
    )
