package conformance.oracle;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * Runs a whole program of reflective calls on one Kafka client in a single crossing from Python.
 * conformance/model/program.py writes the programs and documents every instruction.
 */
public final class Runner implements Supplier {
    // Instructions; the same numbers stand in program.py.
    private static final int CALL = 0, EACH = 1, LET = 2, SEED = 3, MOCK = 4, DRAWS = 5, SKIP_IF = 6, EMIT = 7;
    // What becomes of a call's outcome.
    private static final int SILENT = 0, ANSWER = 1, OBSERVE = 2, FOLLOW = 3, TRY = 4;
    // Kinds of argument.
    private static final int NULL = 0, SLOT = 1, INT = 2, BOOLEAN = 3, BYTES = 4, TEXT = 5, INTS = 6,
        LONG = 7, DOUBLE = 8, SLOT_OR = 9, TEXTS = 10;

    private final Field seedField;
    /** The client's static hook for its random source, or null as long as nobody has said which. */
    private Field mockField;
    private final long gamma, gammaInverse, unmixFirst, unmixLast;
    private final List symbols = new ArrayList();
    private final Answers answers = new Answers();
    private final List messages = new ArrayList();

    private int[] code;
    private byte[] blob;
    private int pc;
    private Object[] slots;
    private long seeded;
    private int mockValue;
    private int mockCalls;
    private boolean mocked;

    /**
     * The numbers of draws.py, which says what they are for.
     *
     * @param gamma what one draw adds to this thread's seed; then its inverse modulo 2^64
     * @param unmixLast inverse of the last factor by which a draw is mixed; then that of the first one
     */
    public Runner(long gamma, long gammaInverse, long unmixLast, long unmixFirst) throws Exception {
        this.seedField = Thread.class.getDeclaredField("threadLocalRandomSeed");
        this.seedField.setAccessible(true);
        this.gamma = gamma;
        this.gammaInverse = gammaInverse;
        this.unmixLast = unmixLast;
        this.unmixFirst = unmixFirst;
    }

    /** From now on MOCK sets that static field. */
    public void mockBy(Field hook) {
        hook.setAccessible(true);
        mockField = hook;
    }

    public int link(Object symbol) {
        ((AccessibleObject) symbol).setAccessible(true);
        symbols.add(symbol);
        return symbols.size() - 1;
    }

    /** Calling it makes an object without running a constructor. */
    public int linkClass(Class symbol) {
        symbols.add(symbol);
        return symbols.size() - 1;
    }

    /** "class: message" of each exception that the last program's answers hold, in order. */
    public String[] lastMessages() {
        return (String[]) messages.toArray(new String[0]);
    }

    /** The client's random source while a program has set a value with MOCK. */
    public Object get() {
        mockCalls++;
        return Integer.valueOf(mockValue);
    }

    /**
     * Answers what the program emitted; see {@link Answers#all}.
     *
     * @param program so many ints of code, and then so many bytes of data
     */
    public byte[] run(ByteBuffer program, int codeLength, int dataLength, int slotCount) throws Exception {
        Thread thread = Thread.currentThread();
        ThreadLocalRandom.current(); // the first use in a thread would overwrite our seed
        long seedBefore = seedField.getLong(thread);
        Object mockBefore = mockField == null ? null : mockField.get(null);
        read(program, codeLength, dataLength);
        slots = new Object[slotCount];
        pc = 0;
        answers.clear();
        messages.clear();
        try {
            while (pc < code.length)
                step(thread);
            return answers.all();
        } finally {
            seedField.setLong(thread, seedBefore);
            if (mockField != null)
                mockField.set(null, mockBefore);
            slots = null;
        }
    }

    private void read(ByteBuffer program, int codeLength, int dataLength) {
        code = new int[codeLength];
        blob = new byte[dataLength];
        ByteBuffer from = program.duplicate().order(ByteOrder.nativeOrder());
        from.asIntBuffer().get(code);
        from.position(4 * codeLength).get(blob);
    }

    private void step(Thread thread) throws Exception {
        int start = pc;
        switch (code[pc++]) {
            case CALL: {
                Object symbol = symbols.get(code[pc++]);
                int into = code[pc++];
                int mode = code[pc++];
                Object receiver = argument();
                Object[] arguments = arguments(code[pc++]);
                call(start, symbol, into, mode, receiver, arguments);
                break;
            }
            case EACH: {
                Constructor constructor = (Constructor) symbols.get(code[pc++]);
                int into = code[pc++];
                int rows = code[pc++];
                int columns = code[pc++];
                List list = new ArrayList(rows);
                for (int row = 0; row < rows; row++)
                    list.add(constructor.newInstance(arguments(columns)));
                slots[into] = list;
                break;
            }
            case LET: {
                int into = code[pc++];
                slots[into] = argument();
                break;
            }
            case SEED: {
                seeded = seedFor(wide());
                mocked = false;
                seedField.setLong(thread, seeded);
                if (mockField != null)
                    mockField.set(null, null);
                break;
            }
            case MOCK: {
                if (mockField == null)
                    throw new IllegalStateException("nobody said what is to be mocked");
                mockValue = code[pc++];
                mockCalls = 0;
                mocked = true;
                mockField.set(null, this);
                break;
            }
            case DRAWS: {
                answers.value(mocked ? mockCalls : (int) ((seedField.getLong(thread) - seeded) * gammaInverse));
                break;
            }
            case EMIT: {
                answers.value(slots[code[pc++]]);
                break;
            }
            case SKIP_IF: {
                boolean skip = Boolean.TRUE.equals(slots[code[pc++]]);
                int length = code[pc++];
                if (skip)
                    pc += length;
                break;
            }
            default:
                throw new IllegalStateException("no instruction " + code[start] + " at " + start);
        }
    }

