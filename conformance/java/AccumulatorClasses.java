package org.apache.kafka.clients.producer.internals;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

/**
 * RecordAccumulator and what is around it, where versions differ.
 *
 * Constructors and methods change from release to release, but what they are given is known by its type. A client
 * that asks for anything else is refused with an exception.
 */
final class AccumulatorClasses {
    static final String GROUP = "group";
    /** What was looked up once, for each case needs it. Other static fields are made with these, so they come first. */
    private static final Map<List<Object>, Optional<Method>> METHODS = new ConcurrentHashMap<>();
    private static final Map<Class<?>, Constructor<?>> LONGEST = new ConcurrentHashMap<>();
    /** What stands for a compression.type; it never changes. */
    private static final Map<String, Object> COMPRESSIONS = new ConcurrentHashMap<>();

    private AccumulatorClasses() { }

    static final Constructor<?> NEW = longest(RecordAccumulator.class);
    static final Method APPEND = method(RecordAccumulator.class, "append");
    static final Method READY = method(RecordAccumulator.class, "ready");
    static final Method DRAIN = method(RecordAccumulator.class, "drain");
    static final Method UNMUTE = method(RecordAccumulator.class, "unmutePartition");
    /** Since 4.0 the end of a batch and the return of its buffer are two things, which a sender does together. */
    static final Method DEALLOCATE = method(RecordAccumulator.class,
        optional(RecordAccumulator.class, "completeAndDeallocateBatch") != null ? "completeAndDeallocateBatch" : "deallocate");
    /** A Long in 2.3.1. */
    static final Method NEXT_EXPIRY = method(RecordAccumulator.class, "nextExpiryTimeMs");
    /** From 3.3 on. */
    static final Method PARTITIONER = optional(RecordAccumulator.class, "getBuiltInPartitioner");
    static final Method LATENCY = optional(RecordAccumulator.class, "updateNodeLatencyStats");
    static final Field IS_FULL = field(APPEND.getReturnType(), "batchIsFull");
    static final Field IS_NEW = field(APPEND.getReturnType(), "newBatchCreated");
    /** From 2.4 to 3.9. */
    static final Field ABORTS = field(APPEND.getReturnType(), "abortForNewBatch");
    /** From 3.3 on. */
    static final Field BYTES = field(APPEND.getReturnType(), "appendedBytes");
    static final Field NODES = field(READY.getReturnType(), "readyNodes");
    static final Field DELAY = field(READY.getReturnType(), "nextReadyCheckDelayMs");
    static final Field UNKNOWN = field(READY.getReturnType(), "unknownLeaderTopics");
    static final Constructor<?> SNAPSHOT = READY.getParameterTypes()[0] == Cluster.class ? null
        : longest(READY.getParameterTypes()[0]);
    static final Method COMPLETE = optional(ProducerBatch.class, "complete");
    static final Method FAIL = optional(ProducerBatch.class, "completeExceptionally");
    /** What was both before. */
    static final Method DONE = optional(ProducerBatch.class, "done");

    /** From 3.3 on: what BuiltInMaker, which is not there before, knows of load stats. */
    private static final class Loads {
        static final Field TOPICS;
        static final Object MAKER;
        static final Method STATS;

        static {
            try {
                TOPICS = PrivateField.of(RecordAccumulator.class, "topicInfoMap", null, ".RecordAccumulator$TopicInfo>");
                Class<?> maker = Class.forName(AccumulatorClasses.class.getPackage().getName() + ".BuiltInMaker", true,
                    AccumulatorClasses.class.getClassLoader());
                MAKER = maker.getMethod("only").invoke(null);
                STATS = method(maker, "stats");
            } catch (ReflectiveOperationException wrong) {
                throw new IllegalStateException(wrong);
            }
        }
    }

    /** The topics that an accumulator knows, from 3.3 on. */
    static Map<?, ?> topics(RecordAccumulator accumulator) throws Exception {
        return (Map<?, ?>) Loads.TOPICS.get(accumulator);
    }

    /** What a partitioner chooses by; null while it does not. */
    static Object loadStats(Object partitioner) throws Exception {
        return Loads.STATS.invoke(Loads.MAKER, partitioner);
    }

