package org.apache.kafka.clients.producer.internals;

import static org.apache.kafka.clients.producer.internals.AccumulatorClasses.*;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.metrics.Metrics;

/**
 * A real RecordAccumulator of any version, without a producer and a sender around it, on time that the steps of a
 * case tell. What differs between versions is in AccumulatorClasses.
 */
public final class AccumulatorHistory {
    private static final long OFFSETS_OF_A_STEP = 1000L;

    private final ToldTime time = new ToldTime();
    private final RecordAccumulator accumulator;
    private final Pool pool;
    private final Map<Integer, List<Integer>> readyNodes = new HashMap<>();
    private final Map<Integer, List<ProducerBatch>> drained = new HashMap<>();
    private final Set<ProducerBatch> inFlight = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<String> topics = new TreeSet<>();
    private final List<List<Object>> told = new ArrayList<>();
    /** By cluster and epoch: like a client, a history makes a snapshot once, when metadata change. */
    private final Map<Cluster, Map<Integer, Object>> snapshots = new IdentityHashMap<>();
    /** What threads of the next step append, this step's own record first. */
    private final List<LogicalThreads.Call> appends = new ArrayList<>();
    /** While some do; else null. */
    private LogicalThreads threads;

    /** Sizes are bytes, times ms; a timeout of 0 leaves the availability of nodes out. */
    public AccumulatorHistory(int batchSize, int lingerMs, long bufferMemory, long backoffMs, long backoffMaxMs,
                              int deliveryTimeoutMs, boolean adaptive, long availabilityTimeoutMs) throws Exception {
        Metrics metrics = new Metrics();
        pool = new Pool(bufferMemory, batchSize, metrics, time);
        accumulator = accumulator(batchSize, lingerMs, backoffMs, backoffMaxMs, deliveryTimeoutMs, adaptive,
            availabilityTimeoutMs, metrics, time, pool);
    }

    /** Where it went; whether its batch is full, and new; whether it was not appended; by how many bytes it grew. */
    public List<Object> append(int step, String topic, int wanted, long timestamp, byte[] key, byte[] value,
                               boolean abortOnNewBatch, boolean told, long nowMs, Cluster cluster) throws Throwable {
        time.now = nowMs;
        topics.add(topic);
        int[] partition = {wanted};
        Object result = appendTo(accumulator, topic, wanted, timestamp, key, value, null, abortOnNewBatch, nowMs,
            cluster, type -> told ? callback(type, step, partition) : null);
        return Arrays.asList(partition[0], IS_FULL.get(result), IS_NEW.get(result),
            ABORTS != null && ABORTS.getBoolean(result), BYTES == null ? null : BYTES.get(result));
    }

    /** The same, of one of several threads; see {@link #together}. */
    public void thread(int step, String topic, int wanted, long timestamp, byte[] key, byte[] value,
                       boolean abortOnNewBatch, boolean told, long nowMs, Cluster cluster) {
        appends.add(() ->
            append(step, topic, wanted, timestamp, key, value, abortOnNewBatch, told, nowMs, cluster));
    }

    /**
     * Have them append. Each pauses once its partition is chosen, before it asks for memory, and when it has some; who
     * goes on then, the order says. Answers what became of each, and the pauses.
     */
    public List<Object> together(int[] order) {
        threads = new LogicalThreads(new ArrayList<>(appends), order);
        appends.clear();
        try {
            return threads.run();
        } finally {
            threads = null;
        }
    }

    private void pause(String where) {
        if (threads != null)
            threads.pause(where);
    }

    /** The nodes that are ready, for how long no other will be, and topics with batches for no leader. */
    public List<Object> ready(int step, long nowMs, Cluster cluster, int epoch) throws Throwable {
        time.now = nowMs;
        Object result = call(READY, snapshot(cluster, epoch), nowMs);
        List<Integer> nodes = new ArrayList<>();
        for (Object node : (Set<?>) NODES.get(result))
            nodes.add(((Node) node).id());
        Collections.sort(nodes);
        readyNodes.put(step, nodes);
        return Arrays.asList(nodes, DELAY.get(result), new ArrayList<>(new TreeSet<>((Set<?>) UNKNOWN.get(result))));
    }

