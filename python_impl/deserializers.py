"""What Kafka's deserializers make of bytes.

They follow ``org.apache.kafka.common.serialization`` (the same in 2.3.1 to 4.4.0).
"""

import re
from typing import Final

_SURROGATES: Final = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")
"""A surrogate that was encoded, or the start of one: Java has one replacement for all its bytes."""
_ONE_REPLACED: Final = b"\xff"


def deserialize_string(data: bytes) -> str:
    """``StringDeserializer`` with its default UTF-8; also the keys of headers are read so.

    What is not UTF-8 becomes replacement characters, as many as in Java: one for a surrogate that
    was encoded in three bytes, for which Python has three.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        # A handler of errors in Python would take microseconds for each malformed byte.
        return _SURROGATES.sub(_ONE_REPLACED, data).decode("utf-8", "replace")
