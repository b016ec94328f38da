import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** murmur2, keyed and serialized-keys: what depends on a key alone. */
final class Keys extends Subject {
    /** Where a record with a key goes. */
    interface Placing {
        Object partition(String topic, byte[] key, Object cluster) throws Throwable;
    }

    private final Placing placing;

    Keys(Client client, Draws draws, Map<?, ?> testCase) throws Throwable {
        super(client, draws, testCase);
        placing = placing(client);
    }

    /** DefaultPartitioner, or the producer, which does it since 4.0. */
    static Placing placing(Client client) throws Throwable {
        if (client.has(Client.DEFAULT))
            return new Partitioner(client, Client.DEFAULT)::partition;
        Producer producer = new Producer(client);
        return (topic, key, cluster) -> producer.partition(producer.record(topic, null, key), key, cluster);
    }

    @Override
    Object answer(Map<?, ?> step) throws Throwable {
        String utils = Client.COMMON + "utils.Utils";
        switch ((String) step.get("op")) {
            case "murmur2":
                return Client.call(client.method(utils, "murmur2", byte[].class), null, key(step));
            case "toPositive":
                Method mask = client.method(utils, "toPositive", int.class);
                return Client.call(mask, null, integer(step, "number"));
            case "partition":
                return placing.partition((String) step.get("topic"), key(step), cluster(step));
            case "partition for key":
                return forKey(key(step), integer(step, "partitions"));
            case "serialize":
                return serialized(step);
            default:
                throw new CouldNotTry("no operation " + step.get("op"));
        }
    }

    /** Through partitionForKey if there is one, else through a cluster of so many partitions. */
    private Object forKey(byte[] key, int count) throws Throwable {
        if (client.has(Client.BUILT_IN)) {
            Method forKey = client.method(Client.BUILT_IN, "partitionForKey", byte[].class, int.class);
            return Client.call(forKey, null, key, count);
        }
        List<Object> partitions = new ArrayList<>();
        for (long id = 0; id < count; id++)
            partitions.add(List.of(id, 0L));
        return placing.partition("t", key, client.cluster(List.of(List.of("t", partitions))));
    }

    /** The bytes that the serializer wrote, then the partition. */
    private Object serialized(Map<?, ?> step) throws Throwable {
        Object value = step.get("value");
        String text = value instanceof Map ? null : String.valueOf(value);
        switch ((String) step.get("type")) {
            case "string":
                return serialized("String", String.class, value, step);
            case "integer":
                return serialized("Integer", Integer.class, value == null ? null : Integer.valueOf(text), step);
            case "long":
                return serialized("Long", Long.class, value == null ? null : Long.valueOf(text), step);
            case "double":
                Double number = value == null ? null
                    : Double.valueOf(Double.longBitsToDouble(Long.parseUnsignedLong(text, 16)));
                return serialized("Double", Double.class, number, step);
            case "uuid":
                return serialized("UUID", UUID.class, value == null ? null : UUID.fromString(text), step);
            case "byte_array":
                return serialized("ByteArray", byte[].class, bytes(value), step);
            case "bytes":
                Class<?> type = client.type(Client.COMMON + "utils.Bytes");
                Method wrap = type.getMethod("wrap", byte[].class);
                Object wrapped = Client.call(wrap, null, (Object) bytes(value));
                return serialized("Bytes", type, wrapped, step);
            default:
                throw new CouldNotTry("no type " + step.get("type"));
        }
    }

    private Object serialized(String name, Class<?> type, Object value, Map<?, ?> step) throws Throwable {
        String serializer = Client.COMMON + "serialization." + name + "Serializer";
        Method serialize = client.method(serializer, "serialize", String.class, type);
        byte[] data = (byte[]) Client.call(serialize, client.make(serializer), "t", value);
        if (data == null)
            return null;
        List<Object> answer = new ArrayList<>(data.length + 1);
        for (byte one : data)
            answer.add(one & 0xff);
        answer.add(forKey(data, integer(step, "partitions")));
        return answer;
    }
}
