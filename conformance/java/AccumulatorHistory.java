package org.apache.kafka.clients.producer.internals;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

/**
 * A real RecordAccumulator of any version, without a producer and a sender around it, on time that the steps of a
 * case tell.
 *
 * Its constructor and methods change from release to release, but what they are given is known by its type. A
 * client that asks for anything else is refused with an exception.
 */
public final class AccumulatorHistory {
    private static final String GROUP = "group";
    private static final long OFFSETS_OF_A_STEP = 1000L;

    private static final Constructor<?> NEW = longest(RecordAccumulator.class.getConstructors());
    private static final Method APPEND = method(RecordAccumulator.class, "append");
    private static final Method READY = method(RecordAccumulator.class, "ready");
    private static final Method DRAIN = method(RecordAccumulator.class, "drain");
    private static final Method UNMUTE = method(RecordAccumulator.class, "unmutePartition");
    /** Since 4.0 the end of a batch and the return of its buffer are two things, which a sender does together. */
    private static final Method DEALLOCATE =
        has("completeAndDeallocateBatch") ? method(RecordAccumulator.class, "completeAndDeallocateBatch")
            : method(RecordAccumulator.class, "deallocate");
    /** A Long in 2.3.1. */
    private static final Method NEXT_EXPIRY = method(RecordAccumulator.class, "nextExpiryTimeMs");
    /** From 3.3 on. */
    private static final Method PARTITIONER = has("getBuiltInPartitioner") ? method(RecordAccumulator.class, "getBuiltInPartitioner") : null;
    private static final Method LATENCY = has("updateNodeLatencyStats") ? method(RecordAccumulator.class, "updateNodeLatencyStats") : null;
    private static final Field IS_FULL = field(APPEND.getReturnType(), "batchIsFull");
    private static final Field IS_NEW = field(APPEND.getReturnType(), "newBatchCreated");
    /** From 2.4 to 3.9. */
    private static final Field ABORTS = field(APPEND.getReturnType(), "abortForNewBatch");
    /** From 3.3 on. */
    private static final Field BYTES = field(APPEND.getReturnType(), "appendedBytes");
    private static final Field NODES = field(READY.getReturnType(), "readyNodes");
    private static final Field DELAY = field(READY.getReturnType(), "nextReadyCheckDelayMs");
    private static final Field UNKNOWN = field(READY.getReturnType(), "unknownLeaderTopics");
    private static final Constructor<?> SNAPSHOT = READY.getParameterTypes()[0] == Cluster.class ? null
        : longest(READY.getParameterTypes()[0].getConstructors());
    private static final Method COMPLETE = optional(ProducerBatch.class, "complete");
    private static final Method FAIL = optional(ProducerBatch.class, "completeExceptionally");
    /** What was both before. */
    private static final Method DONE = optional(ProducerBatch.class, "done");

    private final RecordAccumulator accumulator;
    private final Pool pool;
    private final Map<Integer, List<Integer>> readyNodes = new HashMap<>();
    private final Map<Integer, List<ProducerBatch>> drained = new HashMap<>();
    private final Set<ProducerBatch> inFlight = Collections.newSetFromMap(new java.util.IdentityHashMap<>());
    private final Set<String> topics = new TreeSet<>();
    private final List<List<Object>> told = new ArrayList<>();
    /** What is done while a record waits for memory, once; as if by another thread. */
    private Runnable meanwhile;
    private Object meanwhileAnswer;
    private long now;
    private int partition;

