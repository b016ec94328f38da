package org.apache.kafka.clients.producer.internals;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;

/** What a real KafkaProducer makes of settings: what its constructor refuses, and what it hands to its parts. */
public final class ConfiguredProducer {
    private ConfiguredProducer() { }

    /**
     * What the parts of a producer with these settings were told, as {@code configured_producer.py} names it, with null for
     * what a version does not have; or "refused". Without {@code partitioned} there is no partitioner.class.
     */
    public static Object parts(String[] names, String[] values, boolean partitioned) throws Throwable {
        Map<String, Object> settings = new HashMap<>();
        for (int i = 0; i < names.length; i++)
            settings.put(names[i], values[i]);
        if (partitioned)
            settings.put("partitioner.class", anyPartitioner());
        QuietProducer made;
        try {
            made = new QuietProducer(settings);
        } catch (KafkaException failed) {
            if (!isRefusal(failed))
                throw failed;
            return "refused";
        }
        try {
            return parts(made);
        } finally {
            made.close();
        }
    }

    /** Whatever goes wrong in the constructor is wrapped, also what is wrong with the machine. */
    private static boolean isRefusal(KafkaException failed) {
        Throwable cause = failed instanceof ConfigException ? failed : failed.getCause();
        return cause instanceof ConfigException || cause instanceof IllegalArgumentException;
    }

    private static List<Object> parts(QuietProducer made) throws Throwable {
        Object producer = made.producer;
        RecordAccumulator accumulator = (RecordAccumulator) made.part("accumulator", RecordAccumulator.class);
        Sender sender = (Sender) made.part("sender", Sender.class);
        Object pool = of(accumulator, "free", BufferPool.class.getName());
        Object transactions = of(accumulator, "transactionManager", TransactionManager.class.getName());
        Object client = of(sender, "client", KafkaClient.class.getName());
        List<Object> parts = new ArrayList<>();
        parts.add(number(accumulator, "batchSize"));
        parts.add(number(accumulator, "lingerMs"));
        parts.add(number(accumulator, "deliveryTimeoutMs"));
        parts.add(compression(of(accumulator, "compression", "no other")));
        addBackoff(parts, accumulator);
        parts.add(optional(accumulator, "enableAdaptivePartitioning"));
        parts.add(optional(accumulator, "partitionAvailabilityTimeoutMs"));
        parts.add(number(pool, "totalMemory"));
        parts.add(number(pool, "poolableSize"));
        parts.add(transactions == null ? null : number(transactions, "retryBackoffMs"));
        parts.add(transactions == of(sender, "transactionManager", TransactionManager.class.getName())
            && transactions == of(producer, "transactionManager", TransactionManager.class.getName()));
        parts.add(number(sender, "guaranteeMessageOrder"));
        parts.add(number(sender, "maxRequestSize"));
        parts.add(((Short) number(sender, "acks")).intValue());
        parts.add(number(sender, "retries"));
        parts.add(number(sender, "requestTimeoutMs"));
        parts.add(number(sender, "retryBackoffMs"));
        parts.add(number(of(client, "inFlightRequests", "InFlightRequests"), "maxInFlightRequestsPerConnection"));
        parts.add(number(producer, "maxRequestSize"));
        parts.add(number(producer, "totalMemorySize"));
        parts.add(number(producer, "maxBlockTimeMs"));
        parts.add(optional(producer, "partitionerIgnoreKeys"));
        return parts;
    }

    /** How long to wait before a retry, and at most; up to 3.6 there is no most. */
    private static void addBackoff(List<Object> parts, Object accumulator) throws Exception {
        Object constant = optional(accumulator, "retryBackoffMs");
        Object growing = constant == null ? of(accumulator, "retryBackoff", "ExponentialBackoff") : null;
        parts.add(constant == null ? number(growing, "initialInterval") : constant);
        parts.add(constant == null ? number(growing, "maxInterval") : null);
    }

    /** Up to 3.7 it is its type. */
    private static String compression(Object compression) throws Throwable {
        Object type = compression instanceof Enum ? compression
            : AccumulatorClasses.on(AccumulatorClasses.method(compression.getClass(), "type"), compression);
        return type.toString().toLowerCase(Locale.ROOT);
    }

    private static Class<?> anyPartitioner() throws ClassNotFoundException {
        String known = KafkaProducer.class.getPackage().getName() + (AccumulatorClasses.PARTITIONER == null
            ? ".internals.DefaultPartitioner" : ".RoundRobinPartitioner");
        return Class.forName(known, true, KafkaProducer.class.getClassLoader());
    }

    private static Object of(Object owner, String name, String type) throws Exception {
        return PrivateField.of(owner.getClass(), name, null, type).get(owner);
    }

    /** A number or a flag, which only its name tells from others. */
    private static Object number(Object owner, String name) throws Exception {
        return of(owner, name, "no other");
    }

    /** Null if a version has no such field. */
    private static Object optional(Object owner, String name) throws Exception {
        return AccumulatorClasses.field(owner.getClass(), name) == null ? null : number(owner, name);
    }
}
