"""What a broker answers to a request to produce, and what a producer tells of it.

Follows ``org.apache.kafka.common.protocol.Errors`` (2.3.1 to 4.4.0), as far as brokers answer so.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

from ..errors import JavaApiError

_ERRORS: Final = "org.apache.kafka.common.errors"


@dataclass(frozen=True, slots=True)
class ProtocolError:
    """An error code (int16), its name, and the exception that it becomes.

    A ``retriable`` one may be gone when a batch is sent once more. After one of
    ``invalid_metadata`` a producer asks who leads the partition now.
    """

    code: int
    name: str
    java_class: str
    retriable: bool = False
    invalid_metadata: bool = False

    def exception(self) -> JavaApiError:
        """What is told of it."""
        return _class_of(self.java_class)(self.name)


@cache
def _class_of(java_class: str) -> type[JavaApiError]:
    return type("JavaBrokerError", (JavaApiError,), {"java_class": java_class})


def _error(code: int, name: str, exception: str, flags: str = "") -> ProtocolError:
    java_class = exception if "." in exception else f"{_ERRORS}.{exception}Exception"
    return ProtocolError(code, name, java_class, "r" in flags, "m" in flags)


REQUEST_TIMED_OUT: Final = _error(7, "REQUEST_TIMED_OUT", "Timeout", "r")
MESSAGE_TOO_LARGE: Final = _error(10, "MESSAGE_TOO_LARGE", "RecordTooLarge")
NETWORK_EXCEPTION: Final = _error(13, "NETWORK_EXCEPTION", "Network", "rm")
UNSUPPORTED_VERSION: Final = _error(35, "UNSUPPORTED_VERSION", "UnsupportedVersion")
DUPLICATE_SEQUENCE_NUMBER: Final = _error(46, "DUPLICATE_SEQUENCE_NUMBER", "DuplicateSequence")
UNKNOWN_SERVER_ERROR: Final = _error(-1, "UNKNOWN_SERVER_ERROR", "UnknownServer")
COORDINATOR_LOAD_IN_PROGRESS: Final = _error(
    14, "COORDINATOR_LOAD_IN_PROGRESS", "CoordinatorLoadInProgress", "r"
)
CLUSTER_AUTHORIZATION_FAILED: Final = _error(
    31, "CLUSTER_AUTHORIZATION_FAILED", "ClusterAuthorization"
)
OUT_OF_ORDER_SEQUENCE_NUMBER: Final = _error(
    45, "OUT_OF_ORDER_SEQUENCE_NUMBER", "OutOfOrderSequence"
)
INVALID_PRODUCER_EPOCH: Final = _error(47, "INVALID_PRODUCER_EPOCH", "InvalidProducerEpoch")
CONCURRENT_TRANSACTIONS: Final = _error(
    51, "CONCURRENT_TRANSACTIONS", "ConcurrentTransactions", "r"
)
TRANSACTIONAL_ID_AUTHORIZATION_FAILED: Final = _error(
    53, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", "TransactionalIdAuthorization"
)
UNKNOWN_PRODUCER_ID: Final = _error(59, "UNKNOWN_PRODUCER_ID", "UnknownProducerId")
PRODUCER_FENCED: Final = _error(90, "PRODUCER_FENCED", "ProducerFenced")
INVALID_RECORD: Final = _error(
    87, "INVALID_RECORD", "org.apache.kafka.common.InvalidRecordException"
)

_ALL: Final = (
    REQUEST_TIMED_OUT,
    MESSAGE_TOO_LARGE,
    NETWORK_EXCEPTION,
    UNSUPPORTED_VERSION,
    DUPLICATE_SEQUENCE_NUMBER,
    INVALID_RECORD,
    COORDINATOR_LOAD_IN_PROGRESS,
    CLUSTER_AUTHORIZATION_FAILED,
    OUT_OF_ORDER_SEQUENCE_NUMBER,
    INVALID_PRODUCER_EPOCH,
    CONCURRENT_TRANSACTIONS,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    UNKNOWN_PRODUCER_ID,
    PRODUCER_FENCED,
    _error(2, "CORRUPT_MESSAGE", "CorruptRecord", "r"),
    _error(3, "UNKNOWN_TOPIC_OR_PARTITION", "UnknownTopicOrPartition", "rm"),
    _error(5, "LEADER_NOT_AVAILABLE", "LeaderNotAvailable", "rm"),
    _error(6, "NOT_LEADER_OR_FOLLOWER", "NotLeaderOrFollower", "rm"),
    _error(17, "INVALID_TOPIC_EXCEPTION", "InvalidTopic"),
    _error(18, "RECORD_LIST_TOO_LARGE", "RecordBatchTooLarge"),
    _error(19, "NOT_ENOUGH_REPLICAS", "NotEnoughReplicas", "r"),
    _error(20, "NOT_ENOUGH_REPLICAS_AFTER_APPEND", "NotEnoughReplicasAfterAppend", "r"),
    _error(21, "INVALID_REQUIRED_ACKS", "InvalidRequiredAcks"),
    _error(29, "TOPIC_AUTHORIZATION_FAILED", "TopicAuthorization"),
    _error(32, "INVALID_TIMESTAMP", "InvalidTimestamp"),
    _error(43, "UNSUPPORTED_FOR_MESSAGE_FORMAT", "UnsupportedForMessageFormat"),
    _error(44, "POLICY_VIOLATION", "PolicyViolation"),
    _error(56, "KAFKA_STORAGE_ERROR", "KafkaStorage", "rm"),
    _error(74, "FENCED_LEADER_EPOCH", "FencedLeaderEpoch", "rm"),
    _error(76, "UNSUPPORTED_COMPRESSION_TYPE", "UnsupportedCompressionType"),
    _error(89, "THROTTLING_QUOTA_EXCEEDED", "ThrottlingQuotaExceeded", "r"),
)
PROTOCOL_ERRORS: Final = {error.code: error for error in _ALL}
"""By code, as of 3.0 and later; 0 is no error."""

PROTOCOL_ERRORS_3_2: Final = {
    **PROTOCOL_ERRORS,
    51: _error(51, "CONCURRENT_TRANSACTIONS", "ConcurrentTransactions"),
}
"""The same of 3.2.3."""

PROTOCOL_ERRORS_2_3: Final = {
    **{code: error for code, error in PROTOCOL_ERRORS_3_2.items() if code < 82},
    6: _error(6, "NOT_LEADER_FOR_PARTITION", "NotLeaderForPartition", "rm"),
    47: _error(47, "INVALID_PRODUCER_EPOCH", "ProducerFenced"),
}
"""The same of 2.3.1, which knows fewer."""
