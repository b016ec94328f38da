package org.apache.kafka.clients.producer.internals;

import java.util.function.Supplier;
import org.apache.kafka.common.utils.LogContext;

/**
 * A BuiltInPartitioner of 3.9 or later whose random numbers can be given: since 3.9 a method does what the
 * static field mockRandom did before. Its constructor grew in 4.4, by what stands between the marks.
 */
final class MockedBuiltIn extends BuiltInPartitioner {
    /** As Java's own was: null for real random numbers; what it answers is used raw. */
    static Supplier<Integer> mockRandom;

    MockedBuiltIn(LogContext log, String topic, int batchSize /*4.4 , boolean rackAware, String rack */) {
        super(log, topic, batchSize /*4.4 , rackAware, rack */);
    }

    @Override
    int randomPartition() {
        Supplier<Integer> mock = mockRandom;
        return mock == null ? super.randomPartition() : mock.get();
    }
}
