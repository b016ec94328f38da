import java.util.Collections;
import java.util.Map;

/** Round robin and sticky: histories of records and batches on a Partitioner. */
final class History extends Subject {
    private final Partitioner partitioner;

    History(Client client, Draws draws, String type, Map<?, ?> testCase) throws Throwable {
        super(client, draws, testCase);
        partitioner = new Partitioner(client, type);
        Object counters = ((Map<?, ?>) testCase.get("config")).get("counters");
        if (counters != null)
            for (Map.Entry<?, ?> counter : ((Map<?, ?>) counters).entrySet())
                partitioner.setCounter((String) counter.getKey(), ((Long) counter.getValue()).intValue());
    }

    @Override
    Object answer(Map<?, ?> step) throws Throwable {
        String topic = (String) step.get("topic");
        if (step.get("op").equals("partition"))
            return partitioner.partition(topic, key(step), cluster(step));
        return partitioner.newBatch(topic, cluster(step), number(step.get("previous")));
    }

    @Override
    Map<String, Object> state(Map<?, ?> step) {
        String topic = (String) step.get("topic");
        return topic == null ? null : Collections.singletonMap("topic", partitioner.state(topic));
    }
}
