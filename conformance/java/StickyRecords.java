import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.Cluster;

/** Record after record without key, each to one of several topics, some of which close a batch: the partition of each. */
public final class StickyRecords {
    private StickyRecords() {
    }

    public static void run(Partitioner partitioner, String[] topics, Cluster cluster, ByteBuffer records,
            ByteBuffer closes, ByteBuffer answers) {
        IntBuffer numbers = records.order(ByteOrder.nativeOrder()).asIntBuffer();
        IntBuffer out = answers.order(ByteOrder.nativeOrder()).asIntBuffer();
        while (out.hasRemaining()) {
            String topic = topics[numbers.get()];
            int partition = partitioner.partition(topic, null, null, null, null, cluster);
            out.put(partition);
            if (closes.get() != 0)
                partitioner.onNewBatch(topic, cluster, partition);
        }
    }
}
