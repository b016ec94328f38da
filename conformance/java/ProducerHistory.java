package org.apache.kafka.clients.producer.internals;

import static org.apache.kafka.clients.producer.internals.AccumulatorClasses.*;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.RequestCompletionHandler;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.CompressionRatioEstimator;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ProduceResponse;

/**
 * A real KafkaProducer with a real Sender of any version since 2.3, without threads and without a network, on time
 * that the steps of a case tell. There is one producer for each loaded client; each case gives it new parts.
 */
public final class ProducerHistory {
    /** What a serializer throws, by its number: the odd ones for a key, the even ones for a value. */
    private static final RuntimeException[] REFUSALS = {null, new SerializationException("told to"),
        new SerializationException("told to"), new ClassCastException("told to"), new ClassCastException("told to"),
        new ClusterAuthorizationException("told to")};
    private static final int THROWING_CALLBACK = REFUSALS.length;
    private static final long NO_TIMESTAMP = Long.MIN_VALUE;
    private static QuietProducer quiet;
    private static Field resultField;

    private final ToldTime time = new ToldTime();
    private final RecordAccumulator accumulator;
    private final Sender sender;
    private final HeldMetadata metadata;
    private final Pool pool;
    /** Null if the producer is not idempotent. */
    private final ProducerIds ids;
    private final List<ClientRequest> open = new ArrayList<>();
    /** What is in them: their memory may be used for others, once their batches have ended. */
    private final List<List<?>> contents = new ArrayList<>();
    private final List<ClientRequest> sent = new ArrayList<>();
    private final Map<Integer, Long> unready = new HashMap<>();
    private final int maxInFlight;
    private final Set<TopicPartition> partitions = new HashSet<>();
    private final Set<String> topics = new TreeSet<>();
    private final List<List<Object>> told = new ArrayList<>();
    private final ProducerPlugins plugins = new ProducerPlugins(told);
    /** Whether several batches may have ended at once, of which none is the first. */
    private boolean inAnyOrder;
    private Long pollMs;
    private boolean woken;
    /** When metadata come while the next record waits for them, and which. */
    private final List<Long> arrivalTimes = new ArrayList<>();
    private final List<Cluster> arrivals = new ArrayList<>();
    /** Of each of them the topic that may not be written to, and the one that cannot be; null if there is none. */
    private final List<String[]> arrivalErrors = new ArrayList<>();
    private int epoch;

    /** Sizes are bytes, times ms. Without a partitioner's class it is the built-in one of 3.3 and later. */
    public ProducerHistory(int batchSize, int lingerMs, long bufferMemory, long backoffMs, long backoffMaxMs,
                           int deliveryTimeoutMs, boolean adaptive, long availabilityTimeoutMs, int maxRequestSize,
                           int maxInFlight, int acks, int retries, int requestTimeoutMs, long maxBlockMs,
                           boolean ignoreKeys, String partitioner, String compression, String invalidTopic,
                           boolean idempotent) throws Exception {
        if (quiet == null)
            made();
        Metrics metrics = new Metrics();
        pool = new Pool(bufferMemory, batchSize, metrics);
        ids = idempotent ? new ProducerIds(backoffMs) : null;
        Object transactions = ids == null ? null : ids.manager;
        accumulator = accumulator(batchSize, lingerMs, backoffMs, backoffMaxMs, deliveryTimeoutMs,
            adaptive && partitioner == null, availabilityTimeoutMs, metrics, time, pool, compression, transactions);
        metadata = new HeldMetadata(time, this::arrive, invalidTopic);
        this.maxInFlight = maxInFlight;
        KafkaClient client = (KafkaClient) Proxy.newProxyInstance(KafkaClient.class.getClassLoader(),
            new Class<?>[] {KafkaClient.class}, this::ask);
        sender = ProducerClasses.sender(client, metadata, accumulator, maxInFlight == 1, maxRequestSize, (short) acks,
            retries, requestTimeoutMs, backoffMs, transactions, metrics, time);
        quiet.replace("accumulator", RecordAccumulator.class, accumulator);
        quiet.replace("sender", Sender.class, sender);
        quiet.replace("transactionManager", TransactionManager.class, transactions);
        quiet.replace("metadata", ProducerMetadata.class, metadata);
        quiet.replace("time", org.apache.kafka.common.utils.Time.class, time);
        quiet.replace("interceptors", ProducerInterceptors.class,
            ProducerClasses.interceptors(plugins.interceptors(), metrics));
        quiet.replace("maxRequestSize", maxRequestSize);
        quiet.replace("totalMemorySize", bufferMemory);
        quiet.replace("maxBlockTimeMs", maxBlockMs);
        if (PARTITIONER != null)
            quiet.replace("partitionerIgnoreKeys", ignoreKeys);
        if (partitioner == null && PARTITIONER != null)
            quiet.useNoPartitioner();
        else if (ProducerPlugins.OWN.equals(partitioner))
            quiet.usePartitioner(plugins.partitioner());
        else
            quiet.usePartitioner(partitioner == null ? KafkaProducer.class.getPackage().getName()
                + ".internals.DefaultPartitioner" : partitioner);
    }

