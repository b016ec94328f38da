import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Answers that are no int32, as the protocol writes them. */
final class Typed {
    private Typed() {
    }

    static Object data(byte[] bytes) {
        return bytes == null ? null : Map.of("hex", HexFormat.of().formatHex(bytes));
    }

    /** What is left to be read in it; the buffer stays as it is. */
    static Object data(ByteBuffer buffer) {
        return buffer == null ? null : data(copied(buffer));
    }

    static byte[] copied(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    static Object int64(Object number) {
        return Map.of("int64", number.toString());
    }

    static Object float64(double number) {
        return Map.of("double", String.format("%016x", Double.doubleToLongBits(number)));
    }

    static Object map(List<List<Object>> members) {
        return Map.of("map", members);
    }

    /** A boolean is 0 or 1. */
    static int flag(Object value) {
        return (Boolean) value ? 1 : 0;
    }
}
