/** A producer without keys on a real accumulator whose batches are sent in some order. */
public final class Drains {
    private static final int OWN = -2;
    private static final int NONE = -1;

    private Drains() {
    }

    /** For each record its partition and the bytes it added; then one batch of that order is sent. */
    public static void run(Cluster cluster, int batchSize, java.nio.ByteBuffer sizes, java.nio.ByteBuffer orders,
            java.nio.ByteBuffer answers) throws Exception {
        java.nio.IntBuffer values = sizes.order(java.nio.ByteOrder.nativeOrder()).asIntBuffer();
        java.nio.IntBuffer sends = orders.order(java.nio.ByteOrder.nativeOrder()).asIntBuffer();
        java.nio.IntBuffer out = answers.order(java.nio.ByteOrder.nativeOrder()).asIntBuffer();
        Accumulator accumulator = new Accumulator(batchSize, cluster);
        while (values.hasRemaining()) {
            accumulator.append(new byte[values.get()]);
            out.put(accumulator.partition);
            out.put(accumulator.bytes);
            int order = sends.get();
            if (order != NONE)
                accumulator.send(order == OWN ? accumulator.partition : order);
        }
    }
}