    static int[] table(Object stats, String which) throws Exception {
        String name = which.equals("ids") ? "partitionIds" : "cumulativeFrequencyTable";
        Field table = PrivateField.of(stats.getClass(), name, null, "no other");
        Field length = PrivateField.of(stats.getClass(), "length", null, " int ");
        return Arrays.copyOf((int[]) table.get(stats), length.getInt(stats));
    }

    /** By topic, of those that an accumulator knows: the table of load stats and the partitions that are in it. */
    static List<Object> loadsOf(RecordAccumulator accumulator, Set<String> topics) throws Throwable {
        List<Object> all = new ArrayList<>();
        Map<?, ?> known = topics(accumulator);
        for (String topic : topics) {
            if (!known.containsKey(topic))
                continue;
            Object stats = loadStats(on(PARTITIONER, accumulator, topic));
            if (stats != null)
                all.add(Arrays.asList(topic, table(stats, "table"), table(stats, "ids")));
        }
        return all;
    }

    /** An offset; or the error, with which there is no offset, or no metadata at all. */
    static Object outcome(RecordMetadata metadata, Exception error) {
        boolean failed = error != null && (metadata == null || metadata.offset() == -1L);
        return failed ? error.getClass().getName() : (Object) metadata.offset();
    }

    /** Sizes are bytes, times ms; a timeout of 0 leaves the availability of nodes out. */
    static RecordAccumulator accumulator(int batchSize, int lingerMs, long backoffMs, long backoffMaxMs,
                                         int deliveryTimeoutMs, boolean adaptive, long availabilityTimeoutMs,
                                         Metrics metrics, Time time, BufferPool pool) throws Exception {
        return accumulator(batchSize, lingerMs, backoffMs, backoffMaxMs, deliveryTimeoutMs, adaptive,
            availabilityTimeoutMs, metrics, time, pool, "none", null);
    }

    /** The same with a compression.type, and a transaction manager if the producer is idempotent. */
    static RecordAccumulator accumulator(int batchSize, int lingerMs, long backoffMs, long backoffMaxMs,
                                         int deliveryTimeoutMs, boolean adaptive, long availabilityTimeoutMs,
                                         Metrics metrics, Time time, BufferPool pool, String compression,
                                         Object transactions) throws Exception {
        Class<?>[] types = NEW.getParameterTypes();
        Numbers ints = new Numbers(batchSize, lingerMs, deliveryTimeoutMs);
        // In 2.1 all times are long.
        boolean early = Arrays.stream(types).filter(int.class::equals).count() == 1;
        Numbers longs = early ? new Numbers(lingerMs, backoffMs, deliveryTimeoutMs)
            : new Numbers(backoffMs, backoffMaxMs);
        return (RecordAccumulator) NEW.newInstance(arguments(types, type ->
            type == int.class ? (Object) (int) ints.next()
            : type == long.class ? (Object) longs.next()
            : type == Metrics.class ? metrics
            : type == Time.class ? time
            : type == BufferPool.class ? pool
            : type == TransactionManager.class ? transactions
            : type.getSimpleName().equals("PartitionerConfig")
                ? partitionerConfig(type, adaptive, availabilityTimeoutMs)
            : part(type, compression)));
    }

    /** A RecordAppendResult; a callback is made by its type. */
    static Object appendTo(RecordAccumulator accumulator, String topic, int partition, long timestamp, byte[] key,
                           byte[] value, Header[] headers, boolean abortOnNewBatch, long nowMs, Cluster cluster,
                           ByType callback) throws Throwable {
        Numbers longs = new Numbers(timestamp, 0L, nowMs);
        Object[] data = {key, value};
        int[] next = {0};
        return on(APPEND, accumulator, arguments(APPEND.getParameterTypes(), type ->
            type == TopicPartition.class ? new TopicPartition(topic, partition)
            : type == String.class ? topic
            : type == int.class ? (Object) partition
            : type == long.class ? (Object) longs.next()
            : type == boolean.class ? (Object) abortOnNewBatch
            : type == byte[].class ? data[next[0]++]
            : type == Header[].class ? headers
            : type == Cluster.class ? cluster
            : callback.of(type)));
    }

    static boolean done(ProducerBatch batch, long offset, RuntimeException error) throws Throwable {
        if (COMPLETE == null)
            return (Boolean) on(DONE, batch, offset, -1L, error);
        java.util.function.Function<Integer, RuntimeException> each = index -> error;
        return (Boolean) (error == null ? on(COMPLETE, batch, offset, -1L) : on(FAIL, batch, error, each));
    }

