package org.apache.kafka.clients.producer.internals;

import static org.apache.kafka.clients.producer.internals.AccumulatorClasses.*;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.RequestCompletionHandler;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

/** A sender, its requests and their responses, where versions differ; as AccumulatorClasses, by their types. */
final class ProducerClasses {
    private static final int CRC_AT = 17;
    private static final int PRODUCER_ID_AT = 43;
    private static final int EPOCH_AT = 51;
    private static final int SEQUENCE_AT = 53;
    private static final int COUNT_AT = 57;
    private static final Constructor<?> SENDER = longest(Sender.class);
    private static final Constructor<?> CLIENT_RESPONSE = longest(ClientResponse.class);
    private static final Constructor<?> INTERCEPTORS = longest(ProducerInterceptors.class);
    private static final Constructor<?> PRODUCE_RESPONSE = ofMapAndTime();
    /** Up to 2.7 a sender reads the map that a response is parsed into; since then its parts as they came. */
    private static final boolean OF_STRUCT = Arrays.stream(ProduceResponse.class.getConstructors())
        .anyMatch(one -> one.getParameterTypes()[0].getSimpleName().equals("Struct"));
    /** Since 2.4 or so; before that a response has errors of whole partitions only. */
    private static final Field RECORD_ERRORS = field(ProduceResponse.PartitionResponse.class, "recordErrors");

    private ProducerClasses() { }

    static Sender sender(KafkaClient client, ProducerMetadata metadata, RecordAccumulator accumulator, boolean keepsOrder,
                         int maxRequestSize, short acks, int retries, int requestTimeoutMs, long backoffMs,
                         Object transactions, Metrics metrics, Time time) throws Exception {
        Numbers ints = new Numbers(maxRequestSize, retries, requestTimeoutMs);
        return (Sender) SENDER.newInstance(arguments(SENDER.getParameterTypes(), type ->
            type == int.class ? (Object) (int) ints.next()
            : type == short.class ? (Object) acks
            : type == long.class ? (Object) backoffMs
            : type == boolean.class ? (Object) keepsOrder
            : type == LogContext.class ? new LogContext()
            : type == KafkaClient.class ? client
            : type == ProducerMetadata.class ? metadata
            : type == RecordAccumulator.class ? accumulator
            : type == SenderMetricsRegistry.class ? new SenderMetricsRegistry(metrics)
            : type == Time.class ? time
            : type == ApiVersions.class ? new ApiVersions()
            : type == TransactionManager.class ? transactions
            : null));
    }

    static Object interceptors(List<?> all, Metrics metrics) throws Exception {
        return INTERCEPTORS.newInstance(arguments(INTERCEPTORS.getParameterTypes(), type ->
            type == List.class ? all : metrics));
    }

    /** A request: node, whether it answers, acks, how long (ms) it waits for replicas and the client for it; batches. */
    static List<Object> terms(ClientRequest request) throws Throwable {
        AbstractRequest built = request.requestBuilder().build();
        return Arrays.asList(Integer.valueOf(request.destination()), request.expectResponse(),
            ((Short) call(built, "acks")).intValue(), call(built, "timeout"), request.requestTimeoutMs(), contents(built));
    }

    /**
     * Of each batch in a request: topic, partition, records, bytes and checksum, and whose it is, if anybody's: producer
     * id, epoch and first sequence; by topic and partition.
     */
    private static List<Object> contents(AbstractRequest built) throws Throwable {
        List<List<Object>> seen = new ArrayList<>();
        Method byPartition = optional(built.getClass(), "partitionRecordsOrFail");
        if (byPartition != null) {
            for (Map.Entry<?, ?> one : ((Map<?, ?>) on(byPartition, built)).entrySet()) {
                TopicPartition at = (TopicPartition) one.getKey();
                add(seen, at.topic(), at.partition(), one.getValue());
            }
            return sorted(seen);
        }
        Object data = call(built, "data");
        for (Object topic : (Iterable<?>) call(data, "topicData"))
            for (Object partition : (Iterable<?>) call(topic, "partitionData"))
                add(seen, (String) call(topic, "name"), (Integer) call(partition, "index"), call(partition, "records"));
        return sorted(seen);
    }

    private static List<Object> sorted(List<List<Object>> seen) {
        seen.sort((one, other) -> {
            int byTopic = ((String) one.get(0)).compareTo((String) other.get(0));
            return byTopic != 0 ? byTopic : Integer.compare((Integer) one.get(1), (Integer) other.get(1));
        });
        return new ArrayList<Object>(seen);
    }

