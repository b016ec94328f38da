import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.Cluster;

/** Batch after batch of records without key: the partition of each. */
public final class StickyBatches {
    private StickyBatches() {
    }

    public static void run(Partitioner partitioner, String topic, Cluster cluster, ByteBuffer answers) {
        IntBuffer out = answers.order(ByteOrder.nativeOrder()).asIntBuffer();
        while (out.hasRemaining()) {
            int partition = partitioner.partition(topic, null, null, null, null, cluster);
            out.put(partition);
            partitioner.onNewBatch(topic, cluster, partition);
        }
    }
}
