"""What Kafka's deserializers make of bytes.

They follow ``org.apache.kafka.common.serialization`` (the same in 2.3.1 to 4.4.0).
"""

import codecs
from typing import Final

_REPLACEMENT: Final = "\ufffd"
_LIKE_JAVA: Final = f"{__name__}.like_java"
"""The name under which :func:`_replaced_as_in_java` is registered: error handlers are global, and
a copy of this package must not replace the one of another."""


def deserialize_string(data: bytes) -> str:
    """``StringDeserializer`` with its default UTF-8; also the keys of headers are read so.

    What is not UTF-8 becomes replacement characters, as many as in Java: one for a surrogate that
    was encoded in three bytes, for which Python has three.
    """
    return data.decode("utf-8", _LIKE_JAVA)


def _replaced_as_in_java(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    surrogate = error.object[error.start : error.start + 3]
    if len(surrogate) > 1 and surrogate[0] == 0xED and 0xA0 <= surrogate[1] <= 0xBF:
        is_whole = len(surrogate) > 2 and 0x80 <= surrogate[2] <= 0xBF
        return _REPLACEMENT, error.start + (3 if is_whole else 2)
    return _REPLACEMENT, error.end


codecs.register_error(_LIKE_JAVA, _replaced_as_in_java)
