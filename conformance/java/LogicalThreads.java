package org.apache.kafka.clients.producer.internals;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Calls of which one goes on at a time, each in a real thread, the first in the caller's. A case tells whose turn
 * it is.
 *
 * The one that goes on pauses at places that it names, where it must hold no lock.
 */
final class LogicalThreads {
    interface Call {
        Object answer() throws Throwable;
    }

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "logical thread");
        thread.setDaemon(true);
        return thread;
    });
    /** What is random in a thread is drawn from its seed, and in steps that its number decides. */
    private static final Field SEED = field("threadLocalRandomSeed");
    private static final Field NUMBER = field("tid");

    private final Thread caller = Thread.currentThread();
    private final List<Call> calls;
    private final int[] order;
    private final Semaphore[] turns;
    private final Semaphore over = new Semaphore(0);
    private final Object[] answers;
    private final boolean[] begun;
    private final boolean[] ended;
    private final List<Object> seen = new ArrayList<>();
    private int at;
    private int running;
    /** The seed of the one that went on last, from which the next one draws: as if they all were the caller. */
    private long random;

    /** At each pause the next number of the order goes on that has not ended; once they are used up, the lowest. */
    LogicalThreads(List<Call> calls, int[] order) {
        this.calls = calls;
        this.order = order;
        turns = new Semaphore[calls.size()];
        Arrays.setAll(turns, number -> new Semaphore(0));
        answers = new Object[calls.size()];
        begun = new boolean[calls.size()];
        ended = new boolean[calls.size()];
    }

    /** What each call answered, or the class of what it threw; and who paused or ended, and where, in this order. */
    List<Object> run() throws Exception {
        random = SEED.getLong(caller);
        give(next());
        perform(0); // here, for each thread takes a while to begin
        over.acquire();
        SEED.setLong(caller, random);
        return Arrays.asList(Arrays.asList(answers), seen);
    }

    /** Let others go on, as the order wants it. */
    void pause(String where) {
        int own = running;
        seen.add(Arrays.asList(own, where));
        int next = next();
        if (next == own)
            return;
        try {
            random = SEED.getLong(Thread.currentThread());
            give(next);
            take(own);
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    /** Another one's turn, which begins with the first. */
    private void give(int next) {
        running = next;
        turns[next].release();
        if (next > 0 && !begun[next]) {
            begun[next] = true;
            THREADS.execute(() -> perform(next));
        }
    }

    private void perform(int own) {
        try {
            ThreadLocalRandom.current(); // the first use in a thread would overwrite the seed
            NUMBER.setLong(Thread.currentThread(), caller.getId());
            take(own);
            answers[own] = calls.get(own).answer();
        } catch (Throwable thrown) {
            answers[own] = thrown.getClass().getName();
        }
        try {
            random = SEED.getLong(Thread.currentThread());
        } catch (ReflectiveOperationException wrong) {
            answers[own] = wrong.toString();
        }
        seen.add(Arrays.asList(own, "end"));
        ended[own] = true;
        int next = next();
        if (next < 0)
            over.release();
        else
            give(next);
    }

    private void take(int own) throws ReflectiveOperationException {
        turns[own].acquireUninterruptibly();
        SEED.setLong(Thread.currentThread(), random);
    }

    /** Who goes on; -1 if all have ended. */
    private int next() {
        while (at < order.length) {
            int next = order[at++];
            if (!ended[next])
                return next;
        }
        for (int number = 0; number < ended.length; number++)
            if (!ended[number])
                return number;
        return -1;
    }

    private static Field field(String name) {
        try {
            Field found = Thread.class.getDeclaredField(name);
            found.setAccessible(true);
            return found;
        } catch (ReflectiveOperationException wrong) {
            throw new IllegalStateException(wrong);
        }
    }
}
