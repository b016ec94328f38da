/** What a producer does with a real accumulator, record after record. */
public final class Sends {
    private Sends() {
    }

    /** As KafkaProducer.doSend: the partitioner is asked again when a batch has to be opened. */
    public static void twice(Partitioner partitioner, Cluster cluster, int batchSize, int batchRecords, int valueBytes,
            java.nio.ByteBuffer answers) throws Exception {
        java.nio.IntBuffer out = answers.order(java.nio.ByteOrder.nativeOrder()).asIntBuffer();
        Accumulator accumulator = new Accumulator(batchSize, cluster);
        byte[] value = new byte[valueBytes];
        int[] held = new int[cluster.partitionCountForTopic(Accumulator.TOPIC).intValue()];
        while (out.hasRemaining()) {
            int partition = partitioner.partition(Accumulator.TOPIC, null, null, value, value, cluster);
            if (!accumulator.append(partition, value, true)) {
                partitioner.onNewBatch(Accumulator.TOPIC, cluster, partition);
                partition = partitioner.partition(Accumulator.TOPIC, null, null, value, value, cluster);
                accumulator.append(partition, value, false);
            }
            out.put(partition);
            if (++held[partition] == batchRecords) {
                accumulator.send(partition);
                held[partition] = 0;
            }
        }
    }
}