    private static void made() throws Exception {
        String name = PARTITIONER == null ? "internals.DefaultPartitioner" : "RoundRobinPartitioner";
        Class<?> any = Class.forName(KafkaProducer.class.getPackage().getName() + "." + name, true,
            KafkaProducer.class.getClassLoader());
        resultField = PrivateField.of(FutureRecordMetadata.class, "result", null, ProduceRequestResult.class.getName());
        quiet = new QuietProducer(any);
    }

    /** Estimates of compression, in percent, are kept by topic, for all producers of a client. */
    public void estimate(String topic, String compression, int percent) {
        CompressionRatioEstimator.setEstimation(topic, CompressionType.forName(compression), percent / 100f);
    }

    /** Have metadata come at that time, if the next record waits for them then. */
    public void arrival(long atMs, Cluster cluster, String unauthorized, String invalid) {
        arrivalTimes.add(atMs);
        arrivals.add(cluster);
        arrivalErrors.add(new String[] {unauthorized, invalid});
    }

    /** Have the next interceptor hand on another record; see ProducerPlugins. */
    public void replacement(String topic, int wanted, byte[] key, byte[] value) {
        plugins.replace(topic, wanted, key, value);
    }

    /** Have our own partitioner answer these for the next record. */
    public void answers(int[] partitions) {
        plugins.answer(partitions);
    }

    /**
     * The partition, or the error that callback and future tell; and how long it waited. A record has a timestamp unless
     * that is NO_TIMESTAMP, and a header of so many bytes unless that is below 0.
     */
    public Object send(int step, String topic, int wanted, byte[] key, byte[] value, long timestamp, int headerBytes,
                       Cluster cluster, long nowMs, int knownEpoch, int refuses) throws Throwable {
        begin(nowMs, cluster, knownEpoch);
        quiet.keySerializer.refuse(refuses % 2 == 1 ? REFUSALS[refuses] : null);
        quiet.valueSerializer.refuse(refuses < THROWING_CALLBACK && refuses % 2 == 0 ? REFUSALS[refuses] : null);
        topics.add(topic);
        Integer partition = wanted < 0 ? null : Integer.valueOf(wanted);
        Callback callback = (record, error) -> {
            told.add(Arrays.asList(step, outcome(record, error)));
            if (refuses == THROWING_CALLBACK)
                throw new IllegalStateException("told to");
        };
        Future<?> future;
        try {
            Long of = timestamp == NO_TIMESTAMP ? null : Long.valueOf(timestamp);
            List<Header> headers = headerBytes < 0 ? null : Arrays.asList(new RecordHeader("h", new byte[headerBytes]));
            future = quiet.producer.send(new ProducerRecord(topic, partition, of, key, value, headers), callback);
        } finally {
            arrivalTimes.clear();
            arrivals.clear();
            arrivalErrors.clear();
            plugins.recordWasSent();
        }
        if (!(future instanceof FutureRecordMetadata)) {
            try {
                future.get();
            } catch (ExecutionException failed) {
                return Arrays.asList(failed.getCause().getClass().getName());
            }
            throw new IllegalStateException("the producer answers " + future.getClass());
        }
        TopicPartition at = ((ProduceRequestResult) resultField.get(future)).topicPartition();
        partitions.add(at);
        return Arrays.asList(at.partition(), (int) (time.now - nowMs));
    }

