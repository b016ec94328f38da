import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/** record-sizes: static methods that count bytes, each that which the client's own code calls. */
final class RecordSizes extends Subject {
    private static final byte MAGIC = 2;
    private static final int LONGEST_NUMBER = 10;

    private final Contents contents;

    RecordSizes(Client client, Draws draws, Map<?, ?> testCase) throws Throwable {
        super(client, draws, testCase);
        contents = new Contents(client);
    }

    @Override
    Object answer(Map<?, ?> step) throws Throwable {
        switch ((String) step.get("op")) {
            case "varint":
                return written("Varint", int.class, integer(step, "number"));
            case "varlong":
                return written("Varlong", long.class, Long.valueOf((String) step.get("long")));
            case "record size":
                return recordSize(step);
            case "upper bound":
                return upperBound(step);
            case "sequence":
                return List.of(sequence("incrementSequence", step), sequence("decrementSequence", step));
            default:
                throw new CouldNotTry("no operation " + step.get("op"));
        }
    }

    private Object written(String kind, Class<?> type, Object number) throws Throwable {
        Class<?> utils = client.common("utils.ByteUtils");
        Object size = Client.call(Client.method(utils, "sizeOf" + kind, type), null, number);
        ByteBuffer buffer = ByteBuffer.allocate(LONGEST_NUMBER);
        Client.call(Client.method(utils, "write" + kind, type, ByteBuffer.class), null, number, buffer);
        return List.of(size, Typed.data(buffer.flip()));
    }

    /** As MemoryRecordsBuilder does, to see whether the record has room. */
    private Object recordSize(Map<?, ?> step) throws Throwable {
        Class<?>[] types = {int.class, long.class, ByteBuffer.class, ByteBuffer.class, contents.headers};
        Method size = Client.method(client.common("record.DefaultRecord"), "sizeInBytes", types);
        Long timestampDelta = Long.valueOf((String) step.get("timestamp_delta"));
        Object headers = contents.headers(step);
        return Client.call(size, null, integer(step, "offset_delta"), timestampDelta,
            wrapped(step.get("key")), wrapped(step.get("value")), headers);
    }

    private static ByteBuffer wrapped(Object value) {
        return value == null ? null : ByteBuffer.wrap(bytes(value));
    }

    /** As RecordAccumulator does, before it allocates a batch. */
    private Object upperBound(Map<?, ?> step) throws Throwable {
        Class<?> codec = client.common("record.CompressionType");
        Class<?>[] types = {byte.class, codec, byte[].class, byte[].class, contents.headers};
        Method bound = Client.method(client.common("record.AbstractRecords"), "estimateSizeInBytesUpperBound", types);
        Object none = codec.getField("NONE").get(null);
        return Client.call(bound, null, MAGIC, none, key(step), bytes(step.get("value")), contents.headers(step));
    }

    private Object sequence(String name, Map<?, ?> step) throws Throwable {
        Method method = Client.method(client.common("record.DefaultRecordBatch"), name, int.class, int.class);
        return Client.call(method, null, integer(step, "sequence"), integer(step, "by"));
    }
}
