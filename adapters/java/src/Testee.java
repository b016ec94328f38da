import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The reference testee: the real classes of any kafka-clients jar, behind the protocol.
 *
 * java -cp classes Testee KAFKA-CLIENTS.jar:SLF4J-API.jar[:CODECS.jar] [exact]
 *
 * What the jar has decides what it supports. What draws random values does so by itself
 * (statistical), or with "exact" takes the suite's draws, and is asked for record batches, too.
 */
public final class Testee {
    private final String classPath;
    private final boolean exact;
    private final Client client;
    private Client asserting;
    private final Draws draws;

    private Testee(String classPath, boolean exact) throws Throwable {
        this.classPath = classPath;
        this.exact = exact;
        client = new Client(classPath, false);
        draws = new Draws();
    }

    public static void main(String[] arguments) throws Throwable {
        if (arguments.length < 1) {
            System.err.println("usage: Testee KAFKA-CLIENTS.jar:SLF4J-API.jar [exact]");
            System.exit(2);
        }
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err); // whatever else is printed must not disturb the protocol
        boolean exact = arguments.length > 1 && arguments[1].equals("exact");
        Testee testee = new Testee(arguments[0], exact);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            StringBuilder answer = new StringBuilder();
            Json.write(testee.answer((Map<?, ?>) Json.parse(line)), answer);
            out.print(answer.append('\n'));
            out.flush();
        }
    }

    private Map<String, Object> answer(Map<?, ?> message) throws Throwable {
        Map<String, Object> answer = new LinkedHashMap<>();
        String behaviour = (String) message.get("behaviour");
        switch ((String) message.get("type")) {
            case "hello":
                return hello();
            case "cases":
                List<Object> traces = new ArrayList<>();
                for (Object testCase : (List<?>) message.get("cases"))
                    traces.add(trace(behaviour, (Map<?, ?>) testCase));
                answer.put("type", "traces");
                answer.put("id", message.get("id"));
                answer.put("traces", traces);
                return answer;
            case "records":
                answer.put("type", "partitions");
                answer.put("id", message.get("id"));
                answer.put("partitions", new Records(client, message).partitions(behaviour, type(behaviour)));
                return answer;
            default:
                throw new IllegalArgumentException("a message of type " + message.get("type"));
        }
    }

    private Object trace(String behaviour, Map<?, ?> testCase) throws Throwable {
        try {
            return subject(behaviour, testCase).trace((List<?>) testCase.get("steps"));
        } catch (CouldNotTry reason) {
            return Map.of("could not try", reason.getMessage());
        }
    }

    private Subject subject(String behaviour, Map<?, ?> testCase) throws Throwable {
        switch (behaviour) {
            case "murmur2":
            case "keyed":
            case "serialized-keys":
                return new Keys(client, draws, testCase);
            case "explicit-partition":
                return new Named(client, draws, testCase);
            case "built-in":
            case "load-stats":
            case "adaptive":
            case "rack-aware":
                boolean assertions = Boolean.TRUE.equals(((Map<?, ?>) testCase.get("config")).get("assertions"));
                if (assertions && asserting == null)
                    asserting = new Client(classPath, true);
                Client asked = assertions ? asserting : client;
                return behaviour.equals("rack-aware")
                    ? new RackAware(asked, draws, testCase) : new BuiltIn(asked, draws, testCase);
            case "record-sizes":
                return new RecordSizes(client, draws, testCase);
            case "record-batch":
                return new RecordBatch(client, draws, testCase);
            case "batch-reading":
                return new BatchReading(client, draws, testCase);
            default:
                return new History(client, draws, type(behaviour), testCase);
        }
    }

    /** The class behind a behaviour of Partitioner objects. */
    private static String type(String behaviour) {
        switch (behaviour) {
            case "round-robin":
                return Client.ROUND_ROBIN;
            case "uniform-sticky":
                return Client.UNIFORM_STICKY;
            case "sticky-cache":
                return Client.STICKY_CACHE;
            default:
                return Client.DEFAULT;
        }
    }

    private Map<String, Object> hello() throws Throwable {
        String version = client.version();
        Map<String, Object> behaviours = new LinkedHashMap<>();
        boolean builtIn = client.has(Client.BUILT_IN);
        behaviours.put("murmur2", support("exact", version));
        Map<String, Object> keyed = support("exact", version);
        keyed.put("records", true);
        if (!builtIn)
            keyed.put("operations", List.of("partition"));
        behaviours.put("keyed", keyed);
        behaviours.put("serialized-keys", support("exact", version));
        behaviours.put("explicit-partition", support("exact", version));
        String random = exact ? "exact" : "statistical";
        if (client.has(Client.ROUND_ROBIN)) {
            Map<String, Object> roundRobin = observing(support("exact", version));
            roundRobin.put("records", true);
            behaviours.put("round-robin", roundRobin);
        }
        if (client.has(Client.STICKY_CACHE)) {
            behaviours.put("sticky", observing(support(random, version)));
            behaviours.put("sticky-cache", observing(support("exact", version)));
        } else if (client.has(Client.DEFAULT)) {
            behaviours.put("round-robin-null-key", observing(support(random, version)));
        }
        if (client.has(Client.UNIFORM_STICKY))
            behaviours.put("uniform-sticky", observing(support(random, version)));
        if (builtIn) {
            behaviours.put("built-in", builtIn(random, version));
            behaviours.put("load-stats", builtIn("exact", version));
            behaviours.put("adaptive", builtIn(random, version));
            if (BuiltIn.knowsRacks(client))
                behaviours.put("rack-aware", builtIn("exact", version));
        }
        if (exact) // there is nothing to draw: to ask the others as well would ask the same twice
            putBatches(behaviours, version);
        Map<String, Object> hello = new LinkedHashMap<>();
        hello.put("type", "hello");
        hello.put("protocol", 1);
        hello.put("name", "kafka-clients" + (exact ? " (exact)" : ""));
        hello.put("version", version);
        hello.put("language", "Java " + System.getProperty("java.version"));
        hello.put("behaviours", behaviours);
        return hello;
    }

    private void putBatches(Map<String, Object> behaviours, String version) throws Exception {
        behaviours.put("record-sizes", support("exact", version));
        behaviours.put("record-batch", observing(support("exact", version)));
        Map<String, Object> reading = support("exact", version);
        if (!Fetch.knowsHorizons(client))
            reading.put("operations", List.of("read", "columns", "records", "refusals"));
        behaviours.put("batch-reading", reading);
    }

    private Map<String, Object> builtIn(String mode, String version) throws Exception {
        Map<String, Object> support = observing(support(mode, version));
        if (!BuiltIn.canMock(client))
            support.put("cannot", List.of("raw mock draws"));
        return support;
    }

    private static Map<String, Object> support(String mode, String version) {
        Map<String, Object> support = new LinkedHashMap<>();
        support.put("mode", mode);
        support.put("claims", List.of(version));
        return support;
    }

    private static Map<String, Object> observing(Map<String, Object> support) {
        if (support.get("mode").equals("exact"))
            support.put("observes", List.of("draws", "state"));
        return support;
    }
}
