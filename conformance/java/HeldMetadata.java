package org.apache.kafka.clients.producer.internals;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Timer;

/** A producer's metadata, which the steps of a case tell; whoever waits for others waits on the case's clock. */
final class HeldMetadata extends ProducerMetadata {
    /** Lets time pass until metadata come, or the deadline is over: whether they came. */
    interface Arrivals {
        boolean next(long deadlineMs);
    }

    private static final Field KNOWN;
    /** Null where what is known is one object (since 3.8), which is replaced. */
    private static final Field CLUSTER;
    private static final Field[] NEEDED = new Field[2];
    private static final Field UNAUTHORIZED;
    private static final Field INVALID;
    private static final Field INVALID_OF_CLUSTER;

    static {
        try {
            KNOWN = PrivateField.of(Metadata.class, "cache", "metadataSnapshot", ".MetadataCache|.MetadataSnapshot");
            boolean whole = KNOWN.getType() == AccumulatorClasses.READY.getParameterTypes()[0];
            CLUSTER = whole ? null : PrivateField.of(KNOWN.getType(), "clusterInstance", null, Cluster.class.getName());
            NEEDED[0] = PrivateField.of(Metadata.class, "needUpdate", "needFullUpdate", "no other");
            if (NEEDED[0].getName().equals("needFullUpdate"))
                NEEDED[1] = PrivateField.of(Metadata.class, "needPartialUpdate", null, "no other");
            UNAUTHORIZED = PrivateField.of(Metadata.class, "unauthorizedTopics", null, "no other");
            INVALID = PrivateField.of(Metadata.class, "invalidTopics", null, "no other");
            INVALID_OF_CLUSTER = PrivateField.of(Cluster.class, "invalidTopics", null, "no other");
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    private final Time clock;
    private final Arrivals arrivals;
    /** A topic that all metadata call invalid, or null. */
    private final String invalidTopic;
    private Cluster latest;

    HeldMetadata(Time time, Arrivals arrivals, String invalidTopic) {
        super(/*NEW*/);
        this.clock = time;
        this.arrivals = arrivals;
        this.invalidTopic = invalidTopic;
    }

    /** Know this from now on; all leaders have that epoch (-1: none is known). What is not known yet has just come. */
    void use(Cluster cluster, int epoch) throws Exception {
        if (cluster != latest) {
            update(cluster, epoch, null, null);
            return;
        }
        if (CLUSTER == null)
            KNOWN.set(this, AccumulatorClasses.known(cluster, epoch));
        else
            CLUSTER.set(KNOWN.get(this), cluster);
    }

    /**
     * Metadata have come, which may name a topic that may not be written to, and one that cannot be (or null). What those
     * before named is forgotten, as Metadata.update does it.
     */
    void update(Cluster cluster, int epoch, String unauthorized, String invalid) throws Exception {
        Set<String> topics = new HashSet<>(Arrays.asList(invalidTopic, invalid));
        topics.remove(null);
        // The order of a cluster's partitions is part of it, so that it is not made anew.
        INVALID_OF_CLUSTER.set(cluster, topics);
        INVALID.set(this, topics);
        UNAUTHORIZED.set(this, unauthorized == null ? Collections.emptySet() : Collections.singleton(unauthorized));
        latest = cluster;
        use(cluster, epoch);
    }

    /** Whether an update was requested since it was asked last. */
    boolean takeRequest() throws Exception {
        boolean requested = false;
        for (Field needed : NEEDED) {
            if (needed != null) {
                requested |= needed.getBoolean(this);
                needed.setBoolean(this, false);
            }
        }
        return requested;
    }

    /** Up to 4.3. One arrival of metadata ends the wait, whatever is in them. */
    public synchronized void awaitUpdate(int lastVersion, long timeoutMs) {
        await(timeoutMs);
    }

    /** Since then. */
    public synchronized void awaitUpdate(int lastVersion, Timer timer) {
        await(timer.remainingMs());
    }

    private void await(long timeoutMs) {
        long now = clock.milliseconds();
        long deadline = now + timeoutMs < 0 ? Long.MAX_VALUE : now + timeoutMs;
        if (!arrivals.next(deadline))
            throw new TimeoutException("no metadata came");
    }
}
