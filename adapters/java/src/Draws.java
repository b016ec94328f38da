import java.lang.reflect.Field;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Makes this thread's ThreadLocalRandom draw what the suite wants, and counts what was drawn.
 *
 * The generator's output is a mix of its 64-bit seed that can be inverted: the first value fixes
 * the upper half of the mix, the values after it tell which lower half it was. The suite uses
 * small ones, so they are tried; draws that no such seed makes cannot be given to the real class.
 */
final class Draws {
    private static final long MIX_1 = 0xff51afd7ed558ccdL;
    private static final long MIX_2 = 0xc4ceb9fe1a85ec53L;
    private static final int LOWER_HALVES = 1024;

    private final Field field;
    private final long gamma;
    private long seed;

    /** Needs --add-opens java.base/java.lang=ALL-UNNAMED; draws are those of the calling thread. */
    Draws() throws Exception {
        field = Thread.class.getDeclaredField("threadLocalRandomSeed");
        field.setAccessible(true);
        gamma = 0x9e3779b97f4a7c15L + 2 * Thread.currentThread().getId();
        ThreadLocalRandom.current(); // its first use in a thread would overwrite the seed
    }

    /** The next draws are these. */
    void begin(List<?> wanted) throws Exception {
        int[] draws = new int[Math.min(3, wanted.size())];
        for (int i = 0; i < draws.length; i++)
            draws[i] = ((Long) wanted.get(i)).intValue();
        for (long lower = 0; lower < LOWER_HALVES; lower++) {
            long state = unmix(((long) draws[0] << 32) | lower);
            boolean same = true;
            for (int i = 1; i < draws.length && same; i++)
                same = (int) (mix(state + i * gamma) >>> 32) == draws[i];
            if (same) {
                seed = state - gamma;
                field.setLong(Thread.currentThread(), seed);
                return;
            }
        }
        throw new CouldNotTry("ThreadLocalRandom cannot be made to draw these values");
    }

    /** How many values were drawn since. */
    int count() throws Exception {
        return (int) ((field.getLong(Thread.currentThread()) - seed) * inverse(gamma));
    }

    private static long mix(long z) {
        z = (z ^ (z >>> 33)) * MIX_1;
        return (z ^ (z >>> 33)) * MIX_2;
    }

    private static long unmix(long z) {
        z *= inverse(MIX_2);
        z = (z ^ (z >>> 33)) * inverse(MIX_1);
        return z ^ (z >>> 33);
    }

    /** The inverse of an odd number modulo 2^64, by Newton's iteration. */
    private static long inverse(long odd) {
        long result = odd;
        for (int i = 0; i < 5; i++)
            result *= 2 - odd * result;
        return result;
    }
}
