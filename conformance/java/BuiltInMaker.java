package org.apache.kafka.clients.producer.internals;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * Makes a BuiltInPartitioner of any version from 3.3 to 4.4, and tells it of queues.
 *
 * What these take has grown since 4.4 (KIP-1123): a partitioner may prefer the leaders of its own rack. Unless
 * asked otherwise it is made so that it does not, as a producer is by default (partitioner.rack.aware); racks are
 * then never read. A client that asks for anything else is refused with an UnsupportedOperationException, when the maker
 * is made. Where MockedBuiltIn was put beside it, that is what is made.
 */
public final class BuiltInMaker {
    private static BuiltInMaker only;

    private final Constructor constructor;
    private final Method load;
    private final Field stats;
    /** From 4.4 on, where stats holds those of all racks, and those of its own. */
    private final Field ofAllRacks;
    private final Field ofItsRack;

    /** This client's. */
    public static BuiltInMaker only() throws Exception {
        if (only == null)
            only = new BuiltInMaker();
        return only;
    }

    private BuiltInMaker() throws Exception {
        Constructor[] constructors = made().getDeclaredConstructors();
        constructor = constructors[0];
        load = loadMethod();
        expect(constructors.length == 1, "it has " + constructors.length + " constructors");
        newArguments("t", 1, false, "");
        loadArguments(new int[] {1}, new int[] {0}, new String[1], 1);
        stats = field(BuiltInPartitioner.class, "partitionLoadStats", "partitionLoadStatsHolder");
        // A holder's fields are tables; a table's are none.
        ofAllRacks = stats == null ? null : field(stats.getType(), "total", null);
        ofItsRack = stats == null ? null : field(stats.getType(), "inThisRack", null);
        boolean holder = stats != null && Arrays.stream(stats.getType().getDeclaredFields()).anyMatch(BuiltInMaker::nested);
        expect(!holder || ofAllRacks != null, stats + " is of a type that has no field total");
        expect(!holder || ofItsRack != null, stats + " is of a type that has no field inThisRack");
    }

    /** Whatever this throws is the client's. */
    public BuiltInPartitioner create(String topic, int batchSize) throws Exception {
        return create(topic, batchSize, false, "");
    }

    /** One that may look at racks; a version that cannot does not. */
    public BuiltInPartitioner create(String topic, int batchSize, boolean rackAware, String rack) throws Exception {
        try {
            return (BuiltInPartitioner) constructor.newInstance(newArguments(topic, batchSize, rackAware, rack));
        } catch (InvocationTargetException thrown) {
            throw reason(thrown);
        }
    }

    /** The same; queues, which are null where nothing is known, are changed as the client changes them. */
    public void load(BuiltInPartitioner partitioner, int[] queues, int[] ids, int length) throws Exception {
        load(partitioner, queues, ids, queues == null ? null : new String[queues.length], length);
    }

    /** The same; racks are those of the leaders, null for one that has none. */
    public void load(BuiltInPartitioner partitioner, int[] queues, int[] ids, String[] racks, int length)
            throws Exception {
        try {
            load.invoke(partitioner, loadArguments(queues, ids, racks, length));
        } catch (InvocationTargetException thrown) {
            throw reason(thrown);
        }
    }

    /** The BuiltInPartitioner.PartitionLoadStats that it chooses by, or null. */
    public Object stats(BuiltInPartitioner partitioner) throws Exception {
        expect(stats != null, "it has no field of load stats");
        Object held = stats.get(partitioner);
        return held == null || ofAllRacks == null ? held : ofAllRacks.get(held);
    }

    /** The same of the partitions whose leaders are in its own rack; null also if it does not look at racks. */
    public Object statsInThisRack(BuiltInPartitioner partitioner) throws Exception {
        expect(stats != null, "it has no field of load stats");
        Object held = stats.get(partitioner);
        return held == null || ofItsRack == null ? null : ofItsRack.get(held);
    }

    private static Class made() {
        try {
            return Class.forName(BuiltInMaker.class.getPackageName() + ".MockedBuiltIn");
        } catch (ClassNotFoundException none) {
            return BuiltInPartitioner.class;
        }
    }

    private Object[] newArguments(String topic, int batchSize, boolean rackAware, String rack) throws Exception {
        Class[] types = constructor.getParameterTypes();
        Object[] arguments = new Object[types.length];
        String text = topic;
        for (int i = 0; i < types.length; i++) {
            if (types[i].getSimpleName().equals("LogContext")) {
                arguments[i] = types[i].getConstructor(new Class[0]).newInstance(new Object[0]);
            } else if (types[i] == String.class) {
                arguments[i] = text;
                text = rack;
            } else if (types[i] == int.class) {
                arguments[i] = Integer.valueOf(batchSize);
            } else {
                expect(types[i] == boolean.class, "its constructor takes a " + types[i].getName());
                arguments[i] = Boolean.valueOf(rackAware);
            }
        }
        return arguments;
    }

    private Object[] loadArguments(int[] queues, int[] ids, String[] racks, int length) {
        Class[] types = load.getParameterTypes();
        Object[] arguments = new Object[types.length];
        int[] numbers = queues;
        for (int i = 0; i < types.length; i++) {
            if (types[i] == int[].class) {
                arguments[i] = numbers;
                numbers = ids;
            } else if (types[i] == String[].class) {
                arguments[i] = racks;
            } else {
                expect(types[i] == int.class, load.getName() + " takes a " + types[i].getName());
                arguments[i] = Integer.valueOf(length);
            }
        }
        return arguments;
    }

    private static Method loadMethod() {
        Method[] all = BuiltInPartitioner.class.getDeclaredMethods();
        for (int i = 0; i < all.length; i++) {
            if (all[i].getName().equals("updatePartitionLoadStats"))
                return all[i];
        }
        throw new UnsupportedOperationException("BuiltInPartitioner has no method updatePartitionLoadStats");
    }

    /** The field of that name, or of the other; else the only one that holds an object of a nested class; or null. */
    private static Field field(Class owner, String name, String later) {
        Field only = null;
        int fitting = 0;
        for (Field field : owner.getDeclaredFields()) {
            if (field.getName().equals(name) || field.getName().equals(later) || nested(field)) {
                field.setAccessible(true);
                only = field;
                fitting++;
            }
            if (field.getName().equals(name) || field.getName().equals(later))
                return field;
        }
        return fitting == 1 ? only : null;
    }

    private static boolean nested(Field field) {
        return field.getType().getEnclosingClass() == BuiltInPartitioner.class;
    }

    private static void expect(boolean holds, String otherwise) {
        if (!holds)
            throw new UnsupportedOperationException("cannot drive this version's BuiltInPartitioner: " + otherwise);
    }

    private static Exception reason(InvocationTargetException thrown) {
        Throwable cause = thrown.getCause();
        if (cause instanceof Error)
            throw (Error) cause;
        return (Exception) cause;
    }
}
