import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.MetadataSnapshot;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.clients.producer.internals.BufferPool;
import org.apache.kafka.clients.producer.internals.ProducerBatch;
import org.apache.kafka.clients.producer.internals.RecordAccumulator;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

/** A real RecordAccumulator of 3.8.0 without a producer around it; each partition has its own node. */
final class Accumulator implements RecordAccumulator.AppendCallbacks {
    static final String TOPIC = "t";

    private final RecordAccumulator accumulator;
    private final Cluster cluster;
    private final MetadataSnapshot snapshot;
    int partition;
    int bytes;

    Accumulator(int batchSize, Cluster cluster) {
        Metrics metrics = new Metrics();
        BufferPool pool = new BufferPool(64L << 20, batchSize, metrics, Time.SYSTEM, "group");
        this.accumulator = new RecordAccumulator(new LogContext(), batchSize, Compression.NONE, 0, 100L, 1000L,
            120000, new RecordAccumulator.PartitionerConfig(false, 0L), metrics, "group", Time.SYSTEM,
            new ApiVersions(), null, pool);
        this.cluster = cluster;
        this.snapshot = new MetadataSnapshot(null, Collections.emptyMap(), Collections.emptyList(),
            Collections.emptySet(), Collections.emptySet(), Collections.emptySet(), null, Collections.emptyMap(),
            cluster);
    }

    /** Append wherever the accumulator likes; see partition and bytes. */
    void append(byte[] value) throws Exception {
        append(RecordMetadata.UNKNOWN_PARTITION, value, false);
    }

    /** False if the record needs a new batch and must not open one. */
    boolean append(int partition, byte[] value, boolean abortOnNewBatch) throws Exception {
        RecordAccumulator.RecordAppendResult result = accumulator.append(TOPIC, partition, 0L, null, value, null,
            this, 0L, abortOnNewBatch, 0L, cluster);
        bytes = result.appendedBytes;
        return !result.abortForNewBatch;
    }

    /** Send the oldest batch of a partition, if there is one, full or not. */
    void send(int partition) {
        List sent = (List) accumulator.drain(snapshot, Collections.singleton(cluster.nodeById(partition)),
            Integer.MAX_VALUE, 0L).get(Integer.valueOf(partition));
        for (Iterator batches = sent.iterator(); batches.hasNext();) {
            ProducerBatch batch = (ProducerBatch) batches.next();
            batch.complete(0L, -1L);
            accumulator.deallocate(batch);
        }
    }

    public void setPartition(int partition) {
        this.partition = partition;
    }

    public void onCompletion(RecordMetadata metadata, Exception exception) {
    }
}
