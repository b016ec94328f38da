package org.apache.kafka.common.record;

import java.io.File;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.AbstractRecords;
import org.apache.kafka.common.record.CompressionRatioEstimator;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.ControlRecordType;
import org.apache.kafka.common.record.DefaultRecord;
import org.apache.kafka.common.record.EndTransactionMarker;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.utils.ByteUtils;

/**
 * Writes batches with the real MemoryRecordsBuilder of any version, and asks the classes around it for sizes.
 *
 * Versions differ in where these classes are (the suite changes the imports), and in how a codec is named: by a
 * CompressionType, or since 3.8 by a Compression.
 */
public final class BatchWriter {
    private static final byte MAGIC = 2;
    private static final int ARGUMENTS = 13;
    private static final Constructor<?> BUILDER = builder();

    private final MemoryRecordsBuilder builder;

    /** Whatever this throws is the client's, but for a codec that is not there. */
    public BatchWriter(String codec, int timestampType, long baseOffset, long logAppendTime, long producerId,
                       int producerEpoch, int baseSequence, boolean isTransactional, boolean isControlBatch,
                       int partitionLeaderEpoch, int writeLimit) throws Exception {
        TimestampType type = timestampType == 0 ? TimestampType.CREATE_TIME : TimestampType.LOG_APPEND_TIME;
        builder = (MemoryRecordsBuilder) BUILDER.newInstance(ByteBuffer.allocate(512), MAGIC, compression(codec), type,
            baseOffset, logAppendTime, producerId, (short) producerEpoch, baseSequence, isTransactional,
            isControlBatch, partitionLeaderEpoch, writeLimit);
        if (codec.equals("snappy"))
            deleteLibrary();
    }

    /** A record at the next offset, so many times. */
    public void append(int times, long timestamp, byte[] key, byte[] value, List<Header> headers) {
        for (int i = 0; i < times; i++)
            builder.append(timestamp, key, value, array(headers));
    }

    public void appendAt(long offset, long timestamp, byte[] key, byte[] value, List<Header> headers) {
        builder.appendWithOffset(offset, timestamp, key, value, array(headers));
    }

    public void endTransaction(long timestamp, boolean commit, int coordinatorEpoch) {
        ControlRecordType type = commit ? ControlRecordType.COMMIT : ControlRecordType.ABORT;
        builder.appendEndTxnMarker(timestamp, new EndTransactionMarker(type, coordinatorEpoch));
    }

    public boolean hasRoomFor(long timestamp, byte[] key, byte[] value, List<Header> headers) {
        return builder.hasRoomFor(timestamp, key, value, array(headers));
    }

    public void setProducerState(long producerId, int epoch, int baseSequence, boolean isTransactional) {
        builder.setProducerState(producerId, (short) epoch, baseSequence, isTransactional);
    }

    public void reopen(long producerId, int epoch, int baseSequence, boolean isTransactional) {
        builder.reopenAndRewriteProducerState(producerId, (short) epoch, baseSequence, isTransactional);
    }

    public void overrideLastOffset(long lastOffset) {
        builder.overrideLastOffset(lastOffset);
    }

    public void expectRatio(double ratio) {
        builder.setEstimatedCompressionRatio((float) ratio);
    }

    public void closeForRecordAppends() {
        builder.closeForRecordAppends();
    }

    public void abort() {
        builder.abort();
    }

    public byte[] build() {
        ByteBuffer built = builder.build().buffer().duplicate();
        byte[] bytes = new byte[built.remaining()];
        built.get(bytes);
        return bytes;
    }

    public double compressionRatio() {
        return builder.compressionRatio();
    }

    /** How many records; bytes as estimated, and before compression; whether it is full, and closed. */
    public int[] state() {
        return new int[] {builder.numRecords(), builder.estimatedSizeInBytes(), builder.uncompressedBytesWritten(),
            builder.isFull() ? 1 : 0, builder.isClosed() ? 1 : 0};
    }

    public static int recordSize(int offsetDelta, long timestampDelta, byte[] key, byte[] value, List<Header> headers) {
        return DefaultRecord.sizeInBytes(offsetDelta, timestampDelta, wrap(key), wrap(value), array(headers));
    }

    public static int batchSizeUpperBound(byte[] key, byte[] value, List<Header> headers) {
        return AbstractRecords.estimateSizeInBytesUpperBound(MAGIC, CompressionType.NONE, key, value, array(headers));
    }

    public static byte[] varint(int value) {
        ByteBuffer buffer = ByteBuffer.allocate(ByteUtils.sizeOfVarint(value));
        ByteUtils.writeVarint(value, buffer);
        return buffer.array();
    }

    public static byte[] varlong(long value) {
        ByteBuffer buffer = ByteBuffer.allocate(ByteUtils.sizeOfVarlong(value));
        ByteUtils.writeVarlong(value, buffer);
        return buffer.array();
    }

    public static double updateRatio(String topic, String codec, double observed) {
        return CompressionRatioEstimator.updateEstimation(topic, CompressionType.forName(codec), (float) observed);
    }

    public static double ratio(String topic, String codec) {
        return CompressionRatioEstimator.estimation(topic, CompressionType.forName(codec));
    }

    public static void setRatio(String topic, String codec, double ratio) {
        CompressionRatioEstimator.setEstimation(topic, CompressionType.forName(codec), (float) ratio);
    }

    private static Constructor<?> builder() {
        for (Constructor<?> one : MemoryRecordsBuilder.class.getConstructors()) {
            Class<?>[] types = one.getParameterTypes();
            if (types.length == ARGUMENTS && types[0] == ByteBuffer.class)
                return one;
        }
        throw new UnsupportedOperationException("MemoryRecordsBuilder has no such constructor as the suite expects");
    }

    private static Object compression(String codec) throws Exception {
        CompressionType type = CompressionType.forName(codec);
        Class<?> wanted = BUILDER.getParameterTypes()[2];
        if (wanted == CompressionType.class)
            return type;
        Object made = wanted.getMethod("of", CompressionType.class).invoke(null, type);
        return made.getClass().getMethod("build").invoke(made);
    }

    /** Snappy deletes the library that it has extracted when the JVM ends, which it may do without notice. */
    static void deleteLibrary() throws Exception {
        Class<?> loader = Class.forName("org.xerial.snappy.SnappyLoader", true, BatchWriter.class.getClassLoader());
        Field field = loader.getDeclaredField("nativeLibFile");
        field.setAccessible(true);
        if (field.get(null) instanceof File library)
            library.delete();
    }

    private static Header[] array(List<Header> headers) {
        return headers == null ? null : headers.toArray(new Header[0]);
    }

    private static ByteBuffer wrap(byte[] bytes) {
        return bytes == null ? null : ByteBuffer.wrap(bytes);
    }
}
