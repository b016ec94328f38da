package org.apache.kafka.clients.producer.internals;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.DefaultRecord;
import org.apache.kafka.common.record.DefaultRecordBatch;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A real KafkaProducer with RoundRobinPartitioner or another, of any version from 2.4 to 4.4, without its I/O thread:
 * what it is sent stays in its batches, and the test says what the cluster looks like.
 *
 * There is one for each loaded client; each case starts it afresh. What it needs of the producer's insides is
 * looked up when it is made, and checked by sending some records: no answer is taken of a client that is built
 * otherwise (NoSuchFieldException, see PrivateField) or does otherwise (IllegalStateException).
 */
public final class SendingProducer {
    /** Key and value together, in bytes: a longer key has a shorter value, so all records are of one size. */
    private static final int CONTENT_BYTES = 36;
    /** All records have it: a batch stores differences, and a larger one takes more bytes. */
    private static final Long TIMESTAMP = Long.valueOf(0L);

    private static SendingProducer only;

    private final QuietProducer quiet;
    private final KafkaProducer producer;
    private final Metadata metadata;
    private final RecordAccumulator accumulator;
    /** The field of Metadata with what it knows; clusterField is a field of that. */
    private final Field knownField;
    private final Field clusterField;
    private final Field batchesField;
    private final Field incompleteField;
    private final Field batchSizeField;
    private final Field resultField;

    /** As below, with RoundRobinPartitioner. */
    public static SendingProducer fresh(int batchRecords) throws Exception {
        return fresh(batchRecords, RoundRobinPartitioner.class.getName());
    }

    /**
     * This client's producer as if new: nothing was sent, and batchRecords records will fill a batch. Its
     * partitioner is one of Kafka's own, by the name of its class.
     */
    public static SendingProducer fresh(int batchRecords, String partitioner) throws Exception {
        if (only == null) {
            SendingProducer made = new SendingProducer();
            made.check();
            only = made;
        }
        only.reset(batchRecords, partitioner);
        return only;
    }

    private SendingProducer() throws Exception {
        quiet = new QuietProducer(RoundRobinPartitioner.class);
        producer = quiet.producer;
        metadata = (Metadata) quiet.part("metadata", ProducerMetadata.class);
        accumulator = (RecordAccumulator) quiet.part("accumulator", RecordAccumulator.class);
        // A MetadataCache up to 3.7; a MetadataSnapshot from 3.8 on.
        knownField = PrivateField.of(Metadata.class, "cache", "metadataSnapshot", ".MetadataCache|.MetadataSnapshot");
        clusterField = PrivateField.of(knownField.getType(), "clusterInstance", null, Cluster.class.getName());
        // Deques by TopicPartition up to 3.2; from 3.3 on a TopicInfo, with such a map, by topic.
        batchesField = PrivateField.of(
            RecordAccumulator.class, "batches", "topicInfoMap", "ProducerBatch>>|.RecordAccumulator$TopicInfo>");
        incompleteField = PrivateField.of(RecordAccumulator.class, "incomplete", null, IncompleteBatches.class.getName());
        batchSizeField = PrivateField.of(RecordAccumulator.class, "batchSize", null, "no other");
        resultField = PrivateField.of(FutureRecordMetadata.class, "result", null, ProduceRequestResult.class.getName());
    }

    private void reset(int batchRecords) throws Exception {
        reset(batchRecords, RoundRobinPartitioner.class.getName());
    }

    private void reset(int batchRecords, String partitionerClass) throws Exception {
        quiet.usePartitioner(partitionerClass);
        ((Map) batchesField.get(accumulator)).clear();
        incompleteField.set(accumulator, new IncompleteBatches()); // or they would never be freed
        batchSizeField.setInt(accumulator, bytesOf(batchRecords));
    }

    /** The size of a batch of so many records. Later ones are larger: each stores its distance to the first. */
    private static int bytesOf(int batchRecords) {
        int bytes = DefaultRecordBatch.RECORD_BATCH_OVERHEAD;
        for (int number = 0; number < batchRecords; number++)
            bytes += DefaultRecord.sizeInBytes(number, 0L, -1, CONTENT_BYTES, new Header[0]);
        return bytes;
    }

    /** What the producer knows of the cluster from now on. */
    public void use(Cluster cluster) throws Exception {
        clusterField.set(knownField.get(metadata), cluster);
    }

    /** Whatever this throws is the client's. The key, or null, is at most CONTENT_BYTES long. */
    public Future send(String topic, byte[] key) {
        return send(topic, null, key);
    }

    /** The same of a record that names its partition; null: it names none. */
    public Future send(String topic, Integer partition, byte[] key) {
        byte[] value = new byte[CONTENT_BYTES - (key == null ? 0 : key.length)];
        return producer.send(new ProducerRecord(topic, partition, TIMESTAMP, key, value));
    }

    /** Records without a key, as many as there is room for answers: the partition of each. */
    public void sendMany(String topic, ByteBuffer answers) throws Exception {
        IntBuffer out = answers.order(ByteOrder.nativeOrder()).asIntBuffer();
        while (out.hasRemaining())
            out.put(partitionOf(send(topic, null)).intValue());
    }

    /** The partition into whose batch a record went; null if send threw something, so that there is no record. */
    public Integer partitionOf(Future record) throws Exception {
        return record == null ? null : Integer.valueOf(resultOf(record).topicPartition().partition());
    }

    /** What a record shares with all records of its batch. */
    private ProduceRequestResult resultOf(Future record) throws Exception {
        if (!(record instanceof FutureRecordMetadata)) {
            record.get(); // throws why the producer did not take it, which it must
            throw new IllegalStateException("the producer answers " + record.getClass());
        }
        return (ProduceRequestResult) resultField.get(record);
    }

    /** Whether all of the above works in this version: asked once, so that no answer is wrong for want of it. */
    private void check() throws Exception {
        for (int size = 3; size > 0; size--) {
            reset(size);
            use(cluster(7, 1));
            ProduceRequestResult first = resultOf(send("t", null));
            for (int number = 1; number < size; number++)
                expect(resultOf(send("t", new byte[number])) == first, "fewer records fill a batch than expected");
            expect(resultOf(send("t", null)) != first, "more records fit into a batch than expected");
            expect(first.topicPartition().partition() == 7, "the producer does not use the cluster that it is given");
        }
        List before = null;
        for (int run = 0; run < 2; run++) {
            reset(1);
            use(cluster(10, 7));
            List now = new ArrayList();
            for (int number = 0; number < 3; number++)
                now.add(partitionOf(send("t", null)));
            expect(before == null || now.equals(before), "the partitioner remembers what was sent before");
            before = now;
        }
    }

    private static Cluster cluster(int firstPartition, int partitions) {
        Node node = new Node(0, "127.0.0.1", 0);
        List infos = new ArrayList();
        for (int number = 0; number < partitions; number++)
            infos.add(new PartitionInfo("t", firstPartition + number, node, null, null));
        List nodes = Arrays.asList(new Object[] {node});
        return new Cluster(null, nodes, infos, Collections.emptySet(), Collections.emptySet());
    }

    private static void expect(boolean holds, String otherwise) {
        if (!holds)
            throw new IllegalStateException("cannot drive this version's KafkaProducer: " + otherwise);
    }
}