    /**
     * For how long to poll, the requests that were sent (see ProducerClasses), how many there were for a producer id, and
     * for how long the sender slept; turns are those of ProducerIds.
     */
    public List<Object> pass(long nowMs, Cluster cluster, int knownEpoch, int[] unreadyNodes, int[] delaysMs, int[] turns)
        throws Throwable {
        begin(nowMs, cluster, knownEpoch);
        time.sleptMs = 0;
        inAnyOrder = ids != null;
        if (ids != null)
            ids.begin(turns);
        unready.clear();
        for (int i = 0; i < unreadyNodes.length; i++)
            unready.put(unreadyNodes[i], (long) delaysMs[i]);
        sent.clear();
        pollMs = 0L; // a pass that ends at once polls for nothing
        sender.runOnce();
        List<Object> seen = new ArrayList<>();
        for (ClientRequest request : sent) {
            List<Object> terms = ProducerClasses.terms(request);
            contents.add((List<?>) terms.get(terms.size() - 1));
            seen.add(terms);
        }
        return Arrays.asList(pollMs, seen, ids == null ? 0 : ids.sent, (int) time.sleptMs);
    }

    /**
     * A request ends, the one of that number among those that have not: its node answers each partition with the next
     * code and offset, or there is no answer. The partitions that it had; null if there is no request.
     */
    public Object respond(int number, String how, int[] codes, int[] offsets, int[] starts, int refusedOf, int[] refused,
                          int throttleMs, long nowMs) throws Throwable {
        time.now = nowMs;
        if (open.isEmpty())
            return null;
        int which = number % open.size();
        ClientRequest request = open.remove(which);
        List<TopicPartition> at = new ArrayList<>();
        for (Object batch : contents.remove(which)) {
            List<?> seen = (List<?>) batch;
            at.add(new TopicPartition((String) seen.get(0), (Integer) seen.get(1)));
        }
        ProduceResponse body = null;
        if (how.equals("answer") && request.expectResponse()) {
            int[] code = new int[at.size()];
            long[] offset = new long[at.size()];
            long[] start = new long[at.size()];
            int[][] errors = new int[at.size()][];
            for (int i = 0; i < at.size(); i++) {
                code[i] = codes[i % codes.length];
                offset[i] = offsets[i % offsets.length];
                start[i] = starts[i % starts.length];
                errors[i] = refusedOf == i ? refused : new int[0];
            }
            body = ProducerClasses.answer(at, code, offset, start, errors, throttleMs);
        }
        request.callback().onComplete(ProducerClasses.response(request, nowMs, how.equals("disconnect"),
            how.equals("time out"), how.equals("mismatch"), body));
        return at.size();
    }

    /** As if that many records had been sent to a partition before; null if they have no sequences. */
    public Object skip(String topic, int partition, int count) throws Throwable {
        if (ids == null)
            return null;
        ids.skip(topic, partition, count);
        return true;
    }

    public void flush() {
        accumulator.beginFlush();
    }

    /** Null if it would wait. */
    public Object endFlush() throws Exception {
        if (!accumulator.flushInProgress() || accumulator.hasIncomplete())
            return null;
        accumulator.awaitFlushCompletion();
        return true;
    }

    public void close() {
        sender.initiateClose();
    }

    /** As Sender.run does after forceClose. */
    public void forceClose() {
        sender.forceClose();
        accumulator.abortIncompleteBatches();
    }