    private static void add(List<List<Object>> seen, String topic, int partition, Object records) throws Throwable {
        ByteBuffer buffer = (ByteBuffer) call(records, "buffer");
        int size = (Integer) call(records, "sizeInBytes");
        List<Object> batch = new ArrayList<>(Arrays.<Object>asList(topic, partition, buffer.getInt(COUNT_AT), size,
            buffer.getInt(CRC_AT)));
        long owner = buffer.getLong(PRODUCER_ID_AT);
        if (owner != -1L || buffer.getInt(SEQUENCE_AT) != -1)
            batch.addAll(Arrays.<Object>asList(owner, (int) buffer.getShort(EPOCH_AT), buffer.getInt(SEQUENCE_AT)));
        seen.add(batch);
    }

    /** A node's answer: codes, first offsets and beginnings of logs, by partition; and records that were refused. */
    static ProduceResponse answer(List<TopicPartition> partitions, int[] codes, long[] offsets, long[] starts,
                                  int[][] refused, int throttleMs) throws Exception {
        Map<Object, Object> responses = OF_STRUCT ? new HashMap<>() : new LinkedHashMap<>();
        boolean byId = PRODUCE_RESPONSE.getGenericParameterTypes()[0].getTypeName().contains("TopicIdPartition");
        for (int i = 0; i < partitions.size(); i++) {
            ProduceResponse.PartitionResponse one =
                new ProduceResponse.PartitionResponse(Errors.forCode((short) codes[i]), offsets[i], -1L, starts[i]);
            if (RECORD_ERRORS != null && refused[i].length > 0)
                RECORD_ERRORS.set(one, recordErrors(refused[i]));
            responses.put(byId ? withoutId(partitions.get(i)) : partitions.get(i), one);
        }
        return (ProduceResponse) PRODUCE_RESPONSE.newInstance(responses, throttleMs);
    }

    private static List<Object> recordErrors(int[] places) throws Exception {
        Class<?> type = Class.forName(ProduceResponse.class.getName() + "$RecordError", true,
            ProducerClasses.class.getClassLoader());
        List<Object> errors = new ArrayList<>();
        for (int place : places)
            errors.add(type.getConstructor(int.class).newInstance(place));
        return errors;
    }

    private static Object withoutId(TopicPartition partition) throws Exception {
        ClassLoader loader = ProducerClasses.class.getClassLoader();
        Class<?> uuid = Class.forName("org.apache.kafka.common.Uuid", true, loader);
        Class<?> type = Class.forName("org.apache.kafka.common.TopicIdPartition", true, loader);
        return type.getConstructor(uuid, TopicPartition.class).newInstance(uuid.getField("ZERO_UUID").get(null), partition);
    }

    /** What a client makes of a response, or of the end of a connection. */
    static ClientResponse response(ClientRequest request, long now, boolean disconnected, boolean timedOut,
                                   boolean mismatch, AbstractResponse body) throws Exception {
        Numbers flags = new Numbers(disconnected || timedOut ? 1 : 0, timedOut ? 1 : 0);
        Numbers times = new Numbers(request.createdTimeMs(), now);
        ApiKeys key = request.apiKey();
        RequestHeader header = new RequestHeader(key, key.latestVersion(), "client", 0);
        return (ClientResponse) CLIENT_RESPONSE.newInstance(arguments(CLIENT_RESPONSE.getParameterTypes(), type ->
            type == RequestHeader.class ? header
            : type == RequestCompletionHandler.class ? request.callback()
            : type == String.class ? request.destination()
            : type == long.class ? (Object) times.next()
            : type == boolean.class ? (Object) (flags.next() == 1)
            : type == UnsupportedVersionException.class && mismatch ? new UnsupportedVersionException("none")
            : type.isInstance(body) ? body : null));
    }

    private static Constructor<?> ofMapAndTime() {
        for (Constructor<?> one : ProduceResponse.class.getConstructors())
            if (Arrays.equals(one.getParameterTypes(), new Class<?>[] {Map.class, int.class}))
                return one;
        throw new IllegalStateException("ProduceResponse takes no map");
    }

    private static Object call(Object receiver, String name) throws Throwable {
        return on(method(receiver.getClass(), name), receiver);
    }
}
