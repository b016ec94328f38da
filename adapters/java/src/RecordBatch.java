import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** record-batch: one MemoryRecordsBuilder, from its first record to its bytes. */
final class RecordBatch extends Subject {
    private static final byte MAGIC = 2;
    /** What a buffer has at first; it grows. How much a batch may have is told apart from that. */
    private static final int CAPACITY = 512;
    private static final int PARAMETERS = 13;
    private static final Class<?>[] PRODUCER = {long.class, short.class, int.class, boolean.class};

    private final Contents contents;
    private final Class<?> type;
    private final Object builder;

    RecordBatch(Client client, Draws draws, Map<?, ?> testCase) throws Throwable {
        super(client, draws, testCase);
        contents = new Contents(client);
        type = client.common("record.MemoryRecordsBuilder");
        Map<?, ?> config = (Map<?, ?>) testCase.get("config");
        builder = newBuilder(config);
        Object ratio = config.get("ratio");
        if (ratio != null) {
            double expected = Double.longBitsToDouble(Long.parseUnsignedLong((String) ratio, 16));
            call("setEstimatedCompressionRatio", new Class<?>[] {float.class}, (float) expected);
        }
    }

    /** By the constructor that MemoryRecords.builder calls: no method of that name takes all of it. */
    private Object newBuilder(Map<?, ?> config) throws Throwable {
        Constructor<?> constructor = Arrays.stream(type.getConstructors())
            .filter(one -> one.getParameterCount() == PARAMETERS && one.getParameterTypes()[0] == ByteBuffer.class)
            .findFirst().orElseThrow();
        Class<?>[] types = constructor.getParameterTypes();
        Object time = config.get("log_append_time");
        Object epoch = config.get("leader_epoch");
        List<Object> arguments = new ArrayList<>();
        arguments.add(ByteBuffer.allocate(CAPACITY));
        arguments.add(MAGIC);
        arguments.add(codec(types[2], (String) config.get("codec")));
        arguments.add(types[3].getField(time == null ? "CREATE_TIME" : "LOG_APPEND_TIME").get(null));
        arguments.add(number64(config, "base_offset"));
        arguments.add(time == null ? -1L : number64(config, "log_append_time"));
        arguments.addAll(Arrays.asList(producer(config)));
        arguments.add(config.get("control"));
        arguments.add(epoch == null ? -1 : integer(config, "leader_epoch"));
        arguments.add(integer(config, "limit"));
        return Client.construct(constructor, arguments.toArray());
    }

    /** Up to 3.7 a CompressionType, since then a Compression, with its level. */
    private static Object codec(Class<?> type, String name) throws Throwable {
        if (type.isEnum())
            return Client.call(type.getMethod("forName", String.class), null, name);
        Method of = type.getMethod("of", String.class);
        return Client.call(of.getReturnType().getMethod("build"), Client.call(of, null, name));
    }

    /** Id, epoch and sequence, and whether it is in a transaction. */
    private static Object[] producer(Map<?, ?> from) {
        return new Object[] {number64(from, "producer_id"), (short) integer(from, "epoch"),
            integer(from, "sequence"), from.get("transactional")};
    }

    private static Long number64(Map<?, ?> from, String name) {
        return Long.valueOf((String) from.get(name));
    }

    @Override
    Object answer(Map<?, ?> step) throws Throwable {
        switch ((String) step.get("op")) {
            case "append":
                return append(step);
            case "append at":
                call("appendWithOffset", recordTypes(long.class), record(step, number64(step, "offset")));
                return null;
            case "has room":
                return Typed.flag(call("hasRoomFor", recordTypes(), record(step)));
            case "marker":
                return marker(step);
            case "producer state":
                return none(call("setProducerState", PRODUCER, producer(step)));
            case "reopen":
                return none(call("reopenAndRewriteProducerState", PRODUCER, producer(step)));
            case "last offset":
                return none(call("overrideLastOffset", new Class<?>[] {long.class}, number64(step, "offset")));
            case "close for appends":
                return none(call("closeForRecordAppends"));
            case "abort":
                return none(call("abort"));
            case "build":
                Method bytes = client.common("record.MemoryRecords").getMethod("buffer");
                return Typed.data((ByteBuffer) Client.call(bytes, call("build")));
            case "ratio":
                return Typed.float64((Double) call("compressionRatio"));
            default:
                throw new CouldNotTry("no operation " + step.get("op"));
        }
    }

    private Object append(Map<?, ?> step) throws Throwable {
        Method append = Client.method(type, "append", recordTypes());
        Object[] record = record(step);
        for (int i = integer(step, "times"); i > 0; i--)
            Client.call(append, builder, record);
        return null;
    }

    private Object marker(Map<?, ?> step) throws Throwable {
        Class<?> kinds = client.common("record.ControlRecordType");
        Class<?> end = client.common("record.EndTransactionMarker");
        Object kind = kinds.getField((Boolean) step.get("commit") ? "COMMIT" : "ABORT").get(null);
        Constructor<?> newEnd = end.getConstructor(kinds, int.class);
        Object marker = Client.construct(newEnd, kind, integer(step, "coordinator_epoch"));
        Class<?>[] types = {long.class, end};
        return none(call("appendEndTxnMarker", types, number64(step, "timestamp"), marker));
    }

    /** The parameters of a method that takes a record, behind others. */
    private Class<?>[] recordTypes(Class<?>... others) {
        List<Class<?>> types = new ArrayList<>(Arrays.asList(others));
        types.addAll(List.of(long.class, byte[].class, byte[].class, contents.headers));
        return types.toArray(new Class<?>[0]);
    }

    private Object[] record(Map<?, ?> step, Object... others) throws Throwable {
        List<Object> values = new ArrayList<>(Arrays.asList(others));
        values.addAll(Arrays.asList(number64(step, "timestamp"), key(step), bytes(step.get("value")),
            contents.headers(step)));
        return values.toArray();
    }

    /** Up to 2.8 some methods answer a checksum that no one asks for. */
    private static Object none(Object ignored) {
        return null;
    }

    private Object call(String name) throws Throwable {
        return call(name, new Class<?>[0]);
    }

    private Object call(String name, Class<?>[] types, Object... arguments) throws Throwable {
        return Client.call(Client.method(type, name, types), builder, arguments);
    }

    @Override
    Map<String, Object> state(Map<?, ?> step) throws Throwable {
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("records", call("numRecords"));
        state.put("estimated size", call("estimatedSizeInBytes"));
        state.put("uncompressed size", call("uncompressedBytesWritten"));
        state.put("full", Typed.flag(call("isFull")));
        state.put("closed", Typed.flag(call("isClosed")));
        return state;
    }
}
