package org.apache.kafka.common.record;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.BufferSupplier;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.utils.CloseableIterator;

/**
 * Reads batches as a consumer does, with the real MemoryRecords of any version.
 *
 * Damage ends in many ways, from an exception of Kafka's to an OutOfMemoryError; they are one here: refused.
 * Where they end, at which of a consumer's steps, tells why.
 */
public final class BatchReader {
    private static final String REFUSED = "refused", END = "end";
    /** Names of Kafka's error codes, for where a batch is refused: each client throws what it likes. */
    private static final String CORRUPT = "CORRUPT_MESSAGE", INVALID = "INVALID_RECORD",
        NO_CODEC = "UNSUPPORTED_COMPRESSION_TYPE", OLD_FORMAT = "UNSUPPORTED_FOR_MESSAGE_FORMAT";

    private BatchReader() { }

    /** What is done with one batch. */
    private interface Look {
        void at(RecordBatch batch) throws Exception;
    }

    /** Look at each batch; answers END, or why what follows the last one is refused. */
    private static String eachBatch(byte[] data, Look look) {
        try {
            for (RecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(data)).batches()) {
                if (batch.magic() < RecordBatch.MAGIC_VALUE_V2)
                    return OLD_FORMAT; // the suite does not look into these
                look.at(batch);
            }
            return END;
        } catch (Throwable refused) {
            return CORRUPT;
        }
    }

    /** Each batch, and in the end whether the bytes after the last one were refused. */
    public static List<Object> read(byte[] data) {
        List<Object> seen = new ArrayList<>();
        String end = eachBatch(data, batch -> seen.add(seenOf(batch)));
        seen.add(end.equals(END) ? END : REFUSED);
        return seen;
    }

    /** For each batch whose checksum is right: from when on tombstones may go, or null. */
    public static List<Object> deleteHorizons(byte[] data) {
        List<Object> seen = new ArrayList<>();
        String end = eachBatch(data, batch -> {
            if (batch.isValid()) {
                Object horizon = RecordBatch.class.getMethod("deleteHorizonMs").invoke(batch);
                java.util.OptionalLong known = (java.util.OptionalLong) horizon;
                seen.add(known.isPresent() ? known.getAsLong() : null);
            }
        });
        if (!end.equals(END))
            seen.add(REFUSED);
        return seen;
    }

    /** Why each batch is refused, or null; and in the end why the bytes after the last one are. */
    public static List<Object> refusals(byte[] data) {
        List<Object> seen = new ArrayList<>();
        String end = eachBatch(data, batch -> seen.add(refusalOf(batch)));
        seen.add(end);
        return seen;
    }

    private static String refusalOf(RecordBatch batch) throws Exception {
        try {
            batch.ensureValid();
        } catch (Throwable refused) {
            return CORRUPT;
        }
        try {
            batch.compressionType();
        } catch (Throwable refused) {
            return NO_CODEC;
        }
        List<Object> seen = records(batch, false);
        return !seen.isEmpty() && seen.get(seen.size() - 1) == REFUSED ? INVALID : null;
    }

    private static Object seenOf(RecordBatch batch) throws Exception {
        Map<String, Object> seen = new LinkedHashMap<>();
        CompressionType codec;
        try {
            batch.ensureValid();
            codec = batch.compressionType();
        } catch (Throwable refused) {
            return REFUSED;
        }
        seen.put("base offset", batch.baseOffset());
        seen.put("last offset", batch.lastOffset());
        seen.put("leader epoch", batch.partitionLeaderEpoch());
        seen.put("codec", codec.name);
        seen.put("log append time", batch.timestampType() == TimestampType.LOG_APPEND_TIME);
        seen.put("max timestamp", batch.maxTimestamp());
        seen.put("producer id", batch.producerId());
        seen.put("producer epoch", (int) batch.producerEpoch());
        seen.put("base sequence", batch.baseSequence());
        seen.put("last sequence", batch.lastSequence());
        seen.put("transactional", batch.isTransactional());
        seen.put("control", batch.isControlBatch());
        seen.put("count", batch.countOrNull());
        seen.put("records", records(batch, codec == CompressionType.NONE));
        return seen;
    }

    /** The records; how many of a compressed batch come before a refusal depends on buffers, so then none. */
    private static List<Object> records(RecordBatch batch, boolean someIfRefused) throws Exception {
        List<Object> seen = new ArrayList<>();
        try (CloseableIterator<Record> records = batch.streamingIterator(BufferSupplier.NO_CACHING)) {
            while (records.hasNext())
                seen.add(seenOf(records.next()));
        } catch (Throwable refused) {
            if (!someIfRefused)
                seen.clear();
            seen.add(REFUSED);
        }
        if (batch.compressionType() == CompressionType.SNAPPY)
            BatchWriter.deleteLibrary();
        return seen;
    }

    private static List<Object> seenOf(Record record) {
        List<Object> headers = new ArrayList<>();
        for (Header header : record.headers())
            headers.add(Arrays.asList(header.key(), header.value()));
        return Arrays.asList(record.offset(), record.timestamp(), record.sequence(), bytes(record.key()),
            bytes(record.value()), headers);
    }

    private static byte[] bytes(ByteBuffer buffer) {
        if (buffer == null)
            return null;
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
