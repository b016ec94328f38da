package org.apache.kafka.clients.producer.internals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import org.apache.kafka.common.Cluster;

/** BuiltInPartitioner, driven as RecordAccumulator.append drives it: peek, append, update. */
public final class Stays {
    private Stays() {
    }

    /** For each record its partition, and 1 if the partitioner moved on after it. */
    public static void run(BuiltInPartitioner partitioner, Cluster cluster, ByteBuffer sizes,
            ByteBuffer ready, ByteBuffer answers) {
        IntBuffer bytes = sizes.order(ByteOrder.nativeOrder()).asIntBuffer();
        IntBuffer out = answers.order(ByteOrder.nativeOrder()).asIntBuffer();
        while (bytes.hasRemaining()) {
            BuiltInPartitioner.StickyPartitionInfo info = partitioner.peekCurrentPartitionInfo(cluster);
            out.put(info.partition());
            partitioner.updatePartitionInfo(info, bytes.get(), cluster, ready.get() != 0);
            out.put(partitioner.isPartitionChanged(info) ? 1 : 0);
        }
    }

    /**
     * One choice after another: each group of draws after the load stats of its vector. A vector is
     * the length that counts, the number of queues, then queue sizes and partition ids, each
     * array as wide as the widest; racks are those of its queues' leaders.
     */
    public static void choices(BuiltInMaker maker, BuiltInPartitioner partitioner, Cluster cluster,
            int[][] vectors, String[][] racks, ByteBuffer chosenVectors, int draws, ByteBuffer answers) throws Exception {
        IntBuffer groups = chosenVectors.order(ByteOrder.nativeOrder()).asIntBuffer();
        IntBuffer out = answers.order(ByteOrder.nativeOrder()).asIntBuffer();
        while (groups.hasRemaining()) {
            int chosen = groups.get();
            int[] vector = vectors[chosen];
            int count = vector[1];
            int[] queues = new int[count];
            int[] ids = new int[count];
            System.arraycopy(vector, 2, queues, 0, count);
            System.arraycopy(vector, 2 + count, ids, 0, count);
            maker.load(partitioner, queues, ids, racks[chosen], vector[0]);
            for (int i = 0; i < draws; i++) {
                BuiltInPartitioner.StickyPartitionInfo info = partitioner.peekCurrentPartitionInfo(cluster);
                // Twice the batch size, which is 1: moves on whatever the switch says.
                partitioner.updatePartitionInfo(info, 2, cluster, false);
                out.put(partitioner.peekCurrentPartitionInfo(cluster).partition());
            }
        }
    }
}
