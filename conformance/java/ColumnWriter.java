package org.apache.kafka.common.record;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.DefaultRecordBatch;

/**
 * Many records as as many batches as it takes, of the real MemoryRecordsBuilder.
 *
 * Where one batch ends and the next begins is asked of the client (hasRoomFor) where it has an answer: for plain
 * records whose offsets follow each other. Else it is told by the client's sizes of records, before compression.
 */
public final class ColumnWriter {
    private static final int NO_SEQUENCE = -1;
    /** A batch ends after so many rows at the latest, as the port says. */
    private static final int PIECE = 1 << 16;

    private final String codec;
    private final long baseOffset;
    private final long producerId;
    private final int producerEpoch;
    private final int baseSequence;
    private final boolean isTransactional;
    private final int leaderEpoch;
    private final int limit;
    private final List<Row> rows = new ArrayList<>();

    public ColumnWriter(String codec, long baseOffset, long producerId, int producerEpoch, int baseSequence,
                        boolean isTransactional, int leaderEpoch, int limit) {
        this.codec = codec;
        this.baseOffset = baseOffset;
        this.producerId = producerId;
        this.producerEpoch = producerEpoch;
        this.baseSequence = baseSequence;
        this.isTransactional = isTransactional;
        this.leaderEpoch = leaderEpoch;
        this.limit = limit;
    }

    /** A record; its offset is said by write where offsets follow each other. */
    public void add(long offset, long timestamp, byte[] key, byte[] value, List<Header> headers) {
        rows.add(new Row(offset, timestamp, key, value, headers));
    }

    /**
     * All rows, so many times: each time their offsets are further by stride, unless they just follow each other.
     * From the row restart on they are those of the first rows again.
     */
    public List<byte[]> write(int times, long stride, int restart, boolean following) throws Exception {
        batch(baseOffset, 0).build(); // refuses what the state of all batches must not be
        List<byte[]> batches = new ArrayList<>();
        BatchWriter batch = null;
        Row first = null;
        long firstOffset = 0;
        long last = 0;
        for (int number = 0; number < times * rows.size(); number++) {
            Row row = rows.get(number % rows.size());
            int since = number < restart ? number : number - restart;
            long offset = following ? baseOffset + number
                : rows.get(since % rows.size()).offset + stride * (since / rows.size());
            if (number > 0 && offset <= last)
                throw new IllegalArgumentException("the offsets of two batches do not increase");
            if (batch != null && (number % PIECE == 0
                    || !hasRoom(batch, row, offset - firstOffset, row.timestamp - first.timestamp, following))) {
                batches.add(batch.build());
                batch = null;
            }
            if (batch == null) {
                batch = batch(offset, number);
                first = row;
                firstOffset = offset;
            }
            batch.appendAt(offset, row.timestamp, row.key, row.value, row.headers);
            last = offset;
        }
        if (batch != null)
            batches.add(batch.build());
        return batches;
    }

    private boolean hasRoom(BatchWriter batch, Row row, long offsetDelta, long timestampDelta, boolean following) {
        if (following && codec.equals("none"))
            return batch.hasRoomFor(row.timestamp, row.key, row.value, row.headers);
        if (offsetDelta > Integer.MAX_VALUE)
            return false;
        int size = BatchWriter.recordSize((int) offsetDelta, timestampDelta, row.key, row.value, row.headers);
        return batch.state()[2] + size <= limit;
    }

    private BatchWriter batch(long offset, int number) throws Exception {
        int sequence = baseSequence == NO_SEQUENCE ? NO_SEQUENCE
            : DefaultRecordBatch.incrementSequence(baseSequence, number);
        return new BatchWriter(codec, 0, offset, -1L, producerId, producerEpoch, sequence, isTransactional, false,
            leaderEpoch, limit);
    }

    private static final class Row {
        final long offset;
        final long timestamp;
        final byte[] key;
        final byte[] value;
        final List<Header> headers;

        Row(long offset, long timestamp, byte[] key, byte[] value, List<Header> headers) {
            this.offset = offset;
            this.timestamp = timestamp;
            this.key = key;
            this.value = value;
            this.headers = headers;
        }
    }
}
