import java.util.List;
import java.util.Map;

/** rack-aware: the same of a producer that prefers leaders in its own rack (4.4, KIP-1123). */
final class RackAware extends BuiltIn {
    private final Map<?, ?> config;
    private final Object[] nodes;

    RackAware(Client client, Draws draws, Map<?, ?> testCase) throws Throwable {
        super(client, draws, testCase);
        config = (Map<?, ?>) testCase.get("config");
        nodes = client.nodes((List<?>) config.get("racks"));
    }

    @Override
    Object cluster(List<?> snapshot) throws Throwable {
        return client.cluster(snapshot, nodes);
    }

    @Override
    Object create(String topic, int batchSize) throws Throwable {
        return create(client, topic, batchSize, (Boolean) config.get("rack_aware"), (String) config.get("rack"));
    }

    @Override
    String[] racks(Map<?, ?> step, int[] queues) {
        return ((List<?>) step.get("racks")).toArray(new String[0]);
    }

    @Override
    Object answer(Map<?, ?> step) throws Throwable {
        if (!step.get("op").equals("rack range end"))
            return super.answer(step);
        count();
        return Client.call(client.method(Client.BUILT_IN, "loadStatsInThisRackRangeEnd"), partitioner(step));
    }

    @Override
    Map<String, Object> state(Map<?, ?> step) throws Throwable {
        Map<String, Object> state = super.state(step);
        if (state != null && step.get("op").equals("load"))
            putTable(state, "rack ", stats(partitioner(step), "inThisRack"));
        return state;
    }
}
