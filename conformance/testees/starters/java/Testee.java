import java.io.*;
import java.util.*;

/** A testee to start from: it answers keyed, and "not yet" to whatever else is asked. Java 17 or newer.
 *  Run: kafka-conformance testee -- java Testee.java
 *  What is asked, and how to go on: docs/write-a-testee.md. Every rule: docs/protocol.md. */
public class Testee {
    /** Your code goes here: replace the body by a call of your own partitioner. */
    static int partitionForKey(byte[] key, int partitions) {
        return (murmur2(key) & 0x7fffffff) % partitions;
    }

    /** Java's hash. Delete it when your own code is called. */
    static int murmur2(byte[] key) {
        int m = 0x5bd1e995, h = 0x9747b28c ^ key.length, whole = key.length / 4 * 4;
        for (int at = 0; at < whole; at += 4) {
            int k = (key[at] & 255 | (key[at + 1] & 255) << 8 | (key[at + 2] & 255) << 16 | key[at + 3] << 24) * m;
            h = h * m ^ (k ^ k >>> 24) * m;
        }
        for (int at = whole; at < key.length; at++) h ^= (key[at] & 255) << 8 * (at - whole);
        if (whole < key.length) h *= m;
        h = (h ^ h >>> 13) * m;
        return h ^ h >>> 15;
    }

    /** What you support: docs/protocol.md has all behaviours, and the words of "cannot". */
    static final String HELLO = """
        {"type": "hello", "protocol": 1, "name": "my partitioner", "version": "0.1", "language": "Java",
         "behaviours": {"keyed": {"mode": "exact", "claims": ["3.8.0"], "operations": ["partition"],
         "cannot": ["null metadata", "unknown topics", "null topics"]}}}""".replace("\n", "");
    static final String NOT_YET = "\"could not try\": \"not yet\"";

    /** One answer for each step of a case, as JSON. Each case starts afresh: keep no state across. */
    static String trace(Object behaviour, Map<?, ?> one) {
        List<Object> answers = new ArrayList<>();
        for (Object each : (List<?>) one.get("steps")) {
            Map<?, ?> step = (Map<?, ?>) each, key = (Map<?, ?>) step.get("key");
            if (!behaviour.equals("keyed") || !step.get("op").equals("partition")) return "{" + NOT_YET + "}";
            List<?> snapshot = (List<?>) ((List<?>) one.get("metadata")).get((Integer) step.get("metadata"));
            int partitions = 0;
            for (Object entry : snapshot) // [topic, [[id, leader], ...]]
                if (((List<?>) entry).get(0).equals(step.get("topic"))) partitions = ((List<?>) ((List<?>) entry).get(1)).size();
            answers.add(partitionForKey(HexFormat.of().parseHex((String) key.get("hex")), partitions));
        }
        return answers.toString(); // a List of numbers prints as JSON
    }

    static String answer(Map<?, ?> question) {
        if (question.get("type").equals("hello")) return HELLO;
        String id = "\"id\": " + question.get("id");
        if (!question.get("type").equals("cases")) return "{\"type\": \"partitions\", " + id + ", " + NOT_YET + "}";
        List<String> traces = new ArrayList<>();
        for (Object one : (List<?>) question.get("cases")) traces.add(trace(question.get("behaviour"), (Map<?, ?>) one));
        return "{\"type\": \"traces\", " + id + ", \"traces\": " + traces + "}";
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (; (text = in.readLine()) != null; at = 0) // until the suite closes it
            System.out.println(answer((Map<?, ?>) json()));
    }

    // Just enough JSON, because Java has none: Map, List, String (escapes stay as they are), Integer,
    // Boolean, null. Use your own library instead if you have one.
    static String text; // the line that is read, and where we are in it
    static int at;
    static Object json() {
        while (" :".indexOf(text.charAt(at)) >= 0) at++;
        int start = at, first = text.charAt(at++);
        Map<Object, Object> members = new HashMap<>();
        List<Object> items = new ArrayList<>();
        if (first == '"') return string(start + 1);
        if (first == '{') { while (more()) members.put(json(), json()); return members; }
        if (first == '[') { while (more()) items.add(json()); return items; }
        while (" ,]}".indexOf(text.charAt(at)) < 0) at++;
        String word = text.substring(start, at);
        return word.equals("null") ? null : first > '9' ? (Object) Boolean.valueOf(word) : Integer.valueOf(word);
    }
    static String string(int start) {
        for (at = start; text.charAt(at) != '"'; at++) if (text.charAt(at) == '\\') at++;
        return text.substring(start, at++);
    }
    static boolean more() { // whether a list or object goes on; passes its end
        while (" ,".indexOf(text.charAt(at)) >= 0) at++;
        return "]}".indexOf(text.charAt(at)) < 0 || at++ < 0;
    }
}
