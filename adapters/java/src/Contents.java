import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Headers of records: those that a step names as the client's objects, and back. */
final class Contents {
    /** The type of an array of headers, for those who look for methods. */
    final Class<?> headers;

    private final Constructor<?> newHeader;
    private final Method key;
    private final Method value;

    Contents(Client client) throws Exception {
        Class<?> header = client.common("header.Header");
        headers = header.arrayType();
        newHeader = client.common("header.internals.RecordHeader").getConstructor(String.class, byte[].class);
        key = Client.method(header, "key");
        value = Client.method(header, "value");
    }

    /** Null if the step has null for a list. */
    Object headers(Map<?, ?> step) throws Throwable {
        List<?> wanted = (List<?>) step.get("headers");
        if (wanted == null)
            return null;
        Object made = Array.newInstance(headers.getComponentType(), wanted.size());
        for (int i = 0; i < wanted.size(); i++) {
            List<?> pair = (List<?>) wanted.get(i);
            Array.set(made, i, Client.construct(newHeader, pair.get(0), Subject.bytes(pair.get(1))));
        }
        return made;
    }

    /** Only when it is asked for its key does a header turn bytes into text. */
    List<Object> answered(Object[] headers) throws Throwable {
        List<Object> pairs = new ArrayList<>(headers.length);
        for (Object header : headers)
            pairs.add(Arrays.asList(Client.call(key, header), Typed.data((byte[]) Client.call(value, header))));
        return pairs;
    }
}
