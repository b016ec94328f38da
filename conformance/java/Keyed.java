import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.Arrays;

/** The partitions of a column of keys; a subclass says which of a client's methods answers. */
abstract class Keyed {
    private static final int KEYS = 1024;

    abstract int partition(byte[] key);

    /** Arrow's layout: key i is data[offsets[i], offsets[i + 1]); all three buffers are direct. */
    public final void partitions(ByteBuffer data, ByteBuffer offsets, ByteBuffer answers) {
        IntBuffer ends = offsets.order(ByteOrder.nativeOrder()).asIntBuffer();
        IntBuffer out = answers.order(ByteOrder.nativeOrder()).asIntBuffer();
        int[] bounds = new int[KEYS + 1];
        int[] chosen = new int[KEYS];
        byte[] bytes = new byte[0];
        int keys = ends.remaining() - 1;
        for (int first = 0; first < keys; first += KEYS) {
            int count = Math.min(KEYS, keys - first);
            ends.position(first);
            ends.get(bounds, 0, count + 1);
            int start = bounds[0];
            int length = bounds[count] - start;
            if (bytes.length < length)
                bytes = new byte[length];
            data.position(start);
            data.get(bytes, 0, length);
            for (int i = 0; i < count; i++)
                chosen[i] = partition(Arrays.copyOfRange(bytes, bounds[i] - start, bounds[i + 1] - start));
            out.put(chosen, 0, count);
        }
    }
}
