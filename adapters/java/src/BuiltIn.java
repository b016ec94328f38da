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
class BuiltIn extends Subject {
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
        mockRandom = canMock(client) ? client.field(Client.BUILT_IN, "mockRandom") : null;
    }

    /** Up to 3.8; since then a method has to be overridden. */
    static boolean canMock(Client client) throws Exception {
        return client.has(Client.BUILT_IN, "mockRandom");
    }

    /** Since 4.4 (KIP-1123). */
    static boolean knowsRacks(Client client) throws Exception {
        return client.has(Client.BUILT_IN, "rackAware");
    }

    static Object create(Client client, String topic, int batchSize) throws Throwable {
        if (knowsRacks(client))
            return create(client, topic, batchSize, false, "");
        String log = Client.COMMON + "utils.LogContext";
        Class<?>[] parameters = {client.type(log), String.class, int.class};
        return client.make(Client.BUILT_IN, parameters, client.make(log), topic, batchSize);
    }

    static Object create(Client client, String topic, int batchSize, boolean rackAware, String rack) throws Throwable {
        String log = Client.COMMON + "utils.internals.LogContext";
        Class<?>[] parameters = {client.type(log), String.class, int.class, boolean.class, String.class};
        return client.make(Client.BUILT_IN, parameters, client.make(log), topic, batchSize, rackAware, rack);
    }

    /** Queue sizes become a table, in place. */
    static void load(Client client, Object partitioner, int[] queues, int[] ids, String[] racks, int length)
            throws Throwable {
        String name = "updatePartitionLoadStats";
        Class<?> ints = int[].class;
        if (knowsRacks(client)) {
            Method load = client.method(Client.BUILT_IN, name, ints, ints, String[].class, int.class);
            Client.call(load, partitioner, queues, ids, racks, length);
        } else {
            Client.call(client.method(Client.BUILT_IN, name, ints, ints, int.class), partitioner, queues, ids, length);
        }
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
            if (mock)
                set(null);
        }
    }

    @Override
    Object answer(Map<?, ?> step) throws Throwable {
        int index = count();
        String topic = (String) step.get("topic");
        Object partitioner = partitioners.get(topic);
        switch ((String) step.get("op")) {
            case "create":
                partitioners.put(topic, create(topic, integer(step, "batch_size")));
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
                load(client, partitioner, queues, ids, racks(step, queues), integer(step, "length"));
                return queues;
            case "range end":
                return Client.call(method(client, "range end"), partitioner);
            default:
                throw new CouldNotTry("no operation " + step.get("op"));
        }
    }

    /** The number of the step that is performed now. */
    int count() {
        return steps++;
    }

    Object create(String topic, int batchSize) throws Throwable {
        return create(client, topic, batchSize);
    }

    /** Of the queues' leaders: nothing is known of them. */
    String[] racks(Map<?, ?> step, int[] queues) {
        return queues == null ? null : new String[queues.length];
    }

    Object partitioner(Map<?, ?> step) {
        return partitioners.get(step.get("topic"));
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
            putTable(state, "", stats(partitioner, "total"));
            return state;
        }
        Object info = ((AtomicReference<?>) client.field(Client.BUILT_IN, "stickyPartitionInfo").get(partitioner)).get();
        state.put("partition", info == null ? null : Client.call(method(client, "partition"), info));
        state.put("bytes", bytesOf(info));
        state.put("peeked bytes", bytesOf(of(step)));
        return state;
    }

    /** The table by which it chooses, or null; of all racks ("total"), or since 4.4 "inThisRack". */
    Object stats(Object partitioner, String which) throws Exception {
        if (!knowsRacks(client))
            return client.field(Client.BUILT_IN, "partitionLoadStats").get(partitioner);
        Object held = client.field(Client.BUILT_IN, "partitionLoadStatsHolder").get(partitioner);
        return held == null ? null : client.field(STATS + "Holder", which).get(held);
    }

    void putTable(Map<String, Object> state, String prefix, Object stats) throws Exception {
        state.put(prefix + "table", of(stats, "cumulativeFrequencyTable"));
        state.put(prefix + "ids", of(stats, "partitionIds"));
        state.put(prefix + "length", of(stats, "length"));
    }

    private Object of(Object stats, String field) throws Exception {
        return stats == null ? null : client.field(STATS, field).get(stats);
    }

    private Object bytesOf(Object info) throws Exception {
        return info == null ? null : ((AtomicInteger) client.field(INFO, "producedBytes").get(info)).get();
    }
}
