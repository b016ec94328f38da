import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.clients.producer.internals.BufferPool;
import org.apache.kafka.clients.producer.internals.ProducerBatch;
import org.apache.kafka.clients.producer.internals.RecordAccumulator;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

/**
 * A real RecordAccumulator of any version from 3.3 to 4.4 without a producer around it; each partition has its
 * own node.
 *
 * Its constructor and methods change from release to release, but what they are given is known by its type. A
 * client that asks for anything else is refused with an exception.
 */
final class Accumulator implements InvocationHandler {
    static final String TOPIC = "t";
    /** In the order of the constructor: linger and delivery timeout after the size of a batch. */
    private static final int[] LINGER_AND_DELIVERY_MS = {0, 120000};
    /** The same: retry.backoff.ms, and from 3.7 on its maximum. */
    private static final long[] RETRY_BACKOFF_MS = {100L, 1000L};

    private final RecordAccumulator accumulator;
    private final Cluster cluster;
    private final Method append;
    private final Object[] appended;
    private final int valueAt;
    private final Field appendedBytes;
    private final Method drain;
    /** The cluster, or from 3.6 on a MetadataSnapshot of it. */
    private final Object known;
    int partition;
    int bytes;

    Accumulator(int batchSize, Cluster cluster) throws Exception {
        this.cluster = cluster;
        this.accumulator = (RecordAccumulator) newAccumulator(batchSize);
        this.append = method("append");
        Class[] types = append.getParameterTypes();
        this.appended = new Object[types.length];
        for (int i = 0; i < types.length; i++)
            appended[i] = appendArgument(types[i]);
        this.valueAt = Arrays.asList(types).lastIndexOf(byte[].class);
        this.appendedBytes = append.getReturnType().getField("appendedBytes");
        this.drain = method("drain");
        Class source = drain.getParameterTypes()[0];
        this.known = source == Cluster.class ? cluster : newSnapshot(source);
    }

    /** Append wherever the accumulator likes; see partition and bytes. */
    void append(byte[] value) throws Exception {
        appended[valueAt] = value;
        bytes = appendedBytes.getInt(call(append, appended));
    }

    /** Send the oldest batch of a partition, if there is one, full or not. */
    void send(int partition) throws Exception {
        Set broker = Collections.singleton(cluster.nodeById(partition));
        Object[] arguments = {known, broker, Integer.valueOf(Integer.MAX_VALUE), Long.valueOf(0L)};
        Map drained = (Map) call(drain, arguments);
        for (Iterator batches = ((List) drained.get(Integer.valueOf(partition))).iterator(); batches.hasNext();) {
            ProducerBatch batch = (ProducerBatch) batches.next();
            batch.complete(0L, -1L);
            accumulator.deallocate(batch);
        }
    }

    /** What the accumulator tells its AppendCallbacks: of a record its partition, later that it was sent. */
    public Object invoke(Object proxy, Method method, Object[] arguments) {
        if (method.getName().equals("setPartition"))
            partition = ((Integer) arguments[0]).intValue();
        return null;
    }

    private Object newAccumulator(int batchSize) throws Exception {
        Metrics metrics = new Metrics();
        Constructor constructor = longest(RecordAccumulator.class);
        Class[] types = constructor.getParameterTypes();
        Object[] arguments = new Object[types.length];
        int ints = 0;
        int longs = 0;
        for (int i = 0; i < types.length; i++) {
            if (types[i] == int.class)
                arguments[i] = Integer.valueOf(ints++ == 0 ? batchSize : LINGER_AND_DELIVERY_MS[ints - 2]);
            else if (types[i] == long.class)
                arguments[i] = Long.valueOf(RETRY_BACKOFF_MS[longs++]);
            else if (types[i] == Metrics.class)
                arguments[i] = metrics;
            else if (types[i] == BufferPool.class)
                arguments[i] = new BufferPool(64L << 20, batchSize, metrics, Time.SYSTEM, "group");
            else
                arguments[i] = part(types[i]);
        }
        return made(constructor, arguments);
    }

