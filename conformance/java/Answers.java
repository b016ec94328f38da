package conformance.oracle;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The values that a program emits, as one JSON array in ASCII: values of a trace, as conformance/model/values.py
 * says what they look like, but for the pairs of a map, which are in the order of the map.
 */
public final class Answers {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private byte[] text = new byte[8192];
    private int length;

    /** Forget all values. */
    public void clear() {
        length = 0;
    }

    /** All values since the last {@link #clear}. */
    public byte[] all() {
        byte[] all = new byte[Math.max(length, 1) + 1];
        System.arraycopy(text, 0, all, 0, length);
        all[0] = '['; // in the place of the comma before the first value
        all[all.length - 1] = ']';
        return all;
    }

    /** One value, whole; what is of no known type is a failure, for it would equal anything. */
    public void value(Object value) {
        write(',');
        write(value);
    }

    /** An exception of that class. */
    public void error(String javaClass) {
        write(",{\"error\":");
        string(javaClass);
        write('}');
    }

    private void write(Object value) {
        if (value == null)
            write("null");
        else if (value instanceof Integer number)
            write(number.intValue());
        else if (value instanceof Boolean flag)
            write(flag ? '1' : '0');
        else if (value instanceof Long number)
            write("{\"int64\":\"" + number + "\"}");
        else if (value instanceof Double number)
            bits(Double.doubleToRawLongBits(number));
        else if (value instanceof int[] numbers)
            numbers(numbers);
        else if (value instanceof byte[] data)
            bytes(data);
        else if (value instanceof String string)
            string(string);
        else if (value instanceof List<?> list)
            list(list);
        else if (value instanceof Map<?, ?> map)
            map(map);
        else
            throw new IllegalArgumentException("a " + value.getClass().getName() + ", which is no value of a trace");
    }

    private void list(List<?> list) {
        write('[');
        boolean first = true;
        for (Object one : list) {
            if (!first)
                write(',');
            first = false;
            write(one);
        }
        write(']');
    }

    private void numbers(int[] numbers) {
        write('[');
        for (int i = 0; i < numbers.length; i++) {
            if (i > 0)
                write(',');
            write(numbers[i]);
        }
        write(']');
    }

    private void map(Map<?, ?> map) {
        write("{\"map\":[");
        boolean first = true;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            write(first ? "[" : ",[");
            first = false;
            write(entry.getKey());
            write(',');
            write(entry.getValue());
            write(']');
        }
        write("]}");
    }

    private void bits(long bits) {
        write("{\"double\":\"");
        for (int shift = 60; shift >= 0; shift -= 4)
            write(HEX[(int) (bits >>> shift) & 15]);
        write("\"}");
    }

    private void bytes(byte[] data) {
        write("{\"hex\":\"");
        room(2L * data.length);
        for (byte one : data) {
            text[length++] = HEX[one >> 4 & 15];
            text[length++] = HEX[one & 15];
        }
        write("\"}");
    }

    private void string(String string) {
        write('"');
        room(6L * string.length());
        for (int i = 0; i < string.length(); i++) {
            char unit = string.charAt(i);
            if (unit >= ' ' && unit < 127 && unit != '"' && unit != '\\')
                text[length++] = (byte) unit;
            else
                escaped(unit);
        }
        write('"');
    }

    /** Unit by unit, so that lone surrogates survive. */
    private void escaped(char unit) {
        text[length++] = '\\';
        text[length++] = 'u';
        for (int shift = 12; shift >= 0; shift -= 4)
            text[length++] = HEX[unit >> shift & 15];
    }

    private void write(int number) {
        if (number >= 0 && number < 10)
            write((char) ('0' + number));
        else
            write(Integer.toString(number));
    }

    private void write(String ascii) {
        int size = ascii.length();
        room(size);
        ascii.getBytes(0, size, text, length);
        length += size;
    }

    private void write(char ascii) {
        room(1);
        text[length++] = (byte) ascii;
    }

    private void write(byte ascii) {
        room(1);
        text[length++] = ascii;
    }

    private void room(long size) {
        if (length + size > text.length)
            text = Arrays.copyOf(text, (int) Math.min(Integer.MAX_VALUE - 8L, Math.max(2L * text.length, length + size)));
    }
}
