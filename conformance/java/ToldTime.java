package org.apache.kafka.clients.producer.internals;

import java.util.function.Supplier;
import org.apache.kafka.common.utils.Time;

/** A clock that the steps of a case set. Whoever sleeps sets it forward. */
final class ToldTime implements Time {
    long now;
    /** For how long somebody slept, since it was set to 0. */
    long sleptMs;

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
        now += ms;
        sleptMs += ms;
    }

    public void waitObject(Object object, Supplier<Boolean> condition, long deadlineMs) {
        throw new UnsupportedOperationException("waitObject");
    }
}
