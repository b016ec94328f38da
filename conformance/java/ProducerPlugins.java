package org.apache.kafka.clients.producer.internals;

import static org.apache.kafka.clients.producer.internals.AccumulatorClasses.outcome;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** A partitioner and interceptors that do with the next record what they are told before. */
final class ProducerPlugins {
    /** The name of the partitioner, which is none of Kafka's. */
    static final String OWN = "own";
    /** Stands for an answer, or a replacement's partition, that is none: they throw. */
    private static final int THROWS = Integer.MIN_VALUE;
    /** Stands for the partition of a replacement that is no record: they hand on null. */
    private static final int NO_RECORD = THROWS + 1;

    /** Among replacements: they throw. */
    private static final ProducerRecord REFUSAL = new ProducerRecord("refused", null);
    /** Among replacements: they hand on null. */
    private static final ProducerRecord NOTHING = new ProducerRecord("nothing", null);
    /** What interceptors do with the next record, in turn: hand on this one, or (null) the one that they are given. */
    private final List<ProducerRecord> replacements = new ArrayList<>();
    /** What the partitioner answers: the last one again and again. */
    private final List<Integer> answers = new ArrayList<>();
    private final List<List<Object>> told;

    /** What they are told is added to that list. */
    ProducerPlugins(List<List<Object>> told) {
        this.told = told;
    }

    /** Without topic: throw, or hand on null or what is given. A partition of -1 is none. */
    void replace(String topic, int wanted, byte[] key, byte[] value) {
        if (topic != null)
            replacements.add(new ProducerRecord(topic, wanted < 0 ? null : Integer.valueOf(wanted), null, key, value));
        else
            replacements.add(wanted == THROWS ? REFUSAL : wanted == NO_RECORD ? NOTHING : null);
    }

    void answer(int[] partitions) {
        answers.clear();
        for (int partition : partitions)
            answers.add(partition);
    }

    void recordWasSent() {
        replacements.clear();
    }

    Partitioner partitioner() {
        return (Partitioner) Proxy.newProxyInstance(Partitioner.class.getClassLoader(), new Class<?>[] {Partitioner.class},
            (proxy, method, given) -> {
                if (method.getName().equals("onNewBatch"))
                    told.add(Arrays.asList("new batch", given[2]));
                if (!method.getName().equals("partition"))
                    return null;
                int answer = answers.size() > 1 ? answers.remove(0) : answers.get(0);
                if (answer == THROWS)
                    throw new IllegalStateException("told to");
                return answer;
            });
    }

    /** Two of them, of which one is told of acknowledgements. */
    List<Object> interceptors() {
        return Arrays.asList(interceptor(true), interceptor(false));
    }

    private Object interceptor(boolean isTold) {
        return Proxy.newProxyInstance(ProducerInterceptor.class.getClassLoader(), new Class<?>[] {ProducerInterceptor.class},
            (proxy, method, given) -> {
                if (method.getName().equals("onSend"))
                    return replaced(given[0]);
                if (method.getName().equals("onAcknowledgement") && isTold) {
                    RecordMetadata record = (RecordMetadata) given[0];
                    told.add(Arrays.asList("acknowledged", record == null ? null : record.partition(),
                        outcome(record, (Exception) given[1])));
                }
                return null;
            });
    }

    private Object replaced(Object record) {
        if (replacements.isEmpty())
            return record;
        ProducerRecord replacement = replacements.remove(0);
        if (replacement == REFUSAL)
            throw new IllegalStateException("told to");
        return replacement == null ? record : replacement == NOTHING ? null : replacement;
    }
}
