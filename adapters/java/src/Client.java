import java.io.File;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import sun.reflect.ReflectionFactory;

/** One kafka-clients jar in a class loader of its own; everything in it is reached by reflection. */
final class Client {
    static final String COMMON = "org.apache.kafka.common.";
    static final String PRODUCER = "org.apache.kafka.clients.producer.";
    static final String DEFAULT = PRODUCER + "internals.DefaultPartitioner";
    static final String ROUND_ROBIN = PRODUCER + "RoundRobinPartitioner";
    static final String UNIFORM_STICKY = PRODUCER + "UniformStickyPartitioner";
    static final String STICKY_CACHE = PRODUCER + "internals.StickyPartitionCache";
    static final String BUILT_IN = PRODUCER + "internals.BuiltInPartitioner";

    private final ClassLoader loader;
    private final Map<String, Class<?>> types = new HashMap<>();
    private final Map<String, Class<?>> moved = new HashMap<>();
    /** Of brokers that have no rack. */
    private final Object[] nodes;

    /** Assertions (Java's -ea) are switched per class loader, before a class is initialised. */
    Client(String classPath, boolean assertions) throws Throwable {
        List<URL> urls = new ArrayList<>();
        for (String path : classPath.split(File.pathSeparator)) {
            File file = new File(path);
            if (!file.exists())
                throw new IllegalArgumentException("There is no " + path);
            urls.add(file.toURI().toURL());
        }
        loader = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        loader.setDefaultAssertionStatus(assertions);
        nodes = nodes(Arrays.asList(null, null, null));
    }

    /** Nodes 0, 1 ..., each in its rack, which may be null. */
    Object[] nodes(List<?> racks) throws Throwable {
        Class<?>[] parameters = {int.class, String.class, int.class, String.class};
        Object[] made = new Object[racks.size()];
        for (int i = 0; i < made.length; i++)
            made[i] = make(COMMON + "Node", parameters, i, "localhost", 9092, racks.get(i));
        return made;
    }

    /** The version that the jar says it has. */
    String version() throws Exception {
        try (InputStream stream = loader.getResourceAsStream("kafka/kafka-version.properties")) {
            Properties properties = new Properties();
            properties.load(stream);
            return properties.getProperty("version");
        }
    }

    boolean has(String name) {
        try {
            type(name);
            return true;
        } catch (ClassNotFoundException missing) {
            return false;
        }
    }

    boolean has(String type, String field) throws ClassNotFoundException {
        return has(type) && Arrays.stream(type(type).getDeclaredFields()).anyMatch(one -> one.getName().equals(field));
    }

    Class<?> type(String name) throws ClassNotFoundException {
        Class<?> type = types.get(name);
        if (type == null) {
            type = Class.forName(name, true, loader);
            types.put(name, type);
        }
        return type;
    }

    /**
     * A class below org.apache.kafka.common by the name that it had in 2.3.1. Since 4.3 some are in a package
     * "internal" or "internals" below the one where they were.
     */
    Class<?> common(String name) throws ClassNotFoundException {
        Class<?> found = moved.get(name);
        if (found == null) {
            int simple = name.lastIndexOf('.') + 1;
            String where = Stream.of("", "internal.", "internals.")
                .map(below -> COMMON + name.substring(0, simple) + below + name.substring(simple))
                .filter(this::has).findFirst().orElse(COMMON + name);
            found = type(where);
            moved.put(name, found);
        }
        return found;
    }

    Method method(String type, String name, Class<?>... parameters) throws Exception {
        return method(type(type), name, parameters);
    }

    static Method method(Class<?> type, String name, Class<?>... parameters) throws Exception {
        Method method = type.getDeclaredMethod(name, parameters);
        method.setAccessible(true);
        return method;
    }

    Field field(String type, String name) throws Exception {
        Field field = type(type).getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    Object make(String type) throws Throwable {
        return make(type, new Class<?>[0]);
    }

    Object make(String type, Class<?>[] parameters, Object... arguments) throws Throwable {
        Constructor<?> constructor = type(type).getDeclaredConstructor(parameters);
        constructor.setAccessible(true);
        return construct(constructor, arguments);
    }

    /** Calls a constructor and throws what it threw, unwrapped. */
    static Object construct(Constructor<?> constructor, Object... arguments) throws Throwable {
        try {
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException wrapped) {
            throw wrapped.getCause();
        }
    }

    /** An object whose constructor has not run, as serialization makes them. */
    Object allocate(String type) throws Exception {
        Constructor<?> plain = Object.class.getDeclaredConstructor();
        return ReflectionFactory.getReflectionFactory()
            .newConstructorForSerialization(type(type), plain).newInstance();
    }

    /** Calls a method and throws what it threw, unwrapped. */
    static Object call(Method method, Object target, Object... arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException wrapped) {
            throw wrapped.getCause();
        }
    }

    /** A snapshot of the protocol as a Cluster, or null. */
    Object cluster(List<?> snapshot) throws Throwable {
        return cluster(snapshot, nodes);
    }

    /** The same, led by these nodes. */
    Object cluster(List<?> snapshot, Object[] nodes) throws Throwable {
        if (snapshot == null)
            return null;
        Class<?> node = type(COMMON + "Node");
        Class<?> several = node.arrayType();
        Class<?>[] parameters = {String.class, int.class, node, several, several};
        List<Object> infos = new ArrayList<>();
        for (Object entry : snapshot) {
            List<?> topic = (List<?>) entry;
            for (Object each : (List<?>) topic.get(1)) {
                List<?> partition = (List<?>) each;
                Long leader = (Long) partition.get(1);
                Object led = leader == null ? null : nodes[Math.floorMod(leader.intValue(), nodes.length)];
                int id = ((Long) partition.get(0)).intValue();
                infos.add(make(COMMON + "PartitionInfo", parameters, topic.get(0), id, led, null, null));
            }
        }
        Class<?>[] cluster = {String.class, Collection.class, Collection.class, Set.class, Set.class};
        return make(COMMON + "Cluster", cluster, null, Arrays.asList(nodes), infos, Set.of(), Set.of());
    }
}
