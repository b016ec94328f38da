import java.io.*;
import java.util.*;
import java.util.stream.Stream;

/** A testee to read: keyed partitioning and round robin, written from docs/behaviours.md alone.
 *  Run it, with Java 17 and nothing else: kafka-conformance testee -- java examples/java/Testee.java */
public class Testee {
    static final String HELLO = "'type': 'hello', 'protocol': 1, 'name': 'example', 'version': '1', 'language': 'Java',"
        + " 'behaviours': {'keyed': {'mode': 'exact', 'records': true}, 'round-robin': {'mode': 'exact', 'records': true}}";

    static int murmur2(byte[] key) {
        int m = 0x5bd1e995, h = 0x9747b28c ^ key.length, whole = key.length / 4 * 4;
        for (int at = 0; at < whole; at += 4) {
            int k = (key[at] & 255 | (key[at + 1] & 255) << 8 | (key[at + 2] & 255) << 16 | key[at + 3] << 24) * m;
            h = h * m ^ (k ^ k >>> 24) * m; }
        for (int at = whole; at < key.length; at++) h ^= (key[at] & 255) << 8 * (at - whole);
        h = whole < key.length ? h * m : h;
        h = (h ^ h >>> 13) * m;
        return h ^ h >>> 15;
    }

    static byte[] hex(Object digits) { return HexFormat.of().parseHex((String) digits); }
    static int keyed(byte[] key, int count) { return (murmur2(key) & 0x7fffffff) % count; } // an index, not an id

    /** The next available partition in metadata order; an index below the count if there is none. */
    static int roundRobin(Map<String, Integer> counters, String topic, List<?> snapshot, Object client) {
        if (client.equals("3.2.3")) Objects.requireNonNull(snapshot); // it fails before it counts
        int turn = counters.merge(Objects.requireNonNull(topic), 1, Integer::sum) - 1 & 0x7fffffff;
        List<List<?>> all = partitions(snapshot, topic), available = new ArrayList<>(all);
        available.removeIf(partition -> partition.get(1) == null);
        return available.isEmpty() ? turn % all.size() : (Integer) available.get(turn % available.size()).get(0);
    }

    @SuppressWarnings("unchecked") static List<List<?>> partitions(List<?> snapshot, Object topic) {
        for (List<?> entry : (List<List<?>>) snapshot) // a null snapshot throws what Java throws
            if (entry.get(0).equals(topic)) return (List<List<?>>) entry.get(1);
        return List.of();
    }

    static int perform(Map<?, ?> step, List<?> metadata, Map<String, Integer> counters, Map<?, ?> message) {
        byte[] key = step.get("key") == null ? null : hex(((Map<?, ?>) step.get("key")).get("hex"));
        if (step.get("op").equals("partition for key")) return keyed(key, (Integer) step.get("partitions"));
        List<?> snapshot = (List<?>) metadata.get((Integer) step.get("metadata"));
        if (message.get("behaviour").equals("keyed")) return keyed(key, partitions(snapshot, step.get("topic")).size());
        return roundRobin(counters, (String) step.get("topic"), snapshot, message.get("client"));
    }

    /** Each case starts afresh. An answer is a number or, as JSON text, an error. */
    @SuppressWarnings("unchecked") static List<?> trace(Map<?, ?> test, Map<?, ?> message) {
        Map<String, Integer> set = (Map<String, Integer>) ((Map<?, ?>) test.get("config")).get("counters");
        Map<String, Integer> counters = new HashMap<>(set == null ? Map.of() : set);
        return ((List<Map<?, ?>>) test.get("steps")).stream().<Object>map(step -> {
            try { return perform(step, (List<?>) test.get("metadata"), counters, message); }
            catch (NullPointerException thrown) { return "{'error': 'null'}"; } // what Java throws, we throw
            catch (ArithmeticException thrown) { return "{'error': 'arithmetic'}"; }
        }).toList();
    }

    /** A partition for each of many records of one topic. */
    static List<?> records(Map<?, ?> message) {
        List<?> all = (List<?>) message.get("partitions"), keys = (List<?>) message.get("keys");
        if (keys != null) return keys.stream().map(key -> keyed(hex(key), all.size())).toList();
        Map<String, Integer> counters = new HashMap<>();
        return Stream.generate(() -> roundRobin(counters, "t", List.of(List.of("t", all)), ""))
            .limit((Integer) message.get("count")).toList();
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (; (text = in.readLine()) != null; at = 0) { // until the suite closes it
            Map<?, ?> message = (Map<?, ?>) json();
            String answer = HELLO, id = "'id': " + message.get("id") + ", ";
            if (message.get("type").equals("records"))
                answer = "'type': 'partitions', " + id + "'partitions': " + records(message); // a List prints as JSON
            if (message.get("type").equals("cases")) answer = "'type': 'traces', " + id + "'traces': "
                + ((List<?>) message.get("cases")).stream().map(test -> trace((Map<?, ?>) test, message)).toList();
            System.out.println(("{" + answer + "}").replace('\'', '"')); // one line, and nothing else
        }
    }

    static String text; // the line that is read, and where we are in it
    static int at;
    /** Just enough JSON: Map, List, String (escapes stay as they are), Integer, Boolean, null. */
    static Object json() {
        while (" :".indexOf(text.charAt(at)) >= 0) at++;
        int start = at, first = text.charAt(at++);
        Map<Object, Object> members = new HashMap<>(); List<Object> items = new ArrayList<>();
        if (first == '"') return text.substring(start + 1, (at = text.indexOf('"', at) + 1) - 1);
        if (first == '{') { while (more()) members.put(json(), json()); return members; }
        if (first == '[') { while (more()) items.add(json()); return items; }
        while (" ,]}".indexOf(text.charAt(at)) < 0) at++;
        String word = text.substring(start, at);
        return word.equals("null") ? null : first > '9' ? (Object) Boolean.valueOf(word) : Integer.valueOf(word);
    }
    /** Whether a list or object goes on; passes its end. */
    static boolean more() {
        while (" ,".indexOf(text.charAt(at)) >= 0) at++;
        return "]}".indexOf(text.charAt(at)) < 0 || at++ < 0;
    }
}
