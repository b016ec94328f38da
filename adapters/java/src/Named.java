import java.util.Map;

/** explicit-partition: a ProducerRecord, and where KafkaProducer.partition sends it. */
final class Named extends Subject {
    private final Producer producer;

    Named(Client client, Draws draws, Map<?, ?> testCase) throws Throwable {
        super(client, draws, testCase);
        producer = new Producer(client);
    }

    @Override
    Object answer(Map<?, ?> step) throws Throwable {
        Integer named = step.get("partition") == null ? null : Integer.valueOf(integer(step, "partition"));
        byte[] key = key(step);
        Object cluster = cluster(step);
        return producer.partition(producer.record((String) step.get("topic"), named, key), key, cluster);
    }
}
