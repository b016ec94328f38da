import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;

/** What a consumer's fetcher calls, on batches and on records: the same from 2.3.1 to 4.4.0. */
final class Fetch {
    /** What is done with one record. */
    interface Visit {
        void record(Object record) throws Throwable;
    }

    private static final int MAGIC = 2;

    private final Client client;
    private final Contents contents;
    private final Class<?> batchType;
    private final Class<?> recordType;
    private final Method streamingIterator;
    /** One for all that a consumer reads: it hands out buffers that were used before. */
    private final Object buffers;

    Fetch(Client client) throws Throwable {
        this.client = client;
        contents = new Contents(client);
        batchType = client.common("record.RecordBatch");
        recordType = client.common("record.Record");
        // Since 4.4 there is another one, with a limit, which consumers do not call.
        streamingIterator = Arrays.stream(batchType.getMethods())
            .filter(one -> one.getName().equals("streamingIterator") && one.getParameterCount() == 1)
            .findFirst().orElseThrow();
        // Its class was in three packages.
        buffers = Client.call(streamingIterator.getParameterTypes()[0].getMethod("create"), null);
    }

    /** Of RecordBatch; since 3.1 (KIP-534). */
    static boolean knowsHorizons(Client client) throws Exception {
        return Arrays.stream(client.common("record.RecordBatch").getMethods())
            .anyMatch(one -> one.getName().equals("deleteHorizonMs"));
    }

    Iterator<?> batches(byte[] data) throws Throwable {
        Class<?> type = client.common("record.MemoryRecords");
        Method readable = type.getMethod("readableRecords", ByteBuffer.class);
        Object records = Client.call(readable, null, ByteBuffer.wrap(data));
        return ((Iterable<?>) Client.call(type.getMethod("batches"), records)).iterator();
    }

    boolean isOld(Object batch) throws Throwable {
        return (Byte) of(batch, "magic") < MAGIC;
    }

    /** Its size and its checksum. */
    void ensureValid(Object batch) throws Throwable {
        of(batch, "ensureValid");
    }

    void eachRecord(Object batch, Visit visit) throws Throwable {
        AutoCloseable stream = (AutoCloseable) Client.call(streamingIterator, batch, buffers);
        try (stream) {
            Iterator<?> records = (Iterator<?>) stream;
            while (records.hasNext()) {
                Object record = records.next();
                ofRecord(record, "ensureValid");
                visit.record(record);
            }
        }
    }

    List<List<Object>> header(Object batch) throws Throwable {
        Object codec = of(batch, "compressionType");
        boolean byBroker = of(batch, "timestampType").toString().equals("LogAppendTime");
        List<List<Object>> header = new ArrayList<>();
        header.add(List.of("base offset", Typed.int64(of(batch, "baseOffset"))));
        header.add(List.of("last offset", Typed.int64(of(batch, "lastOffset"))));
        header.add(List.of("leader epoch", of(batch, "partitionLeaderEpoch")));
        header.add(List.of("codec", client.common("record.CompressionType").getField("name").get(codec)));
        header.add(List.of("log append time", Typed.flag(byBroker)));
        header.add(List.of("max timestamp", Typed.int64(of(batch, "maxTimestamp"))));
        header.add(List.of("producer id", Typed.int64(of(batch, "producerId"))));
        header.add(List.of("producer epoch", of(batch, "producerEpoch")));
        header.add(List.of("base sequence", of(batch, "baseSequence")));
        header.add(List.of("last sequence", of(batch, "lastSequence")));
        header.add(List.of("transactional", Typed.flag(of(batch, "isTransactional"))));
        header.add(List.of("control", Typed.flag(isControl(batch))));
        header.add(List.of("count", of(batch, "countOrNull")));
        return header;
    }

    boolean isCompressed(Object batch) throws Throwable {
        return (Boolean) of(batch, "isCompressed");
    }

    boolean isControl(Object batch) throws Throwable {
        return (Boolean) of(batch, "isControlBatch");
    }

    OptionalLong deleteHorizon(Object batch) throws Throwable {
        return (OptionalLong) of(batch, "deleteHorizonMs");
    }

    List<Object> record(Object record) throws Throwable {
        return row(record, ofRecord(record, "sequence"));
    }

    /** What a user gets has no sequence number. */
    List<Object> consumed(Object record) throws Throwable {
        return row(record);
    }

    List<Object> columns(Object batch, Object record) throws Throwable {
        List<Object> row = record(record);
        row.add(Typed.int64(of(batch, "producerId")));
        row.add(of(batch, "producerEpoch"));
        row.add(Typed.flag(of(batch, "isTransactional")));
        row.add(Typed.flag(isControl(batch)));
        return row;
    }

    private List<Object> row(Object record, Object... behindTime) throws Throwable {
        List<Object> row = new ArrayList<>();
        row.add(Typed.int64(ofRecord(record, "offset")));
        row.add(Typed.int64(ofRecord(record, "timestamp")));
        row.addAll(Arrays.asList(behindTime));
        row.add(Typed.data((ByteBuffer) ofRecord(record, "key")));
        row.add(Typed.data((ByteBuffer) ofRecord(record, "value")));
        row.add(contents.answered((Object[]) ofRecord(record, "headers")));
        return row;
    }

    private Object of(Object batch, String method) throws Throwable {
        return Client.call(batchType.getMethod(method), batch);
    }

    private Object ofRecord(Object record, String method) throws Throwable {
        return Client.call(recordType.getMethod(method), record);
    }
}
