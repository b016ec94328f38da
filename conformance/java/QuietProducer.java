package org.apache.kafka.clients.producer.internals;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A real KafkaProducer without its I/O thread: nothing is ever sent to anybody. Its parts can be replaced.
 *
 * What is needed of its insides is looked up by name, or by type: no answer is taken of a client that is built
 * otherwise (NoSuchFieldException, see PrivateField).
 */
final class QuietProducer {
    private static final long JOIN_MS = 30000L;

    final KafkaProducer producer;
    final Refusing keySerializer = new Refusing();
    final Refusing valueSerializer = new Refusing();
    final Map config = new HashMap();
    /** Whose field partitionerField is; null where a producer without partitioner.class has no such object. */
    private final Object partitionerHolder;
    private final Field partitionerField;

    /** With that partitioner.class. */
    QuietProducer(Class partitioner) throws Exception {
        this(usual(partitioner));
        if (!partitioner.isInstance(partitionerField.get(partitionerHolder)))
            throw new NoSuchFieldException(partitionerField + " does not hold the producer's partitioner");
    }

    /** With these settings; raises the real constructor's KafkaException for what it refuses. */
    QuietProducer(Map settings) throws Exception {
        // Nobody can listen on port 0.
        config.put("bootstrap.servers", "127.0.0.1:0");
        config.put("client.id", "conformance-" + UUID.randomUUID());
        config.put("enable.metrics.push", Boolean.FALSE); // 3.7 and later; others ignore it
        config.putAll(settings);
        producer = made();
        endIoThread();
        // 2.3 to 4.0, and 4.1 and later, where a Plugin (with its metrics) holds it.
        Field kept = PrivateField.of(KafkaProducer.class, "partitioner", "partitionerPlugin", Partitioner.class.getName());
        boolean direct = kept.getType() == Partitioner.class;
        partitionerHolder = direct ? producer : kept.get(producer);
        partitionerField = direct ? kept : PrivateField.of(kept.getType(), "instance", null, "T");
    }

    private static Map usual(Class partitioner) {
        Map settings = new HashMap();
        settings.put("partitioner.class", partitioner);
        settings.put("max.block.ms", Long.valueOf(0L));
        // Batches of earlier cases are forgotten, not returned to the pool. Memory is taken when it is used.
        settings.put("buffer.memory", Long.valueOf(Long.MAX_VALUE));
        settings.put("enable.idempotence", Boolean.FALSE);
        return settings;
    }

    private KafkaProducer made() {
        // Kafka looks classes of its configuration up in the thread's loader, where it is not.
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(KafkaProducer.class.getClassLoader());
        try {
            return new KafkaProducer(config, keySerializer, valueSerializer);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /**
     * End the producer's only thread, whatever it waits for, and for good: nothing will ever be sent to anybody, and
     * no batch is taken away behind a case's back. KafkaProducer.close would do more: it refuses records then.
     */
    private void endIoThread() throws Exception {
        Sender sender = (Sender) part("sender", Sender.class);
        Thread thread = (Thread) part("ioThread", Thread.class);
        Field running = PrivateField.of(Sender.class, "running", null, "no other");
        Field forceClose = PrivateField.of(Sender.class, "forceClose", null, "no other");
        forceClose.setBoolean(sender, true); // up to 2.4 it waits for a producer id until then
        running.setBoolean(sender, false);
        sender.wakeup();
        thread.interrupt(); // it may sleep for retry.backoff.ms, for want of a node to ask for a producer id
        thread.join(JOIN_MS);
        if (thread.isAlive())
            throw new IllegalStateException("the producer's I/O thread does not end");
        forceClose.setBoolean(sender, false);
        running.setBoolean(sender, true); // doSend asks the sender whether the producer is closed
    }

    /** Give back what it holds: it is not used any more. */
    void close() {
        producer.close(Duration.ZERO);
    }

    Object part(String name, Class type) throws Exception {
        return field(name, type.getName()).get(producer);
    }

    /** Replace a part; it is found by its name, or by its type. */
    void replace(String name, Class type, Object by) throws Exception {
        field(name, type.getName()).set(producer, by);
    }

    /** Replace a number or a flag, of which there are several: its name is all that tells it. */
    void replace(String name, Object by) throws Exception {
        field(name, "no other").set(producer, by);
    }

    private static Field field(String name, String type) throws Exception {
        return PrivateField.of(KafkaProducer.class, name, null, type);
    }

    /** Have a new partitioner of Kafka's own, by the name of its class. */
    void usePartitioner(String partitionerClass) throws Exception {
        Class known = Class.forName(partitionerClass, true, KafkaProducer.class.getClassLoader());
        Partitioner partitioner = (Partitioner) known.getDeclaredConstructor().newInstance();
        partitioner.configure(config);
        usePartitioner(partitioner);
    }

    /** Have that one. */
    void usePartitioner(Partitioner partitioner) throws Exception {
        partitionerField.set(partitionerHolder, partitioner);
    }

    /** Takes bytes as they are, unless it is told to refuse them. */
    static final class Refusing extends ByteArraySerializer {
        private RuntimeException refusal;

        /** Null: take everything. */
        void refuse(RuntimeException by) {
            refusal = by;
        }

        @Override
        public byte[] serialize(String topic, byte[] data) {
            if (refusal != null)
                throw refusal;
            return super.serialize(topic, data);
        }
    }

    /** Have none, from 3.3 on. */
    void useNoPartitioner() throws Exception {
        partitionerField.set(partitionerHolder, null);
    }
}
