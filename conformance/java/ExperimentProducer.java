package conformance.experiments;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.impl.StaticLoggerBinder;

/**
 * One run of a real producer: a process that sends records on a schedule, and writes down what became of each.
 *
 * It talks in lines, conformance/experiments/client.py at the other end: it says "ready" after the warm-up and waits for
 * "go", says "sending" and "sent", waits for "read" (or "end"), and says "done". Its only argument is a file of orders.
 * The same source is compiled against each version's jar, so it uses what 2.3 to 4.x have in common.
 */
public final class ExperimentProducer {
    private static final String OWN = "producer.";
    /** Takes the place of a run's name, and is as long. */
    private static final String WARM_UP = "warm-up-";
    private static final long WITHIN_MS = 60000L;
    private static final long SETTLE_MS = 20L;

    private final Properties orders = new Properties();
    private final BufferedReader words = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    private final File folder;
    private final String topic;
    private final Records records;
    private final Requests requests = new Requests();

    private ExperimentProducer(String file) throws IOException {
        try (var reader = Files.newBufferedReader(new File(file).toPath(), StandardCharsets.UTF_8)) {
            orders.load(reader);
        }
        folder = new File(orders.getProperty("folder"));
        topic = orders.getProperty("topic");
        records = new Records(values(orders.getProperty("run"), number("records")));
    }

    public static void main(String[] arguments) throws Exception {
        new ExperimentProducer(arguments[0]).run();
        System.exit(0);  // a client's own threads may not want to
    }