    private Object snapshot(Cluster cluster, int epoch) throws Exception {
        Map<Integer, Object> made = snapshots.computeIfAbsent(cluster, first -> new HashMap<>());
        Object snapshot = made.get(epoch);
        if (snapshot == null)
            made.put(epoch, snapshot = known(cluster, epoch));
        return snapshot;
    }

    /** What was taken for each of these nodes, or for those that an earlier step found ready. */
    public List<Object> drain(int step, int of, int[] nodes, int maxSize, long nowMs, Cluster cluster, int epoch)
        throws Throwable {
        time.now = nowMs;
        List<Integer> ids = new ArrayList<>();
        if (of >= 0)
            ids.addAll(readyNodes.getOrDefault(of, Collections.emptyList()));
        else
            Arrays.stream(nodes).forEach(ids::add);
        Set<Node> wanted = new LinkedHashSet<>();
        ids.forEach(id -> wanted.add(new Node(id, "localhost", 0)));
        Map<?, ?> taken = (Map<?, ?>) call(DRAIN, snapshot(cluster, epoch), wanted, maxSize, nowMs);
        List<ProducerBatch> all = new ArrayList<>();
        List<Object> seen = new ArrayList<>();
        for (Integer id : ids) {
            List<Object> ofNode = new ArrayList<>();
            for (Object one : (List<?>) taken.get(id)) {
                ProducerBatch batch = (ProducerBatch) one;
                all.add(batch);
                int crc = batch.records().buffer().getInt(17);
                ofNode.add(Arrays.asList(batch.topicPartition.topic(), batch.topicPartition.partition(),
                    batch.recordCount, batch.records().sizeInBytes(), crc));
            }
            seen.add(Arrays.asList(id, ofNode));
        }
        inFlight.addAll(all);
        drained.put(step, all);
        return seen;
    }

    /** The broker has a batch; null if there is none, as below. Twice: it is forgotten once more than it may be. */
    public Object complete(int step, int of, int number, boolean twice) throws Throwable {
        ProducerBatch batch = taken(of, number);
        if (batch == null)
            return null;
        boolean first = done(batch, step * OFFSETS_OF_A_STEP, null);
        deallocate(batch);
        if (twice)
            deallocate(batch);
        return first;
    }

    public Object fail(int of, int number) throws Throwable {
        ProducerBatch batch = taken(of, number);
        if (batch == null)
            return null;
        boolean first = done(batch, -1L, new TimeoutException("no time left"));
        deallocate(batch);
        return first;
    }

    /** A batch that has ended gets another end: whether that counts, and how it has ended; null if it has not. */
    public Object again(int step, int of, int number, String how) throws Throwable {
        List<ProducerBatch> batches = drained.getOrDefault(of, Collections.emptyList());
        if (number >= batches.size() || !batches.get(number).isDone())
            return null;
        ProducerBatch batch = batches.get(number);
        boolean counts = false;
        if (how.equals("abort"))
            batch.abort(new KafkaException("given up"));
        else
            counts = done(batch, how.equals("complete") ? step * OFFSETS_OF_A_STEP : -1L,
                how.equals("complete") ? null : new TimeoutException("too late"));
        return Arrays.asList(counts, String.valueOf(batch.finalState()));
    }

    public Object retry(int of, int number, long nowMs) {
        time.now = nowMs;
        ProducerBatch batch = taken(of, number);
        if (batch == null)
            return null;
        accumulator.reenqueue(batch, nowMs);
        return true;
    }

    /** Into how many. */
    public Object split(int of, int number) throws Throwable {
        ProducerBatch batch = taken(of, number);
        if (batch == null)
            return null;
        int parts = accumulator.splitAndReenqueue(batch);
        deallocate(batch);
        return parts;
    }

