package org.apache.kafka.clients.producer.internals;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A private field of a client's class, found by its name, or by its type where it is called otherwise. */
final class PrivateField {
    /** Those that were found, by all that they were asked for. */
    private static final Map<List<Object>, Field> FOUND = new ConcurrentHashMap<>();

    private PrivateField() { }

    /**
     * The field of that name, or of the name that a later version gives it (null: none does); else the only one whose
     * type, written with its type arguments and between two spaces, has one of these texts in it, which a bar
     * separates.
     */
    static Field of(Class owner, String name, String later, String types) throws NoSuchFieldException {
        List<Object> asked = Arrays.asList(owner, name, later, types);
        Field known = FOUND.get(asked);
        if (known == null) {
            known = found(owner, name, later, types);
            FOUND.put(asked, known);
        }
        return known;
    }

    private static Field found(Class owner, String name, String later, String types) throws NoSuchFieldException {
        Field only = null;
        int fitting = 0;
        for (Field field : owner.getDeclaredFields()) {
            field.setAccessible(true);
            if (field.getName().equals(name) || field.getName().equals(later))
                return field;
            for (String type : types.split("[|]")) {
                if ((" " + field.getGenericType().getTypeName() + " ").contains(type)) {
                    only = field;
                    fitting++;
                }
            }
        }
        if (fitting == 1)
            return only;
        throw new NoSuchFieldException("cannot drive this version's producer: " + owner.getName() + " has no field "
            + name + (later == null ? "" : " or " + later) + ", and " + fitting + " of such a type");
    }
}
