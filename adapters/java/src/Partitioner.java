import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** An object of one of the client's Partitioner classes, or its StickyPartitionCache. */
final class Partitioner {
    private final Object partitioner;
    private final boolean cache;
    private final Method partition;
    private final Method newBatch;
    private final Map<String, Object> state;

    @SuppressWarnings("unchecked")
    Partitioner(Client client, String type) throws Throwable {
        partitioner = client.make(type);
        cache = type.equals(Client.STICKY_CACHE);
        Class<?> cluster = client.type(Client.COMMON + "Cluster");
        boolean sticky = client.has(Client.STICKY_CACHE) && !type.equals(Client.ROUND_ROBIN);
        if (cache) {
            partition = client.method(type, "partition", String.class, cluster);
            newBatch = client.method(type, "nextPartition", String.class, cluster, int.class);
        } else {
            Class<?>[] record = {String.class, Object.class, byte[].class, Object.class, byte[].class, cluster};
            partition = client.method(type, "partition", record);
            newBatch = sticky ? client.method(type, "onNewBatch", String.class, cluster, int.class) : null;
        }
        Object owner = partitioner;
        if (sticky && !cache)
            owner = client.field(type, "stickyPartitionCache").get(partitioner);
        state = (Map<String, Object>) (sticky
            ? client.field(Client.STICKY_CACHE, "indexCache").get(owner)
            : client.field(type, "topicCounterMap").get(owner));
    }

    Object partition(String topic, byte[] key, Object cluster) throws Throwable {
        if (cache)
            return Client.call(partition, partitioner, topic, cluster);
        return Client.call(partition, partitioner, topic, null, key, null, null, cluster);
    }

    /** Tells a sticky partitioner of a new batch; the cache answers its next partition. */
    Object newBatch(String topic, Object cluster, int previous) throws Throwable {
        return Client.call(newBatch, partitioner, topic, cluster, previous);
    }

    void setCounter(String topic, int value) {
        state.put(topic, new AtomicInteger(value));
    }

    /** A topic's counter or sticky partition, or null. */
    Integer state(String topic) {
        Object value = state.get(topic);
        return value instanceof AtomicInteger ? Integer.valueOf(((AtomicInteger) value).get()) : (Integer) value;
    }
}
