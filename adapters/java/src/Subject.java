import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One case of one behaviour: performs its steps, in order, on real classes of the client. */
abstract class Subject {
    final Client client;
    private final Draws draws;
    private final List<?> metadata;
    private final Map<Integer, Optional<Object>> clusters = new HashMap<>();
    private final List<Map<String, Object>> trace = new ArrayList<>();

    Subject(Client client, Draws draws, Map<?, ?> testCase) {
        this.client = client;
        this.draws = draws;
        this.metadata = (List<?>) testCase.get("metadata");
    }

    /** What the client answers: a number, a list, null or a text. */
    abstract Object answer(Map<?, ?> step) throws Throwable;

    /** What can be seen of its state after the step, or null. */
    Map<String, Object> state(Map<?, ?> step) throws Throwable {
        return null;
    }

    /** Draws of this step are to come from somewhere else than ThreadLocalRandom. */
    boolean begin(List<?> wanted) {
        return false;
    }

    int drawn() throws Exception {
        return draws.count();
    }

    List<?> trace(List<?> steps) throws Throwable {
        for (Object each : steps) {
            Map<?, ?> step = (Map<?, ?>) each;
            List<?> wanted = (List<?>) step.get("draws");
            boolean draw = wanted != null && !wanted.isEmpty();
            if (draw && !begin(wanted))
                draws.begin(wanted);
            Map<String, Object> entry = new LinkedHashMap<>();
            try {
                entry.put("answer", answer(step));
            } catch (CouldNotTry | ReflectiveOperationException ours) {
                throw ours;
            } catch (Throwable thrown) {
                entry.put("answer", error(thrown));
            }
            if (draw)
                entry.put("draws", drawn());
            Map<String, Object> state = state(step);
            if (state != null)
                entry.put("state", state);
            trace.add(entry);
        }
        return trace;
    }

    private static Map<String, Object> error(Throwable thrown) {
        String kind = thrown instanceof NullPointerException ? "null"
            : thrown instanceof ArithmeticException ? "arithmetic"
            : thrown instanceof IllegalArgumentException ? "argument"
            : thrown instanceof IndexOutOfBoundsException ? "index"
            : thrown instanceof AssertionError ? "assertion"
            : thrown instanceof IllegalStateException ? "state"
            : "other";
        Map<String, Object> error = new LinkedHashMap<>();
        error.put("error", kind);
        String message = String.valueOf(thrown);
        error.put("message", message.substring(0, Math.min(500, message.length())));
        return error;
    }

    /** The snapshot that a step sees; each is built once for a case. */
    Object cluster(Map<?, ?> step) throws Throwable {
        int at = integer(step, "metadata");
        if (!clusters.containsKey(at))
            clusters.put(at, Optional.ofNullable(cluster((List<?>) metadata.get(at))));
        return clusters.get(at).orElse(null);
    }

    /** A snapshot as the client's metadata, or null. */
    Object cluster(List<?> snapshot) throws Throwable {
        return client.cluster(snapshot);
    }

    /** A number, or what the step that {"step": k} names answered; -1 if that was no number. */
    int number(Object value) {
        if (value instanceof Long)
            return ((Long) value).intValue();
        Object answered = trace.get(stepOf(value)).get("answer");
        return answered instanceof Integer ? (Integer) answered : -1;
    }

    static int stepOf(Object reference) {
        return integer((Map<?, ?>) reference, "step");
    }

    static int integer(Map<?, ?> map, String name) {
        return ((Long) map.get(name)).intValue();
    }

    static int[] integers(Object list) {
        return ((List<?>) list).stream().mapToInt(number -> ((Long) number).intValue()).toArray();
    }

    static byte[] key(Map<?, ?> step) {
        return bytes(step.get("key"));
    }

    static byte[] bytes(Object value) {
        return value == null ? null : hex((String) ((Map<?, ?>) value).get("hex"));
    }

    static byte[] hex(String digits) {
        byte[] bytes = new byte[digits.length() / 2];
        for (int i = 0; i < bytes.length; i++)
            bytes[i] = (byte) (Character.digit(digits.charAt(2 * i), 16) << 4
                | Character.digit(digits.charAt(2 * i + 1), 16));
        return bytes;
    }
}
