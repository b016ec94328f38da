import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.clients.producer.internals.BufferPool;
import org.apache.kafka.clients.producer.internals.ProducerBatch;
import org.apache.kafka.clients.producer.internals.RecordAccumulator;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

/** A real RecordAccumulator of 3.2.3 without a producer around it; each partition has its own node. */
final class Accumulator {
    static final String TOPIC = "t";

    private final RecordAccumulator accumulator;
    private final Cluster cluster;

    Accumulator(int batchSize, Cluster cluster) {
        Metrics metrics = new Metrics();
        BufferPool pool = new BufferPool(64L << 20, batchSize, metrics, Time.SYSTEM, "group");
        this.accumulator = new RecordAccumulator(new LogContext(), batchSize, CompressionType.NONE, 0, 100L,
            120000, metrics, "group", Time.SYSTEM, new ApiVersions(), null, pool);
        this.cluster = cluster;
    }

    /** False if the record needs a new batch and must not open one. */
    boolean append(int partition, byte[] value, boolean abortOnNewBatch) throws Exception {
        return !accumulator.append(new TopicPartition(TOPIC, partition), 0L, null, value, null, null, 0L,
            abortOnNewBatch, 0L).abortForNewBatch;
    }

    /** Send the oldest batch of a partition, if there is one, full or not. */
    void send(int partition) {
        List sent = (List) accumulator.drain(cluster, Collections.singleton(cluster.nodeById(partition)),
            Integer.MAX_VALUE, 0L).get(Integer.valueOf(partition));
        for (Iterator batches = sent.iterator(); batches.hasNext();) {
            ProducerBatch batch = (ProducerBatch) batches.next();
            batch.complete(0L, -1L);
            accumulator.deallocate(batch);
        }
    }
}
