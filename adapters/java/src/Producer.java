import java.lang.reflect.Constructor;
import java.lang.reflect.Method;

/**
 * KafkaProducer.partition. That method needs nothing of the producer but its partitioner, so the producer is
 * never constructed: no network.
 */
final class Producer {
    private static final String PLUGIN = "org.apache.kafka.common.internals.Plugin";

    private final Object producer;
    private final Method partition;
    private final Constructor<?> newRecord;

    Producer(Client client) throws Throwable {
        String kafkaProducer = Client.PRODUCER + "KafkaProducer";
        Class<?> record = client.type(Client.PRODUCER + "ProducerRecord");
        producer = client.allocate(kafkaProducer);
        if (client.has(kafkaProducer, "partitionerPlugin")) // since 4.1: none is a plugin that holds nothing
            client.field(kafkaProducer, "partitionerPlugin").set(producer, client.allocate(PLUGIN));
        else if (!client.has(Client.BUILT_IN)) // from 3.3 on there is none without partitioner.class
            client.field(kafkaProducer, "partitioner").set(producer, client.make(Client.DEFAULT));
        Class<?> cluster = client.type(Client.COMMON + "Cluster");
        partition = client.method(kafkaProducer, "partition", record, byte[].class, byte[].class, cluster);
        newRecord = record.getConstructor(String.class, Integer.class, Object.class, Object.class);
    }

    Object record(String topic, Integer partition, byte[] key) throws Throwable {
        return Client.construct(newRecord, topic, partition, key, null);
    }

    Object partition(Object record, byte[] key, Object cluster) throws Throwable {
        return Client.call(partition, producer, record, key, null, cluster);
    }
}