    static Object partitionerConfig(Class<?> type, boolean adaptive, long availabilityTimeoutMs) {
        Constructor<?> constructor = longest(type);
        // The first boolean is about load; since 4.4 a second one about racks.
        Numbers flags = new Numbers(adaptive ? 1 : 0, 0);
        try {
            return constructor.newInstance(arguments(constructor.getParameterTypes(), one ->
                one == boolean.class ? (Object) (flags.next() == 1)
                : one == long.class ? (Object) availabilityTimeoutMs
                : one == String.class ? ""
                : refused(type, one)));
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    static Object part(Class<?> type, String compression) {
        String name = type.getSimpleName();
        if (type == LogContext.class)
            return new LogContext();
        if (type == String.class)
            return GROUP;
        if (type == ApiVersions.class)
            return new ApiVersions();
        if (!name.equals("CompressionType") && !name.equals("Compression"))
            return refused(RecordAccumulator.class, type);
        return COMPRESSIONS.computeIfAbsent(compression, of -> compressionOf(type, of));
    }

    private static Object compressionOf(Class<?> type, String compression) {
        try {
            if (type.getSimpleName().equals("CompressionType"))
                return on(method(type, "forName"), null, compression);
            Object builder = on(type.getMethod("of", String.class), null, compression);
            Method build = method(builder.getClass(), "build");
            build.setAccessible(true); // its class is a private one of the codec's
            return on(build, builder);
        } catch (Error | RuntimeException thrown) {
            throw thrown;
        } catch (Throwable wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    /** The cluster, or from 3.6 on a snapshot of it in which all leaders have that epoch (-1: none). */
    static Object known(Cluster cluster, int epoch) throws Exception {
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
        // Leader and epoch are both optional numbers.
        return OfPartitions.NEW.newInstance(arguments(OfPartitions.NEW.getParameterTypes(), one ->
            one == Errors.class ? Errors.NONE
            : one == TopicPartition.class ? at
            : one == Optional.class ? Optional.of(epoch)
            : one == List.class ? Collections.emptyList() : null));
    }

    /** From 3.6 on, where a snapshot is made of it. */
    private static final class OfPartitions {
        static final Constructor<?> NEW;

        static {
            try {
                NEW = longest(Class.forName("org.apache.kafka.common.requests.MetadataResponse$PartitionMetadata", true,
                    AccumulatorClasses.class.getClassLoader()));
            } catch (ReflectiveOperationException wrong) {
                throw new IllegalStateException(wrong);
            }
        }
    }

    interface ByType {
        Object of(Class<?> type);
    }

    static Object[] arguments(Class<?>[] types, ByType values) {
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++)
            arguments[i] = values.of(types[i]);
        return arguments;
    }

    /** What is thrown is thrown, not what reflection makes of it. */
    static Object on(Method method, Object receiver, Object... arguments) throws Throwable {
        try {
            return method.invoke(receiver, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    /** The public constructor that takes the most. */
    static Constructor<?> longest(Class<?> type) {
        return LONGEST.computeIfAbsent(type, of -> Arrays.stream(of.getConstructors()).max((one, other) ->
            Integer.compare(one.getParameterCount(), other.getParameterCount())).get());
    }

    static Method method(Class<?> owner, String name) {
        Method found = optional(owner, name);
        if (found == null)
            throw new IllegalStateException(owner.getName() + " has no public method " + name);
        return found;
    }

    /** The public method of that name, or null. */
    static Method optional(Class<?> owner, String name) {
        return METHODS.computeIfAbsent(Arrays.asList(owner, name), asked ->
            Arrays.stream(owner.getMethods()).filter(one -> one.getName().equals(name)).findFirst()).orElse(null);
    }

    /** The field of that name, or null. */
    static Field field(Class<?> owner, String name) {
        try {
            Field found = owner.getDeclaredField(name);
            found.setAccessible(true);
            return found;
        } catch (NoSuchFieldException none) {
            return null;
        }
    }

    private static Object refused(Class<?> asked, Class<?> type) {
        throw new IllegalStateException(asked.getName() + " takes a " + type.getName());
    }

    /** Numbers that are handed out one after the other. */
    static final class Numbers {
        private final long[] numbers;
        private int at;

        Numbers(long... numbers) {
            this.numbers = numbers;
        }

        long next() {
            return numbers[at++];
        }
    }
}
