package org.apache.kafka.clients.producer.internals;

import java.util.function.Supplier;
import org.apache.kafka.common.utils.Time;

/** A clock that the steps of a case set. Nobody waits by it. */
final class ToldTime implements Time {
    long now;

    public long milliseconds() {
        return now;
    }

    public long hiResClockMs() {
        return now;
    }

    public long nanoseconds() {
        return now * 1000000L;
    }

    public void sleep(long ms) {
        throw new UnsupportedOperationException("sleep");
    }

    public void waitObject(Object object, Supplier<Boolean> condition, long deadlineMs) {
        throw new UnsupportedOperationException("waitObject");
    }
}
