import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.Cluster;

/** Record after record without key, some of which open a new batch: the partition of each. */
public final class StickyRecords {
    private StickyRecords() {
    }

    public static void run(Partitioner partitioner, String topic, Cluster cluster, ByteBuffer closes,
            ByteBuffer answers) {
        IntBuffer out = answers.order(ByteOrder.nativeOrder()).asIntBuffer();
        while (out.hasRemaining()) {
            int partition = partitioner.partition(topic, null, null, null, null, cluster);
            out.put(partition);
            if (closes.get() != 0)
                partitioner.onNewBatch(topic, cluster, partition);
        }
    }
}