    /** Sizes are bytes, times ms; a timeout of 0 leaves the availability of nodes out. */
    public AccumulatorHistory(int batchSize, int lingerMs, long bufferMemory, long backoffMs, long backoffMaxMs,
                              int deliveryTimeoutMs, boolean adaptive, long availabilityTimeoutMs) throws Exception {
        Time time = (Time) Proxy.newProxyInstance(Time.class.getClassLoader(), new Class<?>[] {Time.class}, this::tell);
        Metrics metrics = new Metrics();
        pool = new Pool(bufferMemory, batchSize, metrics, time);
        Iterator64 ints = new Iterator64(batchSize, lingerMs, deliveryTimeoutMs);
        // In 2.1 all times are long.
        boolean early = Arrays.stream(NEW.getParameterTypes()).filter(type -> type == int.class).count() == 1;
        Iterator64 longs = early ? new Iterator64(lingerMs, backoffMs, deliveryTimeoutMs)
            : new Iterator64(backoffMs, backoffMaxMs);
        accumulator = (RecordAccumulator) NEW.newInstance(arguments(NEW.getParameterTypes(), type ->
            type == int.class ? (Object) (int) ints.next()
            : type == long.class ? (Object) longs.next()
            : type == Metrics.class ? metrics
            : type == Time.class ? time
            : type == BufferPool.class ? pool
            : type.getSimpleName().equals("PartitionerConfig") ? partitionerConfig(type, adaptive, availabilityTimeoutMs)
            : part(type)));
    }

    /** Where it went; whether its batch is full, and new; whether it was not appended; by how many bytes it grew. */
    public List<Object> append(int step, String topic, int wanted, long timestamp, byte[] key, byte[] value,
                               boolean abortOnNewBatch, long nowMs, Cluster cluster) throws Throwable {
        now = nowMs;
        topics.add(topic);
        partition = wanted;
        Iterator64 longs = new Iterator64(timestamp, 0L, nowMs);
        Object[] data = {key, value};
        int[] next = {0};
        Object result = call(APPEND, arguments(APPEND.getParameterTypes(), type ->
            type == TopicPartition.class ? new TopicPartition(topic, wanted)
            : type == String.class ? topic
            : type == int.class ? (Object) wanted
            : type == long.class ? (Object) longs.next()
            : type == boolean.class ? (Object) abortOnNewBatch
            : type == byte[].class ? data[next[0]++]
            : type == Header[].class ? null
            : type == Cluster.class ? cluster
            : callback(type, step)));
        return Arrays.asList(partition, IS_FULL.get(result), IS_NEW.get(result),
            ABORTS != null && ABORTS.getBoolean(result), BYTES == null ? null : BYTES.get(result));
    }

    /** Have a record appended while the next one waits for memory. */
    public void meanwhile(int step, String topic, int wanted, long timestamp, byte[] key, byte[] value,
                          Cluster cluster) {
        meanwhileAnswer = null;
        meanwhile = () -> {
            int before = partition;
            try {
                meanwhileAnswer = append(step, topic, wanted, timestamp, key, value, false, now, cluster);
            } catch (Throwable thrown) {
                meanwhileAnswer = thrown.getClass().getName();
            }
            partition = before;
        };
    }

    /** What became of it: null if it did not come to that. */
    public Object meanwhileAnswer() {
        meanwhile = null;
        Object answer = meanwhileAnswer;
        meanwhileAnswer = null;
        return answer;
    }

    /** The nodes that are ready, for how long no other will be, and topics with batches for no leader. */
    public List<Object> ready(int step, long nowMs, Cluster cluster, int epoch) throws Throwable {
        now = nowMs;
        Object result = call(READY, known(cluster, epoch), nowMs);
        List<Integer> nodes = new ArrayList<>();
        for (Object node : (Set<?>) NODES.get(result))
            nodes.add(((Node) node).id());
        Collections.sort(nodes);
        readyNodes.put(step, nodes);
        return Arrays.asList(nodes, DELAY.get(result), new ArrayList<>(new TreeSet<>((Set<?>) UNKNOWN.get(result))));
    }