    /** What every accumulator here has alike. */
    private static Object part(Class type) throws Exception {
        String name = type.getSimpleName();
        if (type == LogContext.class)
            return new LogContext();
        if (type == String.class)
            return "group";
        if (type == Time.class)
            return Time.SYSTEM;
        if (type == ApiVersions.class)
            return new ApiVersions();
        if (name.equals("CompressionType") || name.equals("Compression"))
            return type.getField("NONE").get(null);
        if (name.equals("PartitionerConfig"))
            return newPartitionerConfig(longest(type));
        if (name.equals("TransactionManager"))
            return null;
        throw unknown("constructor", type);
    }

    /** Without the adaptive part; from 4.4 on blind to racks, too. */
    private static Object newPartitionerConfig(Constructor constructor) throws Exception {
        Class[] types = constructor.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            if (types[i] == boolean.class)
                arguments[i] = Boolean.FALSE;
            else if (types[i] == long.class)
                arguments[i] = Long.valueOf(0L);
            else if (types[i] == String.class)
                arguments[i] = "";
            else
                throw unknown("PartitionerConfig", types[i]);
        }
        return made(constructor, arguments);
    }

    /** No key and no headers, no partition chosen, a new batch allowed (up to 3.9), and all at time 0. */
    private Object appendArgument(Class type) {
        if (type == String.class)
            return TOPIC;
        if (type == int.class)
            return Integer.valueOf(RecordMetadata.UNKNOWN_PARTITION);
        if (type == long.class)
            return Long.valueOf(0L);
        if (type == boolean.class)
            return Boolean.FALSE;
        if (type == Cluster.class)
            return cluster;
        if (type.getSimpleName().equals("AppendCallbacks"))
            return Proxy.newProxyInstance(type.getClassLoader(), new Class[] {type}, this);
        if (type.isArray())
            return null;
        throw unknown("append", type);
    }

    /** A snapshot of the cluster that knows no more than the cluster does. */
    private Object newSnapshot(Class snapshot) throws Exception {
        Constructor constructor = longest(snapshot);
        Class[] types = constructor.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            if (types[i] == Map.class)
                arguments[i] = Collections.emptyMap();
            else if (types[i] == Set.class)
                arguments[i] = Collections.emptySet();
            else if (types[i] == Collection.class)
                arguments[i] = Collections.emptyList();
            else if (types[i] == Cluster.class)
                arguments[i] = cluster;
        }
        return made(constructor, arguments);
    }

    /** What the accumulator throws is thrown, not what reflection makes of it. */
    private Object call(Method method, Object[] arguments) throws Exception {
        try {
            return method.invoke(accumulator, arguments);
        } catch (InvocationTargetException thrown) {
            throw reason(thrown);
        }
    }

    private static Object made(Constructor constructor, Object[] arguments) throws Exception {
        try {
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException thrown) {
            throw reason(thrown);
        }
    }

    private static Exception reason(InvocationTargetException thrown) {
        Throwable cause = thrown.getCause();
        if (cause instanceof Error)
            throw (Error) cause;
        return (Exception) cause;
    }

    private static Constructor longest(Class type) {
        Constructor[] all = type.getConstructors();
        Constructor found = all[0];
        for (int i = 1; i < all.length; i++) {
            if (all[i].getParameterCount() > found.getParameterCount())
                found = all[i];
        }
        return found;
    }

    private static Method method(String name) {
        Method[] all = RecordAccumulator.class.getMethods();
        for (int i = 0; i < all.length; i++) {
            if (all[i].getName().equals(name))
                return all[i];
        }
        throw new IllegalStateException(RecordAccumulator.class.getName() + " has no public method " + name);
    }

    private static IllegalStateException unknown(String method, Class type) {
        return new IllegalStateException(RecordAccumulator.class.getName() + "." + method + " takes a "
            + type.getName());
    }
}