    /** Batches that were too old, which then fail; and when the next one will be. */
    public List<Object> expire(long nowMs, boolean reset) throws Throwable {
        time.now = nowMs;
        List<Object> seen = new ArrayList<>();
        if (reset)
            accumulator.resetNextBatchExpiryTime();
        List<ProducerBatch> expired = accumulator.expiredBatches(nowMs);
        for (ProducerBatch batch : expired) {
            seen.add(Arrays.asList(batch.topicPartition.topic(), batch.topicPartition.partition(), batch.recordCount));
            done(batch, -1L, new TimeoutException("expired"));
            deallocate(batch);
        }
        seen.add(call(NEXT_EXPIRY));
        return seen;
    }

    public void mute(String topic, int number) {
        accumulator.mutePartition(new TopicPartition(topic, number));
    }

    /** At a time where a version wants one. */
    public void unmute(String topic, int number, long until) throws Throwable {
        TopicPartition at = new TopicPartition(topic, number);
        call(UNMUTE, UNMUTE.getParameterCount() == 1 ? new Object[] {at} : new Object[] {at, until});
    }

    public void latency(int node, long nowMs, boolean canDrain) throws Throwable {
        call(LATENCY, node, nowMs, canDrain);
    }

    /** So many threads wait for memory from now on. */
    public void waiting(int threads) {
        pool.waiting = threads;
    }

    public void flush() {
        accumulator.beginFlush();
    }

    /** Null if it would wait. */
    public Object endFlush() throws Exception {
        if (!accumulator.flushInProgress() || accumulator.hasIncomplete())
            return null;
        accumulator.awaitFlushCompletion();
        return true;
    }

    public void close() {
        accumulator.close();
    }

    public void abortIncomplete() {
        accumulator.abortIncompleteBatches();
    }

    public void abortUndrained() {
        accumulator.abortUndrainedBatches(new KafkaException("given up"));
    }

    /** Free memory, and that in no buffer; whether batches wait, and are not done. */
    public int[] state() {
        return new int[] {(int) pool.availableMemory(), (int) pool.unallocatedMemory(), accumulator.hasUndrained() ? 1 : 0,
            accumulator.hasIncomplete() ? 1 : 0};
    }

    /** What callbacks were told since it was asked last: step, then offset or error. */
    public List<Object> told() {
        List<Object> callbacks = new ArrayList<>(told);
        told.clear();
        return callbacks;
    }

    /** The same of several batches that end at once, of which none is the first. */
    public List<Object> toldInAnyOrder() {
        told.sort((one, other) -> Integer.compare((Integer) one.get(0), (Integer) other.get(0)));
        return told();
    }

    /** By topic: the table of load stats and the partitions that are in it. */
    public List<Object> loads() throws Throwable {
        return PARTITIONER == null ? new ArrayList<>() : loadsOf(accumulator, topics);
    }

    /** A batch that an earlier step drained, no longer in flight then; null if it no longer was. */
    private ProducerBatch taken(int of, int number) {
        List<ProducerBatch> batches = drained.getOrDefault(of, Collections.emptyList());
        if (number >= batches.size() || batches.get(number).isDone() || !inFlight.remove(batches.get(number)))
            return null;
        return batches.get(number);
    }

    private void deallocate(ProducerBatch batch) throws Throwable {
        call(DEALLOCATE, batch);
    }

    private Object callback(Class<?> type, int step, int[] partition) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            if (method.getName().equals("setPartition")) {
                partition[0] = (Integer) arguments[0];
                pause("partition");
            } else if (method.getName().equals("onCompletion"))
                told.add(Arrays.asList(step, outcome((RecordMetadata) arguments[0], (Exception) arguments[1])));
            return null;
        });
    }

    private Object call(Method method, Object... arguments) throws Throwable {
        return on(method, accumulator, arguments);
    }

    /** A pool in which as many wait as is told. A thread pauses before it asks for memory, and when it has some. */
    private final class Pool extends BufferPool {
        private int waiting;

        Pool(long memory, int size, Metrics metrics, ToldTime time) {
            super(memory, size, metrics, time, GROUP);
        }

        @Override
        public java.nio.ByteBuffer allocate(int size, long maxTimeToBlockMs) throws InterruptedException {
            pause("wait for memory");
            java.nio.ByteBuffer buffer = super.allocate(size, maxTimeToBlockMs);
            pause("have memory");
            return buffer;
        }

        @Override
        public int queued() {
            return waiting;
        }
    }
}