    /** What was taken for each of these nodes, or for those that an earlier step found ready. */
    public List<Object> drain(int step, int of, int[] nodes, int maxSize, long nowMs, Cluster cluster, int epoch)
        throws Throwable {
        now = nowMs;
        List<Integer> ids = new ArrayList<>();
        if (of >= 0)
            ids.addAll(readyNodes.getOrDefault(of, Collections.emptyList()));
        else
            Arrays.stream(nodes).forEach(ids::add);
        Set<Node> wanted = new LinkedHashSet<>();
        ids.forEach(id -> wanted.add(new Node(id, "localhost", 0)));
        Map<?, ?> taken = (Map<?, ?>) call(DRAIN, known(cluster, epoch), wanted, maxSize, nowMs);
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

    public Object retry(int of, int number, long nowMs) {
        now = nowMs;
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
        now = nowMs;
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
        // Of several batches that end at once none is the first.
        told.sort((one, other) -> Integer.compare((Integer) one.get(0), (Integer) other.get(0)));
        List<Object> callbacks = new ArrayList<>(told);
        told.clear();
        return callbacks;
    }

    /** By topic: the table of load stats and the partitions that are in it. */
    public List<Object> loads() throws Throwable {
        List<Object> all = new ArrayList<>();
        if (PARTITIONER == null)
            return all;
        Map<?, ?> known = (Map<?, ?>) Loads.TOPICS.get(accumulator);
        for (String topic : topics) {
            if (!known.containsKey(topic))
                continue;
            Object stats = Loads.STATS.invoke(Loads.MAKER, call(PARTITIONER, topic));
            if (stats != null)
                all.add(Arrays.asList(topic, table(stats, "table"), table(stats, "ids")));
        }
        return all;
    }

    /** From 3.3 on: what BuiltInMaker, which is not there before, knows of load stats. */
    private static final class Loads {
        static final Field TOPICS = field(RecordAccumulator.class, "topicInfoMap");
        static final Object MAKER;
        static final Method STATS;

        static {
            try {
                Class<?> maker = Class.forName(AccumulatorHistory.class.getPackage().getName() + ".BuiltInMaker", true,
                    AccumulatorHistory.class.getClassLoader());
                MAKER = maker.getMethod("only").invoke(null);
                STATS = method(maker, "stats");
            } catch (ReflectiveOperationException wrong) {
                throw new IllegalStateException(wrong);
            }
        }
    }

    private static int[] table(Object stats, String which) throws Exception {
        Field table = field(stats.getClass(), which.equals("ids") ? "partitionIds" : "cumulativeFrequencyTable");
        return Arrays.copyOf((int[]) table.get(stats), field(stats.getClass(), "length").getInt(stats));
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

    private static boolean done(ProducerBatch batch, long offset, RuntimeException error) throws Throwable {
        if (COMPLETE == null)
            return (Boolean) on(DONE, batch, offset, -1L, error);
        java.util.function.Function<Integer, RuntimeException> each = index -> error;
        return (Boolean) (error == null ? on(COMPLETE, batch, offset, -1L) : on(FAIL, batch, error, each));
    }

    private Object callback(Class<?> type, int step) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            if (method.getName().equals("setPartition"))
                partition = (Integer) arguments[0];
            else if (method.getName().equals("onCompletion"))
                told.add(Arrays.asList(step, arguments[1] == null ? (Object) ((RecordMetadata) arguments[0]).offset()
                    : arguments[1].getClass().getName()));
            return null;
        });
    }

    /** The time of the step. */
    private Object tell(Object proxy, Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "milliseconds":
            case "hiResClockMs":
                return now;
            case "nanoseconds":
                return now * 1000000L;
            default:
                throw new UnsupportedOperationException("Time." + method.getName());
        }
    }

    private static Object partitionerConfig(Class<?> type, boolean adaptive, long availabilityTimeoutMs) {
        Constructor<?> constructor = longest(type.getConstructors());
        // The first boolean is about load; since 4.4 a second one about racks.
        Iterator64 flags = new Iterator64(adaptive ? 1 : 0, 0);
        try {
            return constructor.newInstance(arguments(constructor.getParameterTypes(), one ->
                one == boolean.class ? (Object) (flags.next() == 1)
                : one == long.class ? (Object) availabilityTimeoutMs
                : one == String.class ? ""
                : unknown(type, one)));
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    private static Object part(Class<?> type) {
        String name = type.getSimpleName();
        if (type == LogContext.class)
            return new LogContext();
        if (type == String.class)
            return GROUP;
        if (type == ApiVersions.class)
            return new ApiVersions();
        if (name.equals("TransactionManager"))
            return null;
        if (!name.equals("CompressionType") && !name.equals("Compression"))
            throw unknown(RecordAccumulator.class, type);
        try {
            return type.getField("NONE").get(null);
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    /** The cluster, or from 3.6 on a snapshot of it in which all leaders have that epoch (-1: none). */
    private static Object known(Cluster cluster, int epoch) throws Exception {
        if (SNAPSHOT == null)
            return cluster;
        Collection<Object> partitions = new ArrayList<>();
        if (epoch >= 0) {
            for (String topic : cluster.topics())
                for (PartitionInfo info : cluster.partitionsForTopic(topic))
                    partitions.add(metadataOf(new TopicPartition(topic, info.partition()), epoch));
        }
        return SNAPSHOT.newInstance(arguments(SNAPSHOT.getParameterTypes(), type ->
            type == Map.class ? Collections.emptyMap()
            : type == Set.class ? Collections.emptySet()
            : type == Collection.class ? partitions
            : type == Cluster.class ? cluster : null));
    }

    private static Object metadataOf(TopicPartition at, int epoch) throws Exception {
        Class<?> type = Class.forName("org.apache.kafka.common.requests.MetadataResponse$PartitionMetadata", true,
            AccumulatorHistory.class.getClassLoader());
        Constructor<?> constructor = longest(type.getConstructors());
        // Leader and epoch are both optional numbers.
        return constructor.newInstance(arguments(constructor.getParameterTypes(), one ->
            one == Errors.class ? Errors.NONE
            : one == TopicPartition.class ? at
            : one == Optional.class ? Optional.of(epoch)
            : one == List.class ? Collections.emptyList() : null));
    }

    private interface ByType {
        Object of(Class<?> type);
    }

    private static Object[] arguments(Class<?>[] types, ByType values) {
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++)
            arguments[i] = values.of(types[i]);
        return arguments;
    }

    private Object call(Method method, Object... arguments) throws Throwable {
        return on(method, accumulator, arguments);
    }

    /** What is thrown is thrown, not what reflection makes of it. */
    private static Object on(Method method, Object receiver, Object... arguments) throws Throwable {
        try {
            return method.invoke(receiver, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private static Constructor<?> longest(Constructor<?>[] all) {
        return Arrays.stream(all).max((one, other) ->
            Integer.compare(one.getParameterCount(), other.getParameterCount())).get();
    }

    private static boolean has(String name) {
        return optional(RecordAccumulator.class, name) != null;
    }

    private static Method method(Class<?> owner, String name) {
        Method found = optional(owner, name);
        if (found == null)
            throw new IllegalStateException(owner.getName() + " has no public method " + name);
        return found;
    }

    /** The public method of that name, or null. */
    private static Method optional(Class<?> owner, String name) {
        return Arrays.stream(owner.getMethods()).filter(one -> one.getName().equals(name)).findFirst().orElse(null);
    }

    /** The field of that name, or null. */
    private static Field field(Class<?> owner, String name) {
        try {
            Field found = owner.getDeclaredField(name);
            found.setAccessible(true);
            return found;
        } catch (NoSuchFieldException none) {
            return null;
        }
    }

    private static IllegalStateException unknown(Class<?> asked, Class<?> type) {
        return new IllegalStateException(asked.getName() + " takes a " + type.getName());
    }

    /** Numbers that are handed out one after the other. */
    private static final class Iterator64 {
        private final long[] numbers;
        private int at;

        Iterator64(long... numbers) {
            this.numbers = numbers;
        }

        long next() {
            return numbers[at++];
        }
    }

    /** A pool in which others do something before memory is given, and threads wait as they are told. */
    private final class Pool extends BufferPool {
        private int waiting;

        Pool(long memory, int size, Metrics metrics, Time time) {
            super(memory, size, metrics, time, GROUP);
        }

        @Override
        public java.nio.ByteBuffer allocate(int size, long maxTimeToBlockMs) throws InterruptedException {
            Runnable first = meanwhile;
            meanwhile = null;
            if (first != null)
                first.run();
            return super.allocate(size, maxTimeToBlockMs);
        }

        @Override
        public int queued() {
            return waiting;
        }
    }
}
