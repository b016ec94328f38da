"""What the ports raise where the Java client throws: one Python class per Java class.

Each class derives from the Python exception that a caller would expect *and* from
:class:`JavaError`, which names the Java class, so a conformance check can compare
``error.java_class`` with what the real client threw.
"""

from typing import ClassVar


class JavaError(Exception):
    """Base of every error that mirrors one thrown by a Java client."""

    java_class: ClassVar[str] = "java.lang.RuntimeException"


class JavaArithmeticError(JavaError, ZeroDivisionError):
    """A remainder by zero: a topic without partitions, or load stats whose sums wrapped to 0."""

    java_class = "java.lang.ArithmeticException"


class JavaNullPointerError(JavaError, TypeError):
    """``None`` where Java dereferences: null key bytes to hash, null metadata, null topic."""

    java_class = "java.lang.NullPointerException"


class JavaIllegalArgumentError(JavaError, ValueError):
    """An argument that a constructor rejects, such as a sticky batch size below 1."""

    java_class = "java.lang.IllegalArgumentException"


class JavaIllegalStateError(JavaError, RuntimeError):
    """A call that an object's state does not allow, such as a record for a closed batch."""

    java_class = "java.lang.IllegalStateException"


class JavaIndexOutOfBoundsError(JavaError, IndexError):
    """A list index outside the list; in practice a negative remainder of a raw draw."""

    java_class = "java.lang.IndexOutOfBoundsException"


class JavaArrayIndexOutOfBoundsError(JavaIndexOutOfBoundsError):
    """An array index outside the array: load stats whose arrays and length disagree."""

    java_class = "java.lang.ArrayIndexOutOfBoundsException"


class JavaAssertionError(JavaError, AssertionError):
    """A Java ``assert`` that fails; only when the port is told that ``-ea`` is on."""

    java_class = "java.lang.AssertionError"


class JavaCorruptRecordError(JavaError, ValueError):
    """A record batch that is no batch, or whose checksum is wrong."""

    java_class = "org.apache.kafka.common.errors.CorruptRecordException"


class JavaInvalidRecordError(JavaCorruptRecordError):
    """A batch whose records are not what it says, though its checksum is right.

    Java also throws ``KafkaException`` and, for some damage, whatever its buffers or codecs throw.
    """

    java_class = "org.apache.kafka.common.InvalidRecordException"


class JavaUnsupportedMessageFormatError(JavaError, ValueError):
    """A message of format 0 or 1, from before Kafka 0.11. Java reads these; the port does not."""

    java_class = "org.apache.kafka.common.errors.UnsupportedForMessageFormatException"


class JavaKafkaError(JavaError, RuntimeError):
    """What Kafka throws where it has no class of its own, such as a send to a closed producer."""

    java_class = "org.apache.kafka.common.KafkaException"


class JavaSerializationError(JavaKafkaError, ValueError):
    """A serializer does not take a key or a value."""

    java_class = "org.apache.kafka.common.errors.SerializationException"


class JavaApiError(JavaKafkaError):
    """What Kafka tells a record's callback, where it throws other errors in the caller's face."""

    java_class = "org.apache.kafka.common.errors.ApiException"


class JavaTimeoutError(JavaApiError, TimeoutError):
    """Something was not there in time: memory of a producer up to 2.4, a broker's answer."""

    java_class = "org.apache.kafka.common.errors.TimeoutException"


class JavaBufferExhaustedError(JavaTimeoutError):
    """A producer has no memory for a batch within ``max.block.ms``; since 2.5."""

    java_class = "org.apache.kafka.clients.producer.BufferExhaustedException"


class JavaRecordTooLargeError(JavaApiError, ValueError):
    """A record beyond ``max.request.size`` or ``buffer.memory``, or a batch beyond the broker's."""

    java_class = "org.apache.kafka.common.errors.RecordTooLargeException"


class JavaInvalidTopicError(JavaApiError, ValueError):
    """A topic whose name cannot be."""

    java_class = "org.apache.kafka.common.errors.InvalidTopicException"


class JavaTopicAuthorizationError(JavaApiError, PermissionError):
    """A topic that the producer may not write to."""

    java_class = "org.apache.kafka.common.errors.TopicAuthorizationException"


class JavaConfigError(JavaKafkaError, ValueError):
    """A setting that the client refuses."""

    java_class = "org.apache.kafka.common.config.ConfigException"
