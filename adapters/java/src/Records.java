import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;

/** Answers records: many of one topic, drawn from the classes' own randomness. */
final class Records {
    private static final String TOPIC = "t";

    private final Client client;
    private final Map<?, ?> question;
    private final Object cluster;

    Records(Client client, Map<?, ?> question) throws Throwable {
        this.client = client;
        this.question = question;
        cluster = client.cluster(List.of(List.of(TOPIC, question.get("partitions"))));
    }

    int[] partitions(String behaviour, String type) throws Throwable {
        switch (behaviour) {
            case "keyed":
                return keyed();
            case "built-in":
                return builtIn();
            case "adaptive":
                return adaptive();
            default:
                return unkeyed(type);
        }
    }

    private int[] keyed() throws Throwable {
        List<?> keys = (List<?>) question.get("keys");
        Keys.Placing placing = Keys.placing(client);
        int[] chosen = new int[keys.size()];
        for (int i = 0; i < chosen.length; i++)
            chosen[i] = (Integer) placing.partition(TOPIC, Subject.hex((String) keys.get(i)), cluster);
        return chosen;
    }

    /** Round robin has a count; sticky partitioners are told of the batches that open. */
    private int[] unkeyed(String type) throws Throwable {
        List<?> closes = (List<?>) question.get("closes");
        int[] chosen = new int[closes == null ? Subject.integer(question, "count") : closes.size()];
        Partitioner partitioner = new Partitioner(client, type);
        for (int i = 0; i < chosen.length; i++) {
            chosen[i] = (Integer) partitioner.partition(TOPIC, null, cluster);
            if (closes != null && (Long) closes.get(i) == 1)
                partitioner.newBatch(TOPIC, cluster, chosen[i]);
        }
        return chosen;
    }

    /** As RecordAccumulator.append does it; a batch that is ready allows to switch. */
    private int[] builtIn() throws Throwable {
        int[] bytes = Subject.integers(question.get("bytes"));
        int[] closes = Subject.integers(question.get("closes"));
        Object partitioner = BuiltIn.create(client, TOPIC, Subject.integer(question, "batch_size"));
        Method peek = BuiltIn.method(client, "peek");
        Method partition = BuiltIn.method(client, "partition");
        Method update = BuiltIn.method(client, "update, switch");
        int[] chosen = new int[bytes.length];
        for (int i = 0; i < chosen.length; i++) {
            Object info = Client.call(peek, partitioner, cluster);
            chosen[i] = (Integer) Client.call(partition, info);
            Client.call(update, partitioner, info, bytes[i], cluster, closes[i] == 1);
        }
        return chosen;
    }

    private int[] adaptive() throws Throwable {
        List<?> loads = (List<?>) question.get("loads");
        int[] order = Subject.integers(question.get("order"));
        int choices = Subject.integer(question, "choices");
        Object partitioner = BuiltIn.create(client, TOPIC, 1);
        Method next = BuiltIn.method(client, "next");
        int[] chosen = new int[order.length * choices];
        for (int i = 0; i < chosen.length; i++) {
            if (i % choices == 0) {
                Map<?, ?> load = (Map<?, ?>) loads.get(order[i / choices]);
                // Fresh arrays: the sizes become the table, in place.
                int[] queues = Subject.integers(load.get("queues"));
                int[] ids = Subject.integers(load.get("ids"));
                BuiltIn.load(client, partitioner, queues, ids, new String[queues.length], Subject.integer(load, "length"));
            }
            chosen[i] = (Integer) Client.call(next, partitioner, cluster);
        }
        return chosen;
    }
}
