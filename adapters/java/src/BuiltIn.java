import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** built-in, load-stats and adaptive: histories on BuiltInPartitioner objects, one for each topic. */
final class BuiltIn extends Subject {
    private static final String INFO = Client.BUILT_IN + "$StickyPartitionInfo";
    private static final String STATS = Client.BUILT_IN + "$PartitionLoadStats";

    private final boolean mock;
    private final Field mockRandom;
    private final Map<String, Object> partitioners = new HashMap<>();
    private final Map<Integer, Object> peeked = new HashMap<>();
    private int steps;
    private int mocked;

    BuiltIn(Client client, Draws draws, Map<?, ?> testCase) throws Exception {
        super(client, draws, testCase);
        mock = "mock".equals(((Map<?, ?>) testCase.get("config")).get("source"));
        mockRandom = client.field(Client.BUILT_IN, "mockRandom");
    }

    static Object create(Client client, String topic, int batchSize) throws Throwable {
        String log = Client.COMMON + "utils.LogContext";
        Class<?>[] parameters = {client.type(log), String.class, int.class};
        return client.make(Client.BUILT_IN, parameters, client.make(log), topic, batchSize);
    }

    /** Our names of the methods. */
    static Method method(Client client, String name) throws Exception {
        Class<?> info = client.type(INFO);
        Class<?> cluster = client.type(Client.COMMON + "Cluster");
        switch (name) {
            case "peek":
                return client.method(Client.BUILT_IN, "peekCurrentPartitionInfo", cluster);
            case "changed":
                return client.method(Client.BUILT_IN, "isPartitionChanged", info);
            case "update":
                return client.method(Client.BUILT_IN, "updatePartitionInfo", info, int.class, cluster);
            case "update, switch":
                return client.method(Client.BUILT_IN, "updatePartitionInfo", info, int.class, cluster, boolean.class);
            case "load":
                return client.method(Client.BUILT_IN, "updatePartitionLoadStats", int[].class, int[].class, int.class);
            case "next":
                return client.method(Client.BUILT_IN, "nextPartition", cluster);
            case "range end":
                return client.method(Client.BUILT_IN, "loadStatsRangeEnd");
            default:
                return client.method(INFO, "partition");
        }
    }

    @Override
    boolean begin(List<?> wanted) {
        mocked = 0;
        if (!mock)
            return false;
        set(() -> {
            if (mocked >= wanted.size())
                throw new CouldNotTry("a step drew more than " + mocked + " values");
            return ((Long) wanted.get(mocked++)).intValue();
        });
        return true;
    }

    @Override
    int drawn() throws Exception {
        return mock ? mocked : super.drawn();
    }

    private void set(Supplier<Integer> source) {
        try {
            mockRandom.set(null, source);
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    List<?> trace(List<?> all) throws Throwable {
        try {
            return super.trace(all);
        } finally {
            set(null);
        }
    }

    @Override
    Object answer(Map<?, ?> step) throws Throwable {
        int index = steps++;
        String topic = (String) step.get("topic");
        Object partitioner = partitioners.get(topic);
        switch ((String) step.get("op")) {
            case "create":
                partitioners.put(topic, create(client, topic, integer(step, "batch_size")));
                return null;
            case "peek":
                Object info = Client.call(method(client, "peek"), partitioner, cluster(step));
                peeked.put(index, info);
                return Client.call(method(client, "partition"), info);
            case "changed":
                return changed(partitioner, step) ? 1 : 0;
            case "append":
                if (changed(partitioner, step))
                    return "changed";
                return update(partitioner, step);
            case "update":
                return update(partitioner, step);
            case "load":
                int[] queues = step.get("queues") == null ? null : integers(step.get("queues"));
                int[] ids = integers(step.get("ids"));
                Client.call(method(client, "load"), partitioner, queues, ids, integer(step, "length"));
                return queues;
            case "range end":
                return Client.call(method(client, "range end"), partitioner);
            default:
                throw new CouldNotTry("no operation " + step.get("op"));
        }
    }

    private boolean changed(Object partitioner, Map<?, ?> step) throws Throwable {
        return (Boolean) Client.call(method(client, "changed"), partitioner, of(step));
    }

    private Object update(Object partitioner, Map<?, ?> step) throws Throwable {
        Object toSwitch = step.get("switch");
        int bytes = integer(step, "bytes");
        if (toSwitch == null)
            return Client.call(method(client, "update"), partitioner, of(step), bytes, cluster(step));
        return Client.call(method(client, "update, switch"), partitioner, of(step), bytes, cluster(step), toSwitch);
    }

    /** What the peek that a step names gave; null for none, and for a peek that failed. */
    private Object of(Map<?, ?> step) {
        return step.get("of") == null ? null : peeked.get(stepOf(step.get("of")));
    }

    @Override
    Map<String, Object> state(Map<?, ?> step) throws Throwable {
        Object partitioner = partitioners.get(step.get("topic"));
        if (partitioner == null || step.get("op").equals("create"))
            return null;
        Map<String, Object> state = new LinkedHashMap<>();
        if (step.get("op").equals("load")) {
            Object stats = client.field(Client.BUILT_IN, "partitionLoadStats").get(partitioner);
            state.put("table", of(stats, "cumulativeFrequencyTable"));
            state.put("ids", of(stats, "partitionIds"));
            state.put("length", of(stats, "length"));
            return state;
        }
        Object info = ((AtomicReference<?>) client.field(Client.BUILT_IN, "stickyPartitionInfo").get(partitioner)).get();
        state.put("partition", info == null ? null : Client.call(method(client, "partition"), info));
        state.put("bytes", bytesOf(info));
        state.put("peeked bytes", bytesOf(of(step)));
        return state;
    }

    private Object of(Object stats, String field) throws Exception {
        return stats == null ? null : client.field(STATS, field).get(stats);
    }

    private Object bytesOf(Object info) throws Exception {
        return info == null ? null : ((AtomicInteger) client.field(INFO, "producedBytes").get(info)).get();
    }
}