    /**
     * Free memory; whether batches wait, and are not done; requests on their way; metadata wanted; sender woken; producer
     * id and epoch.
     */
    public int[] state() throws Throwable {
        boolean wasWoken = woken;
        woken = false;
        int inFlight = 0;
        for (TopicPartition at : partitions)
            inFlight += sender.inFlightBatches(at).size();
        return new int[] {(int) pool.availableMemory(), accumulator.hasUndrained() ? 1 : 0,
            accumulator.hasIncomplete() ? 1 : 0, open.size(), inFlight, metadata.takeRequest() ? 1 : 0, wasWoken ? 1 : 0,
            ids == null ? -1 : (int) ids.producerId(), ids == null ? -1 : (int) ids.epoch()};
    }

    /** What callbacks (step, outcome) and the interceptor (partition, outcome) were told since it was asked last. */
    public List<Object> told() {
        if (inAnyOrder)
            told.sort((one, other) -> one.toString().compareTo(other.toString()));
        inAnyOrder = false;
        List<Object> callbacks = new ArrayList<>(told);
        told.clear();
        return callbacks;
    }

    /** The same of several batches that end at once, of which none is the first. */
    public List<Object> toldInAnyOrder() {
        inAnyOrder = true;
        return told();
    }

    /** By topic: the table of load stats and the partitions that are in it. */
    public List<Object> loads() throws Throwable {
        return PARTITIONER == null ? new ArrayList<>() : loadsOf(accumulator, topics);
    }

    private void begin(long nowMs, Cluster cluster, int knownEpoch) throws Exception {
        time.now = nowMs;
        epoch = knownEpoch;
        metadata.use(cluster, epoch);
    }

    private boolean arrive(long deadlineMs) {
        if (arrivals.isEmpty() || arrivalTimes.get(0) > deadlineMs) {
            time.now = deadlineMs;
            return false;
        }
        time.now = Math.max(time.now, arrivalTimes.remove(0));
        try {
            String[] errors = arrivalErrors.remove(0);
            metadata.update(arrivals.remove(0), epoch, errors[0], errors[1]);
        } catch (Exception wrong) {
            throw new IllegalStateException(wrong);
        }
        return true;
    }

    /** What a sender asks its connections. */
    private Object ask(Object proxy, Method method, Object[] given) throws Exception {
        switch (method.getName()) {
            case "leastLoadedNode":
                return ids.leastLoaded(method.getReturnType());
            case "isReady":
                return ids.isReady();
            case "connectionFailed":
                return ids.connectionFailed();
            case "active":
                return true;
            case "ready":
                if (given[0] == ProducerIds.NODE)
                    return ids.isReady();
                return !unready.containsKey(((Node) given[0]).id()) && !isFull((Node) given[0]);
            case "pollDelayMs":
                return unready.getOrDefault(((Node) given[0]).id(), Long.MAX_VALUE);
            case "newClientRequest":
                return new ClientRequest((String) given[0], (AbstractRequest.Builder<?>) given[1], 0, "client",
                    (Long) given[2], (Boolean) given[3], (Integer) given[4], (RequestCompletionHandler) given[5]);
            case "send":
                ClientRequest request = (ClientRequest) given[0];
                if (request.apiKey() == ApiKeys.INIT_PRODUCER_ID) {
                    ids.send(request);
                    return null;
                }
                sent.add(request);
                open.add(request);
                return null;
            case "poll":
                pollMs = (Long) given[0];
                return ids == null ? Collections.emptyList() : ids.poll(time.now);
            case "wakeup":
                woken = true;
                return null;
            default:
                throw new UnsupportedOperationException("KafkaClient." + method.getName());
        }
    }

    /** Whether as many requests are on their way to a node as may be: NetworkClient then says that it is not ready. */
    private boolean isFull(Node node) {
        return open.stream().filter(request -> request.destination().equals(node.idString())).count() >= maxInFlight;
    }

    /** A pool that does not wait: nobody would return memory. */
    private final class Pool extends BufferPool {
        Pool(long memory, int size, Metrics metrics) {
            super(memory, size, metrics, time, GROUP);
        }

        @Override
        public ByteBuffer allocate(int size, long maxTimeToBlockMs) throws InterruptedException {
            return super.allocate(size, 0L);
        }
    }
}
