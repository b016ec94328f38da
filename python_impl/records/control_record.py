"""What a control batch holds: how a transaction ended.

Follows ``ControlRecordType`` and ``EndTransactionMarker`` of ``org.apache.kafka.common.record``
(2.3.1 to 4.4.0).
"""

import struct
from enum import IntEnum
from typing import Final

from .batch import check_numbers

_KEY: Final = struct.Struct(">hh")
_VALUE: Final = struct.Struct(">hi")
_VERSION: Final = 0


class ControlRecordType(IntEnum):
    """How a transaction ended."""

    ABORT = 0
    COMMIT = 1


def end_transaction_marker(
    outcome: ControlRecordType, coordinator_epoch: int
) -> tuple[bytes, bytes]:
    """Key and value of the record that ends a transaction; ``ValueError`` beyond int32."""
    check_numbers("i", coordinator_epoch=coordinator_epoch)
    return _KEY.pack(_VERSION, outcome), _VALUE.pack(_VERSION, coordinator_epoch)