    private void run() throws Exception {
        boolean isWarmed = number("warmup.records") > 0;
        if (isWarmed)
            warmUp();
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings());
        if (isWarmed)
            connect(producer);
        writeLeaders(producer.partitionsFor(topic));
        long[] starts = endOffsets();
        say("ready");
        if (!expect("go"))
            return;
        producer.flush();  // so that the sender's long wait until now is told before
        Thread.sleep(SETTLE_MS);
        Map<String, String> told = metrics("before.", producer);
        StaticLoggerBinder.listener = requests;
        Instant wall = Instant.now();
        long start = System.nanoTime();
        say("sending");
        send(producer, topic, start, records);
        records.left.await();  // not flush(), which would send what still lingers
        told.putAll(metrics("after.", producer));
        producer.close(Duration.ofMillis(WITHIN_MS));
        StaticLoggerBinder.listener = null;
        told.put("start_wall_us", Long.toString(wall.getEpochSecond() * 1000000L + wall.getNano() / 1000));
        told.put("start_ns", Long.toString(start));
        write("told.txt", told);
        records.write(new File(folder, "records.bin"));
        requests.write(new File(folder, "requests.bin"));
        say("sent");
        if (expect("read"))
            readBack(starts);
        say("done");
    }

    // Producing.

    private Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("key.serializer", ByteArraySerializer.class);
        settings.put("value.serializer", ByteArraySerializer.class);
        settings.put("bootstrap.servers", orders.getProperty("bootstrap"));
        for (String name : orders.stringPropertyNames())
            if (name.startsWith(OWN))
                settings.put(name.substring(OWN.length()), orders.getProperty(name));
        return settings;
    }

    /** Cold code would decide otherwise: to another topic, with the same settings but without a linger. */
    private void warmUp() {
        int count = number("warmup.records");
        Map<String, Object> settings = settings();
        settings.put("linger.ms", "0");
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings)) {
            StaticLoggerBinder.listener = new Requests();
            send(producer, orders.getProperty("warmup.topic"), System.nanoTime(), new Records(values(WARM_UP, count)));
            producer.flush();
        } finally {
            StaticLoggerBinder.listener = null;
        }
    }

    /** So that neither connections nor a producer id are waited for in the run: a record for each partition. */
    private void connect(KafkaProducer<byte[], byte[]> producer) {
        String warm = orders.getProperty("warmup.topic");
        for (PartitionInfo one : producer.partitionsFor(warm))
            producer.send(new ProducerRecord<>(warm, one.partition(), null, values(WARM_UP, 1)[0]));
        producer.flush();
    }

    /** Each record when it is due, or at once if that has passed. Between two it sleeps, as far as the machine can. */
    private void send(KafkaProducer<byte[], byte[]> producer, String where, long start, Records into) {
        boolean paced = into == records && number("interval.ns") > 0;
        long interval = paced ? number("interval.ns") : 0L;
        for (int which = 0; which < into.count; which++) {
            if (paced)
                sleepUntil(start + which * interval);
            int one = which;
            into.called[one] = System.nanoTime();
            try {
                producer.send(new ProducerRecord<>(where, null, into.values[one]), (metadata, error) -> {
                    if (error == null) {
                        into.partition[one] = metadata.partition();
                        into.offset[one] = metadata.offset();
                        into.timestamp[one] = metadata.timestamp();
                    }
                    into.ended(one, error);
                });
            } catch (RuntimeException error) {
                into.ended(one, error);
            }
            into.returned[one] = System.nanoTime();
        }
    }

    private static void sleepUntil(long due) {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime())
            LockSupport.parkNanos(left);
    }

    /** Each has the run's name, the record's number in twelve digits, and as many dots as it takes. */
    private byte[][] values(String run, int count) {
        byte[][] values = new byte[count][number("value.bytes")];
        for (int which = 0; which < count; which++) {
            Arrays.fill(values[which], (byte) '.');
            String told = String.format("%s-%012d", run, which);
            byte[] bytes = told.getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(bytes, 0, values[which], 0, bytes.length);
        }
        return values;
    }

    private static Map<String, String> metrics(String when, KafkaProducer<byte[], byte[]> producer) {
        Map<String, String> found = new LinkedHashMap<>();
        producer.metrics().forEach((name, metric) -> {
            if (name.group().equals("producer-metrics") && metric.metricValue() instanceof Double)
                found.put(when + name.name(), metric.metricValue().toString());
        });
        return found;
    }

    private void writeLeaders(List<PartitionInfo> partitions) throws IOException {
        Map<String, String> leaders = new LinkedHashMap<>();
        for (PartitionInfo one : partitions)
            leaders.put(Integer.toString(one.partition()), one.leader() == null ? "-1" : one.leader().idString());
        write("leaders.txt", leaders);
    }

    // Reading back.

    private KafkaConsumer<byte[], byte[]> consumer() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("bootstrap.servers", orders.getProperty("bootstrap"));
        settings.put("key.deserializer", ByteArrayDeserializer.class);
        settings.put("value.deserializer", ByteArrayDeserializer.class);
        settings.put("enable.auto.commit", "false");
        return new KafkaConsumer<>(settings);
    }

    private static List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer, String topic) {
        List<TopicPartition> found = new ArrayList<>();
        for (PartitionInfo one : consumer.partitionsFor(topic))
            found.add(new TopicPartition(topic, one.partition()));
        return found;
    }

    /** By partition; others may have written to the topic before. */
    private long[] endOffsets() {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            List<TopicPartition> all = partitions(consumer, topic);
            long[] found = new long[all.stream().mapToInt(TopicPartition::partition).max().orElse(-1) + 1];
            consumer.endOffsets(all).forEach((partition, end) -> found[partition.partition()] = end);
            return found;
        }
    }

    /** Partition, offset, time and value of each record from these offsets on, as a consumer of this version gets it. */
    private void readBack(long[] starts) throws IOException {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer();
                DataOutputStream file = file(new File(folder, "read.bin"))) {
            List<TopicPartition> all = partitions(consumer, topic);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            consumer.assign(all);
            for (TopicPartition one : all)
                consumer.seek(one, starts[one.partition()]);
            long until = System.nanoTime() + WITHIN_MS * 1000000L;
            while (all.stream().anyMatch(one -> consumer.position(one) < ends.get(one))) {
                if (System.nanoTime() > until)
                    throw new IOException("the topic could not be read back within " + WITHIN_MS / 1000 + " s");
                for (ConsumerRecord<byte[], byte[]> one : consumer.poll(Duration.ofMillis(200)))
                    if (one.offset() < ends.get(new TopicPartition(one.topic(), one.partition()))) {
                        file.writeInt(one.partition());
                        file.writeLong(one.offset());
                        file.writeLong(one.timestamp());
                        file.writeInt(one.value() == null ? -1 : one.value().length);
                        if (one.value() != null)
                            file.write(one.value());
                    }
            }
        }
    }

    // Words and files.

    private int number(String name) {
        return Integer.parseInt(orders.getProperty(name));
    }

    private static void say(String word) {
        System.out.println(word);
        System.out.flush();
    }

    /** Whether that is the next word; otherwise the other end wants no more of this. */
    private boolean expect(String word) throws IOException {
        return word.equals(words.readLine());
    }

    private void write(String name, Map<String, String> lines) throws IOException {
        try (PrintWriter writer = new PrintWriter(new File(folder, name), StandardCharsets.UTF_8)) {
            lines.forEach((key, value) -> writer.println(key + "=" + value));
            if (writer.checkError())
                throw new IOException(name + " could not be written");
        }
    }

    private static DataOutputStream file(File path) throws IOException {
        return new DataOutputStream(new java.io.BufferedOutputStream(new FileOutputStream(path), 1 << 16));
    }

    /** What became of each record. Times are System.nanoTime's. */
    private static final class Records {
        final byte[][] values;
        final int count;
        final long[] called;
        final long[] returned;
        final long[] ended;
        final long[] offset;
        final long[] timestamp;
        final int[] partition;
        /** Each error by the class of its exception, in the order of their first times; -1 without. */
        final int[] error;
        private final List<String> errors = new ArrayList<>();
        final CountDownLatch left;

        Records(byte[][] values) {
            this.values = values;
            count = values.length;
            left = new CountDownLatch(count);
            called = new long[count];
            returned = new long[count];
            ended = new long[count];
            offset = new long[count];
            timestamp = new long[count];
            partition = new int[count];
            error = new int[count];
            Arrays.fill(offset, -1L);
            Arrays.fill(timestamp, -1L);
            Arrays.fill(partition, -1);
            Arrays.fill(error, -1);
        }

        /** The last of them is what counts: a callback, or what send() threw before there was one. */
        synchronized void ended(int which, Exception thrown) {
            if (ended[which] == 0)
                left.countDown();
            ended[which] = System.nanoTime();
            String name = thrown == null ? "" : thrown.getClass().getSimpleName();
            if (thrown != null && !errors.contains(name))
                errors.add(name);
            error[which] = errors.indexOf(name);
        }

        /** Column after column, big-endian; before them the names of errors in a line. */
        void write(File path) throws IOException {
            try (DataOutputStream file = file(path)) {
                file.write((String.join(",", errors) + "\n").getBytes(StandardCharsets.UTF_8));
                for (long[] column : new long[][] {called, returned, ended, offset, timestamp})
                    for (long value : column)
                        file.writeLong(value);
                for (int[] column : new int[][] {partition, error})
                    for (int value : column)
                        file.writeInt(value);
            }
        }
    }

    /** Each produce request: when, to which node, and the bytes of its batches, which Python reads. */
    private static final class Requests implements StaticLoggerBinder.Listener {
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream(1 << 22);
        private final DataOutputStream out = new DataOutputStream(kept);
        private int count;
        private String trouble = "";

        /** Called by the sender's thread, of which there is one. */
        @Override
        public void sent(String node, Object request) {
            long now = System.nanoTime();
            try {
                for (Map.Entry<Integer, Object> batch : batches(request).entrySet()) {
                    Method buffer = batch.getValue().getClass().getMethod("buffer");
                    buffer.setAccessible(true);
                    ByteBuffer bytes = ((ByteBuffer) buffer.invoke(batch.getValue())).duplicate();
                    byte[] copied = new byte[bytes.remaining()];
                    bytes.get(copied);
                    out.writeLong(now);
                    out.writeInt(Integer.parseInt(node));
                    out.writeInt(count);
                    out.writeInt(batch.getKey());
                    out.writeInt(copied.length);
                    out.write(copied);
                }
            } catch (ReflectiveOperationException | IOException | RuntimeException error) {
                trouble = error.toString();  // thrown here it would end the sender's thread
            }
            count++;
        }

        void write(File path) throws IOException {
            if (!trouble.isEmpty())
                throw new IOException("this client's requests are built otherwise: " + trouble);
            try (FileOutputStream file = new FileOutputStream(path)) {
                kept.writeTo(file);
            }
        }

        /** By partition; all are of one topic. 2.3 keeps a map, later versions the message itself. */
        private static Map<Integer, Object> batches(Object builder) throws ReflectiveOperationException {
            Map<Integer, Object> found = new LinkedHashMap<>();
            for (Field field : builder.getClass().getDeclaredFields()) {
                field.setAccessible(true);
                if (field.getName().equals("partitionRecords"))
                    for (Map.Entry<?, ?> entry : ((Map<?, ?>) field.get(builder)).entrySet())
                        found.put(((TopicPartition) entry.getKey()).partition(), entry.getValue());
                else if (field.getName().equals("data"))
                    for (Object ofTopic : (Collection<?>) called(field.get(builder), "topicData"))
                        for (Object one : (Collection<?>) called(ofTopic, "partitionData"))
                            found.put((Integer) called(one, "index"), called(one, "records"));
            }
            if (found.isEmpty())
                throw new NoSuchFieldException("no batches in " + builder.getClass().getName());
            return found;
        }

        private static Object called(Object on, String method) throws ReflectiveOperationException {
            return on.getClass().getMethod(method).invoke(on);
        }
    }
}
