package org.apache.kafka.clients.producer.internals;

import static org.apache.kafka.clients.producer.internals.AccumulatorClasses.*;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.List;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.InitProducerIdResponse;

/**
 * What an idempotent producer's sender asks its connections for a producer id; each pass tells what comes of it.
 *
 * What is told is a list of turns: four numbers each, of which the first is one of the constants.
 */
final class ProducerIds {
    static final int ANSWER = 0;
    static final int DISCONNECT = 1;
    static final int MISMATCH = 2;
    static final int NO_NODE = 3;
    static final int NO_CONNECTION = 4;
    static final Node NODE = new Node(0, "localhost", 0);
    private static final int NUMBERS = 4;
    /** The first that a producer is given that waits (up to 2.4), once all that was told has happened. */
    private static final long LAST_ID = 1000L;
    private static final Constructor<?> NEW = longest(TransactionManager.class);
    private static final Method SEQUENCE = declared("sequenceNumber", TopicPartition.class);
    private static final Method INCREMENT = declared("incrementSequenceNumber", TopicPartition.class, int.class);
    private static final Method CURRENT = declared("producerIdAndEpoch");

    final Object manager;
    /** How many requests the pass has sent. */
    int sent;
    private int[] turns = new int[0];
    private int next;
    private ClientRequest open;
    private int waitedFor;

    ProducerIds(long retryBackoffMs) throws Exception {
        manager = NEW.newInstance(arguments(NEW.getParameterTypes(), type ->
            type == String.class ? null // no transactional.id
            : type == int.class ? (Object) Integer.MAX_VALUE
            : type == long.class ? (Object) retryBackoffMs
            : type == boolean.class ? (Object) false
            : type == ApiVersions.class ? new ApiVersions()
            : type.getSimpleName().equals("LogContext") ? part(type, "none")
            : null)); // metadata, which only transactions ask
    }

    private static Method declared(String name, Class<?>... types) {
        try {
            Method method = TransactionManager.class.getDeclaredMethod(name, types);
            method.setAccessible(true);
            return method;
        } catch (NoSuchMethodException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    void begin(int[] told) {
        turns = told;
        next = 0;
        sent = 0;
    }

    /** A node that a request could go to, the only one, or null; wrapped since 3.8. */
    Object leastLoaded(Class<?> type) throws Exception {
        Node node = takes(NO_NODE) ? null : NODE;
        return type == Node.class ? node : type.getConstructor(Node.class, boolean.class).newInstance(node, false);
    }

    boolean isReady() {
        return turn() != NO_CONNECTION;
    }

    boolean connectionFailed() {
        return takes(NO_CONNECTION);
    }

    void send(ClientRequest request) {
        open = request;
        sent++;
    }

    /** What has come: nothing, if the case does not tell any. */
    List<ClientResponse> poll(long nowMs) throws Exception {
        if (open == null)
            return Collections.emptyList();
        ClientRequest request = open;
        boolean awaited = request.callback() == null;
        boolean told = turn() >= ANSWER && turn() <= MISMATCH;
        if (!told && !awaited)
            return Collections.emptyList();
        int kind = told ? turn() : ANSWER;
        AbstractResponse body = null;
        if (!told)
            body = answer(0, LAST_ID + waitedFor++, 0);
        else if (kind == ANSWER)
            body = answer(turns[next + 1], turns[next + 2], turns[next + 3]);
        if (told)
            next += NUMBERS;
        open = null;
        ClientResponse response = ProducerClasses.response(request, nowMs, kind == DISCONNECT, false, kind == MISMATCH,
            body);
        if (awaited)
            return Collections.singletonList(response);
        request.callback().onComplete(response);
        return Collections.emptyList();
    }

    /** As if that many records had been sent to a partition before. */
    void skip(String topic, int partition, int count) throws Throwable {
        TopicPartition at = new TopicPartition(topic, partition);
        on(SEQUENCE, manager, at);
        on(INCREMENT, manager, at, count);
    }

    long producerId() throws Throwable {
        return number("producerId");
    }

    long epoch() throws Throwable {
        return number("epoch");
    }

    private long number(String name) throws Throwable {
        Object current = on(CURRENT, manager);
        return ((Number) current.getClass().getField(name).get(current)).longValue();
    }

    private int turn() {
        return next < turns.length ? turns[next] : -1;
    }

    private boolean takes(int kind) {
        if (turn() != kind)
            return false;
        next += NUMBERS;
        return true;
    }

    private static AbstractResponse answer(int code, long id, int epoch) {
        return new InitProducerIdResponse(new InitProducerIdResponseData().setErrorCode((short) code).setProducerId(id)
            .setProducerEpoch((short) epoch));
    }
}
