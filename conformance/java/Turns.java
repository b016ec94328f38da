import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.Cluster;

/** Record after record without key, each to one of several topics: the partition of each. */
public final class Turns {
    private Turns() {
    }

    public static void run(Partitioner partitioner, String[] topics, Cluster cluster, ByteBuffer records,
            ByteBuffer answers) {
        IntBuffer numbers = records.order(ByteOrder.nativeOrder()).asIntBuffer();
        IntBuffer out = answers.order(ByteOrder.nativeOrder()).asIntBuffer();
        while (numbers.hasRemaining())
            out.put(partitioner.partition(topics[numbers.get()], null, null, null, null, cluster));
    }
}