    /** From which seed the next draw is the upper half of these bits, and which of all such seeds: the lower half. */
    private long seedFor(long draw) {
        long mixed = draw * unmixLast;
        mixed = (mixed ^ (mixed >>> 33)) * unmixFirst;
        return (mixed ^ (mixed >>> 33)) - gamma;
    }

    private void call(int start, Object symbol, int into, int mode, Object receiver, Object[] arguments)
            throws Exception {
        Object result;
        if ((mode == OBSERVE || mode == FOLLOW) && receiver == null && !isStatic(symbol)) {
            result = null;
        } else {
            try {
                result = invoke(symbol, receiver, arguments);
            } catch (InvocationTargetException wrapped) {
                Throwable thrown = wrapped.getCause();
                if ((mode != ANSWER && mode != TRY) || thrown instanceof VirtualMachineError)
                    throw new IllegalStateException("the call at " + start + " of " + symbol + " failed", thrown);
                if (into >= 0)
                    slots[into] = null;
                emitError(thrown);
                return;
            }
        }
        if (into >= 0)
            slots[into] = result;
        if (mode == TRY)
            answers.value(null);
        else if (mode == ANSWER || mode == OBSERVE)
            emitAnswer(symbol, result);
    }

    private void emitAnswer(Object symbol, Object result) {
        try {
            answers.value(result);
        } catch (IllegalArgumentException unknown) {
            throw new IllegalArgumentException(symbol + " answered " + unknown.getMessage());
        }
    }

    private static boolean isStatic(Object symbol) {
        return !(symbol instanceof Constructor) && Modifier.isStatic(((java.lang.reflect.Member) symbol).getModifiers());
    }

    private static Object allocate(Class wanted) throws Exception {
        Field unsafe = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        unsafe.setAccessible(true);
        return ((sun.misc.Unsafe) unsafe.get(null)).allocateInstance(wanted);
    }

    private static Object invoke(Object symbol, Object receiver, Object[] arguments) throws Exception {
        if (symbol instanceof Class)
            return allocate((Class) symbol);
        if (symbol instanceof Method)
            return ((Method) symbol).invoke(receiver, arguments);
        if (symbol instanceof Constructor)
            return ((Constructor) symbol).newInstance(arguments);
        Field field = (Field) symbol;
        if (arguments.length == 0)
            return field.get(receiver);
        field.set(receiver, arguments[0]);
        return null;
    }

    private Object[] arguments(int count) {
        Object[] arguments = new Object[count];
        for (int i = 0; i < count; i++)
            arguments[i] = argument();
        return arguments;
    }

    private Object argument() {
        int kind = code[pc++];
        switch (kind) {
            case NULL:
                return null;
            case SLOT:
                return slots[code[pc++]];
            case SLOT_OR: {
                Object kept = slots[code[pc++]];
                int otherwise = code[pc++];
                return kept == null ? Integer.valueOf(otherwise) : kept;
            }
            case INT:
                return Integer.valueOf(code[pc++]);
            case BOOLEAN:
                return Boolean.valueOf(code[pc++] != 0);
            case BYTES: {
                int from = code[pc++];
                return Arrays.copyOfRange(blob, from, from + code[pc++]);
            }
            case TEXT: {
                int from = code[pc++];
                char[] chars = new char[code[pc++] / 2];
                // Not through a Charset: that would replace lone surrogates.
                for (int i = 0; i < chars.length; i++)
                    chars[i] = (char) (blob[from + 2 * i] << 8 | blob[from + 2 * i + 1] & 0xff);
                return new String(chars);
            }
            case INTS: {
                int length = code[pc++];
                int[] array = Arrays.copyOfRange(code, pc, pc + length);
                pc += length;
                return array;
            }
            case TEXTS: {
                String[] array = new String[code[pc++]];
                for (int i = 0; i < array.length; i++)
                    array[i] = (String) argument();
                return array;
            }
            case LONG:
                return Long.valueOf(wide());
            case DOUBLE:
                return Double.valueOf(Double.longBitsToDouble(wide()));
            default:
                throw new IllegalStateException("no kind of argument " + kind + " at " + (pc - 1));
        }
    }

    private long wide() {
        long value = ((long) code[pc] << 32) | (code[pc + 1] & 0xffffffffL);
        pc += 2;
        return value;
    }

    private void emitError(Throwable thrown) {
        String name = thrown.getClass().getName();
        String told = name + ": " + thrown.getMessage();
        if (thrown instanceof LinkageError && thrown.getCause() != null) // what an initialiser threw
            told += ", caused by " + thrown.getCause();
        messages.add(told);
        answers.error(name);
    }
}
