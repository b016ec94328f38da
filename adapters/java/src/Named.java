import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Map;

/**
 * explicit-partition: a ProducerRecord, and where KafkaProducer.partition sends it. That method needs
 * nothing of the producer but its partitioner, so the producer is never constructed: no network.
 */
final class Named extends Subject {
    private final Object producer;
    private final Method partition;
    private final Constructor<?> newRecord;

    Named(Client client, Draws draws, Map<?, ?> testCase) throws Throwable {
        super(client, draws, testCase);
        String kafkaProducer = Client.PRODUCER + "KafkaProducer";
        Class<?> record = client.type(Client.PRODUCER + "ProducerRecord");
        producer = client.allocate(kafkaProducer);
        Field partitioner = client.field(kafkaProducer, "partitioner");
        if (!client.has(Client.BUILT_IN)) // from 3.3 on there is none without partitioner.class
            partitioner.set(producer, client.make(Client.DEFAULT));
        Class<?> cluster = client.type(Client.COMMON + "Cluster");
        partition = client.method(kafkaProducer, "partition", record, byte[].class, byte[].class, cluster);
        newRecord = record.getConstructor(String.class, Integer.class, Object.class, Object.class);
    }

    @Override
    Object answer(Map<?, ?> step) throws Throwable {
        Object named = step.get("partition") == null ? null : Integer.valueOf(integer(step, "partition"));
        byte[] key = key(step);
        Object cluster = cluster(step);
        Object record = Client.construct(newRecord, step.get("topic"), named, key, null);
        return Client.call(partition, producer, record, key, null, cluster);
    }
}
