import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as the protocol needs it: whole numbers only, so every number is a Long. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** A Map, List, String, Long, Boolean or null. */
    static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.space();
        if (json.at != text.length())
            throw json.wrong("nothing more");
        return value;
    }

    private Object value() {
        space();
        char c = at < text.length() ? text.charAt(at) : '\0';
        switch (c) {
            case '{':
                return object();
            case '[':
                return array();
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> members = new LinkedHashMap<>();
        at++;
        while (more('}', members.isEmpty())) {
            space();
            String name = string();
            space();
            expect(':');
            members.put(name, value());
        }
        return members;
    }

    private List<Object> array() {
        List<Object> items = new ArrayList<>();
        at++;
        while (more(']', items.isEmpty()))
            items.add(value());
        return items;
    }

    /** Whether another item follows; passes the comma before it, or the end. */
    private boolean more(char end, boolean first) {
        space();
        if (at < text.length() && text.charAt(at) == end) {
            at++;
            return false;
        }
        if (!first)
            expect(',');
        return true;
    }

    private String string() {
        expect('"');
        int start = at;
        while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\')
            at++;
        if (at < text.length() && text.charAt(at) == '"') // the usual case: nothing is escaped
            return text.substring(start, at++);
        StringBuilder built = new StringBuilder(text.substring(start, at));
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"')
                return built.toString();
            built.append(c == '\\' ? escaped() : c);
        }
        throw wrong("the end of a string");
    }

    private char escaped() {
        char c = text.charAt(at++);
        if (c == 'u') {
            at += 4; // half of a surrogate pair may stand alone: Java's strings hold that, too
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        int which = "nrtbf".indexOf(c);
        return which < 0 ? c : "\n\r\t\b\f".charAt(which);
    }

    private Long number() {
        int start = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0)
            at++;
        return Long.valueOf(text.substring(start, at));
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at))
            throw wrong(word);
        at += word.length();
        return value;
    }

    private void space() {
        while (at < text.length() && text.charAt(at) <= ' ')
            at++;
    }

    private void expect(char c) {
        if (at >= text.length() || text.charAt(at) != c)
            throw wrong("'" + c + "'");
        at++;
    }

    private IllegalArgumentException wrong(String expected) {
        return new IllegalArgumentException("JSON: expected " + expected + " at character " + at);
    }

    /** The opposite: Maps, Lists, int[], Strings, numbers, Booleans and null. */
    static void write(Object value, StringBuilder out) {
        if (value instanceof Map) {
            String before = "{";
            for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
                out.append(before);
                write(member.getKey(), out);
                out.append(':');
                write(member.getValue(), out);
                before = ",";
            }
            out.append(before.equals("{") ? "{}" : "}");
        } else if (value instanceof List) {
            String before = "[";
            for (Object item : (List<?>) value) {
                out.append(before);
                write(item, out);
                before = ",";
            }
            out.append(before.equals("[") ? "[]" : "]");
        } else if (value instanceof int[]) {
            String before = "[";
            for (int item : (int[]) value) {
                out.append(before).append(item);
                before = ",";
            }
            out.append(before.equals("[") ? "[]" : "]");
        } else if (value instanceof String) {
            quote((String) value, out);
        } else {
            out.append(value);
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\')
                out.append('\\').append(c);
            else if (c < ' ' || Character.isSurrogate(c))
                out.append(String.format("\\u%04x", (int) c));
            else
                out.append(c);
        }
        out.append('"');
    }
}
