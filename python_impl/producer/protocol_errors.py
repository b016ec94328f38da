"""What a broker answers to a request to produce, and what a producer tells of it.

Follows ``org.apache.kafka.common.protocol.Errors`` (2.3.1 to 4.4.0), all of it: what a broker
should not answer may be retried, too.
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
TRANSACTION_ABORTABLE: Final = _error(120, "TRANSACTION_ABORTABLE", "TransactionAbortable")
INVALID_PRODUCER_ID_MAPPING: Final = _error(49, "INVALID_PRODUCER_ID_MAPPING", "InvalidPidMapping")
PRODUCER_FENCED: Final = _error(90, "PRODUCER_FENCED", "ProducerFenced")
INVALID_RECORD: Final = _error(
    87, "INVALID_RECORD", "org.apache.kafka.common.InvalidRecordException"
)

_ALL: Final = (
    UNKNOWN_SERVER_ERROR,
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
    TRANSACTION_ABORTABLE,
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
    # What brokers do not answer to a producer, as far as one knows.
    _error(1, "OFFSET_OUT_OF_RANGE", "OffsetOutOfRange"),
    _error(4, "INVALID_FETCH_SIZE", "InvalidFetchSize"),
    _error(8, "BROKER_NOT_AVAILABLE", "BrokerNotAvailable"),
    _error(9, "REPLICA_NOT_AVAILABLE", "ReplicaNotAvailable", "rm"),
    _error(11, "STALE_CONTROLLER_EPOCH", "ControllerMoved"),
    _error(12, "OFFSET_METADATA_TOO_LARGE", f"{_ERRORS}.OffsetMetadataTooLarge"),
    _error(15, "COORDINATOR_NOT_AVAILABLE", "CoordinatorNotAvailable", "r"),
    _error(16, "NOT_COORDINATOR", "NotCoordinator", "r"),
    _error(22, "ILLEGAL_GENERATION", "IllegalGeneration"),
    _error(23, "INCONSISTENT_GROUP_PROTOCOL", "InconsistentGroupProtocol"),
    _error(24, "INVALID_GROUP_ID", "InvalidGroupId"),
    _error(25, "UNKNOWN_MEMBER_ID", "UnknownMemberId"),
    _error(26, "INVALID_SESSION_TIMEOUT", "InvalidSessionTimeout"),
    _error(27, "REBALANCE_IN_PROGRESS", "RebalanceInProgress"),
    _error(28, "INVALID_COMMIT_OFFSET_SIZE", "InvalidCommitOffsetSize"),
    _error(30, "GROUP_AUTHORIZATION_FAILED", "GroupAuthorization"),
    _error(33, "UNSUPPORTED_SASL_MECHANISM", "UnsupportedSaslMechanism"),
    _error(34, "ILLEGAL_SASL_STATE", "IllegalSaslState"),
    _error(36, "TOPIC_ALREADY_EXISTS", "TopicExists"),
    _error(37, "INVALID_PARTITIONS", "InvalidPartitions"),
    _error(38, "INVALID_REPLICATION_FACTOR", "InvalidReplicationFactor"),
    _error(39, "INVALID_REPLICA_ASSIGNMENT", "InvalidReplicaAssignment"),
    _error(40, "INVALID_CONFIG", "InvalidConfiguration"),
    _error(41, "NOT_CONTROLLER", "NotController", "r"),
    _error(42, "INVALID_REQUEST", "InvalidRequest"),
    _error(48, "INVALID_TXN_STATE", "InvalidTxnState"),
    INVALID_PRODUCER_ID_MAPPING,
    _error(50, "INVALID_TRANSACTION_TIMEOUT", "InvalidTxnTimeout"),
    _error(52, "TRANSACTION_COORDINATOR_FENCED", "TransactionCoordinatorFenced"),
    _error(54, "SECURITY_DISABLED", "SecurityDisabled"),
    _error(55, "OPERATION_NOT_ATTEMPTED", "OperationNotAttempted"),
    _error(57, "LOG_DIR_NOT_FOUND", "LogDirNotFound"),
    _error(58, "SASL_AUTHENTICATION_FAILED", "SaslAuthentication"),
    _error(60, "REASSIGNMENT_IN_PROGRESS", "ReassignmentInProgress"),
    _error(61, "DELEGATION_TOKEN_AUTH_DISABLED", "DelegationTokenDisabled"),
    _error(62, "DELEGATION_TOKEN_NOT_FOUND", "DelegationTokenNotFound"),
    _error(63, "DELEGATION_TOKEN_OWNER_MISMATCH", "DelegationTokenOwnerMismatch"),
    _error(64, "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED", "UnsupportedByAuthentication"),
    _error(65, "DELEGATION_TOKEN_AUTHORIZATION_FAILED", "DelegationTokenAuthorization"),
    _error(66, "DELEGATION_TOKEN_EXPIRED", "DelegationTokenExpired"),
    _error(67, "INVALID_PRINCIPAL_TYPE", "InvalidPrincipalType"),
    _error(68, "NON_EMPTY_GROUP", "GroupNotEmpty"),
    _error(69, "GROUP_ID_NOT_FOUND", "GroupIdNotFound"),
    _error(70, "FETCH_SESSION_ID_NOT_FOUND", "FetchSessionIdNotFound", "r"),
    _error(71, "INVALID_FETCH_SESSION_EPOCH", "InvalidFetchSessionEpoch", "r"),
    _error(72, "LISTENER_NOT_FOUND", "ListenerNotFound", "rm"),
    _error(73, "TOPIC_DELETION_DISABLED", "TopicDeletionDisabled"),
    _error(75, "UNKNOWN_LEADER_EPOCH", "UnknownLeaderEpoch", "r"),
    _error(77, "STALE_BROKER_EPOCH", "StaleBrokerEpoch"),
    _error(78, "OFFSET_NOT_AVAILABLE", "OffsetNotAvailable", "r"),
    _error(79, "MEMBER_ID_REQUIRED", "MemberIdRequired"),
    _error(80, "PREFERRED_LEADER_NOT_AVAILABLE", "PreferredLeaderNotAvailable", "rm"),
    _error(81, "GROUP_MAX_SIZE_REACHED", "GroupMaxSizeReached"),
    _error(82, "FENCED_INSTANCE_ID", "FencedInstanceId"),
    _error(83, "ELIGIBLE_LEADERS_NOT_AVAILABLE", "EligibleLeadersNotAvailable", "rm"),
    _error(84, "ELECTION_NOT_NEEDED", "ElectionNotNeeded", "rm"),
    _error(85, "NO_REASSIGNMENT_IN_PROGRESS", "NoReassignmentInProgress"),
    _error(86, "GROUP_SUBSCRIBED_TO_TOPIC", "GroupSubscribedToTopic"),
    _error(88, "UNSTABLE_OFFSET_COMMIT", "UnstableOffsetCommit", "r"),
    _error(91, "RESOURCE_NOT_FOUND", "ResourceNotFound"),
    _error(92, "DUPLICATE_RESOURCE", "DuplicateResource"),
    _error(93, "UNACCEPTABLE_CREDENTIAL", "UnacceptableCredential"),
    _error(94, "INCONSISTENT_VOTER_SET", "InconsistentVoterSet"),
    _error(95, "INVALID_UPDATE_VERSION", "InvalidUpdateVersion"),
    _error(96, "FEATURE_UPDATE_FAILED", "FeatureUpdateFailed"),
    _error(97, "PRINCIPAL_DESERIALIZATION_FAILURE", "PrincipalDeserialization"),
    _error(98, "SNAPSHOT_NOT_FOUND", "SnapshotNotFound"),
    _error(99, "POSITION_OUT_OF_RANGE", "PositionOutOfRange"),
    _error(100, "UNKNOWN_TOPIC_ID", "UnknownTopicId", "rm"),
    _error(101, "DUPLICATE_BROKER_REGISTRATION", "DuplicateBrokerRegistration"),
    _error(102, "BROKER_ID_NOT_REGISTERED", "BrokerIdNotRegistered"),
    _error(103, "INCONSISTENT_TOPIC_ID", "InconsistentTopicId", "rm"),
    _error(104, "INCONSISTENT_CLUSTER_ID", "InconsistentClusterId"),
    _error(105, "TRANSACTIONAL_ID_NOT_FOUND", "TransactionalIdNotFound"),
    _error(106, "FETCH_SESSION_TOPIC_ID_ERROR", "FetchSessionTopicId", "r"),
    _error(107, "INELIGIBLE_REPLICA", "IneligibleReplica"),
    _error(108, "NEW_LEADER_ELECTED", "NewLeaderElected"),
    _error(109, "OFFSET_MOVED_TO_TIERED_STORAGE", "OffsetMovedToTieredStorage"),
    _error(110, "FENCED_MEMBER_EPOCH", "FencedMemberEpoch"),
    _error(111, "UNRELEASED_INSTANCE_ID", "UnreleasedInstanceId"),
    _error(112, "UNSUPPORTED_ASSIGNOR", "UnsupportedAssignor"),
    _error(113, "STALE_MEMBER_EPOCH", "StaleMemberEpoch"),
    _error(114, "MISMATCHED_ENDPOINT_TYPE", "MismatchedEndpointType"),
    _error(115, "UNSUPPORTED_ENDPOINT_TYPE", "UnsupportedEndpointType"),
    _error(116, "UNKNOWN_CONTROLLER_ID", "UnknownControllerId"),
    _error(117, "UNKNOWN_SUBSCRIPTION_ID", "UnknownSubscriptionId"),
    _error(118, "TELEMETRY_TOO_LARGE", "TelemetryTooLarge"),
    _error(119, "INVALID_REGISTRATION", "InvalidRegistration"),
    _error(121, "INVALID_RECORD_STATE", "InvalidRecordState"),
    _error(122, "SHARE_SESSION_NOT_FOUND", "ShareSessionNotFound", "r"),
    _error(123, "INVALID_SHARE_SESSION_EPOCH", "InvalidShareSessionEpoch", "r"),
    _error(124, "FENCED_STATE_EPOCH", "FencedStateEpoch"),
    _error(125, "INVALID_VOTER_KEY", "InvalidVoterKey"),
    _error(126, "DUPLICATE_VOTER", "DuplicateVoter"),
    _error(127, "VOTER_NOT_FOUND", "VoterNotFound"),
    _error(128, "INVALID_REGULAR_EXPRESSION", f"{_ERRORS}.InvalidRegularExpression"),
    _error(129, "REBOOTSTRAP_REQUIRED", "RebootstrapRequired"),
    _error(130, "STREAMS_INVALID_TOPOLOGY", "StreamsInvalidTopology"),
    _error(131, "STREAMS_INVALID_TOPOLOGY_EPOCH", "StreamsInvalidTopologyEpoch"),
    _error(132, "STREAMS_TOPOLOGY_FENCED", "StreamsTopologyFenced"),
    _error(133, "SHARE_SESSION_LIMIT_REACHED", "ShareSessionLimitReached", "r"),
    _error(134, "GROUP_DELETION_FAILED", "GroupDeletionFailed"),
    _error(
        135, "STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED", "StreamsTopologyDescriptionUpdateFailed"
    ),
    _error(136, "CONTROLLER_ID_NOT_REGISTERED", "ControllerIdNotRegistered"),
)


def _up_to(code: int, *others: ProtocolError) -> dict[int, ProtocolError]:
    """By code: those that a version knows whose last one that is, with what was otherwise."""
    known = {error.code: error for error in _ALL if error.code <= code}
    return {**known, **{error.code: error for error in others}}


_CONCURRENT_TRANSACTIONS_3_2: Final = _error(
    51, "CONCURRENT_TRANSACTIONS", "ConcurrentTransactions"
)
PROTOCOL_ERRORS_4_4: Final = _up_to(136)
"""By code, as of 4.4.0; 0 is no error."""
PROTOCOL_ERRORS: Final = _up_to(120)
"""The same of 3.8.0."""
PROTOCOL_ERRORS_3_2: Final = _up_to(106, _CONCURRENT_TRANSACTIONS_3_2)
"""The same of 3.2.3."""
PROTOCOL_ERRORS_2_3: Final = _up_to(
    82,
    _CONCURRENT_TRANSACTIONS_3_2,
    _error(6, "NOT_LEADER_FOR_PARTITION", "NotLeaderForPartition", "rm"),
    _error(9, "REPLICA_NOT_AVAILABLE", "ReplicaNotAvailable"),
    _error(47, "INVALID_PRODUCER_EPOCH", "ProducerFenced"),
)
"""The same of 2.3.1, which knows fewer."""
