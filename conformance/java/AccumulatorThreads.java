package org.apache.kafka.clients.producer.internals;

import static org.apache.kafka.clients.producer.internals.AccumulatorClasses.*;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;

/**
 * Many threads that append to one real RecordAccumulator at the same time, while another may drain it.
 *
 * Which of them comes first is left to the machine. A record's value begins with the number of its thread and its own.
 */
public final class AccumulatorThreads {
    private static final String TOPIC = "t";
    private static final long MEMORY = 256L << 20;
    private static final long LONGEST_SECONDS = 60;
    private static final int AT_LEAST = 8;

    private final Cluster cluster;
    private final RecordAccumulator accumulator;
    private final BufferPool pool;
    private final Object known;
    private final List<Object> taken = new ArrayList<>();
    private final List<Write> writes = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger turns = new AtomicInteger();
    private volatile boolean appending = true;

    private AccumulatorThreads(int batchSize, Cluster cluster) throws Exception {
        Metrics metrics = new Metrics();
        this.cluster = cluster;
        pool = new BufferPool(MEMORY, batchSize, metrics, Time.SYSTEM, GROUP);
        accumulator = accumulator(batchSize, 0, 100L, 1000L, Integer.MAX_VALUE, false, 0L, metrics, Time.SYSTEM, pool);
        known = known(cluster, -1);
    }

    /**
     * Each thread appends so many records, some without a partition if chooses; alike: all of one size and time, and all
     * without one. Answers the batches in the order in which they were taken (partition and bytes), how many records
     * opened a batch, whether all is free again, and if they are alike the order in which they were written: each one's
     * thread, number and stay of the partitioner on a partition, counted from 0.
     */
    public static List<Object> race(int threads, int each, int batchSize, int largest, boolean alike, long seed,
                                    boolean chooses, boolean drains, Cluster cluster) throws Exception {
        AccumulatorThreads race = new AccumulatorThreads(batchSize, cluster);
        ExecutorService pool = Executors.newFixedThreadPool(threads + 1);
        try {
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Future<Integer>> appended = new ArrayList<>();
            for (int number = 0; number < threads; number++) {
                int thread = number;
                appended.add(pool.submit(() -> {
                    start.await();
                    return race.appendAll(thread, each, largest, alike, new Random(seed + thread), chooses);
                }));
            }
            Future<?> drain = drains ? pool.submit(race::drainAll) : null;
            int opened = 0;
            for (Future<Integer> one : appended)
                opened += one.get(LONGEST_SECONDS, TimeUnit.SECONDS);
            race.appending = false;
            if (drain != null)
                drain.get(LONGEST_SECONDS, TimeUnit.SECONDS);
            race.drainAll();
            boolean free = race.pool.availableMemory() == MEMORY && !race.accumulator.hasIncomplete();
            return Arrays.asList(race.taken, opened, free, race.written());
        } finally {
            pool.shutdownNow();
        }
    }

    private int appendAll(int thread, int each, int largest, boolean alike, Random random, boolean chooses) {
        int partitions = cluster.partitionsForTopic(TOPIC).size();
        int opened = 0;
        for (int number = 0; number < each; number++) {
            byte[] value = new byte[AT_LEAST + (alike ? largest : random.nextInt(largest))];
            int partition = alike || chooses && random.nextInt(3) > 0 ? -1 : random.nextInt(partitions);
            ByteBuffer.wrap(value).putInt(thread).putInt(number);
            long timestamp = alike ? 0L : number;
            try {
                Header[] headers = alike ? new Header[] {new Write(thread, number)} : null;
                Object result = appendTo(accumulator, TOPIC, partition, timestamp, null, value, headers, false, number,
                    cluster, type -> null);
                opened += IS_NEW.getBoolean(result) ? 1 : 0;
            } catch (Throwable thrown) {
                throw new IllegalStateException(thrown);
            }
        }
        return opened;
    }

    /** Take all that there is, and go on while records may come. */
    private Void drainAll() throws Exception {
        Set<Node> nodes = new LinkedHashSet<>(cluster.nodes());
        boolean again;
        do {
            again = appending;
            while (drainOnce(nodes))
                again = true;
        } while (again);
        return null;
    }

    private boolean drainOnce(Set<Node> nodes) throws Exception {
        boolean some = false;
        try {
            Map<?, ?> drained = (Map<?, ?>) on(DRAIN, accumulator, known, nodes, Integer.MAX_VALUE, 0L);
            for (Object batches : drained.values()) {
                for (Object one : (List<?>) batches) {
                    ProducerBatch batch = (ProducerBatch) one;
                    ByteBuffer records = batch.records().buffer().duplicate();
                    byte[] bytes = new byte[records.remaining()];
                    records.get(bytes);
                    taken.add(Arrays.asList(batch.topicPartition.partition(), bytes));
                    done(batch, 0L, null);
                    on(DEALLOCATE, accumulator, batch);
                    some = true;
                }
            }
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
        return some;
    }

    private int[][] written() {
        writes.sort(Comparator.comparingInt(write -> write.turn));
        Map<Object, Integer> stays = new IdentityHashMap<>();
        return writes.stream().map(write -> {
            stays.putIfAbsent(write.stay, stays.size());
            return new int[] {write.thread, write.number, stays.get(write.stay)};
        }).toArray(int[][]::new);
    }

    /**
     * A record's header, which knows when its record was written, and where the partitioner was then.
     *
     * It is asked for its key when the record is measured, and last when it is written. The queue of its partition is
     * locked then, so the partitioner stays there, and no other record is written.
     */
    private final class Write implements Header {
        private final int thread;
        private final int number;
        private int turn;
        private Object stay;

        Write(int thread, int number) {
            this.thread = thread;
            this.number = number;
            writes.add(this);
        }

        @Override
        public String key() {
            try {
                Object partitioner = on(PARTITIONER, accumulator, TOPIC);
                Field current = PrivateField.of(partitioner.getClass(), "stickyPartitionInfo", null, "AtomicReference");
                stay = ((AtomicReference<?>) current.get(partitioner)).get();
            } catch (Throwable thrown) {
                throw new IllegalStateException(thrown);
            }
            turn = turns.incrementAndGet();
            return "";
        }

        @Override
        public byte[] value() {
            return null;
        }
    }
}
