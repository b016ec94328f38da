package org.apache.kafka.clients.producer.internals;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

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
    /** Each draw of ThreadLocalRandom adds to a thread's seed what its number decides, so all have the caller's. */
    private static final Field SEED = field("threadLocalRandomSeed");
    private static final Field NUMBER = field("tid");

    /** Nobody's turn: all have ended. */
    private static final int OVER = -1;
    /** A thread that waits yields so often before it parks, for most turns are shorter than it takes to wake one. */
    private static final int YIELDS = 100;

    private final Thread caller = Thread.currentThread();
    private final List<Call> calls;
    private final int[] order;
    private final AtomicReferenceArray<Thread> threads;
    private final Object[] answers;
    private final boolean[] begun;
    private final boolean[] ended;
    private final List<Object> seen = new ArrayList<>();
    private int at;
    private volatile int running;
    /** The seed of the one that went on last, from which the next one draws: as if they all were the caller. */
    private long random;

    /** At each pause the next number of the order goes on that has not ended; once they are used up, the lowest. */
    LogicalThreads(List<Call> calls, int[] order) {
        this.calls = calls;
        this.order = order;
        threads = new AtomicReferenceArray<>(calls.size());
        answers = new Object[calls.size()];
        begun = new boolean[calls.size()];
        ended = new boolean[calls.size()];
    }

    /** What each call answered, or the class of what it threw; and who paused or ended, and where, in this order. */
    List<Object> run() {
        keepSeed();
        give(next());
        perform(0); // here, for each thread takes a while to begin
        await(OVER);
        takeSeed();
        return Arrays.asList(Arrays.asList(answers), seen);
    }

    /** Let others go on, as the order wants it. */
    void pause(String where) {
        int own = running;
        seen.add(Arrays.asList(own, where));
        int next = next();
        if (next == own)
            return;
        keepSeed();
        give(next);
        await(own);
        takeSeed();
    }

    private void await(int own) {
        for (int yields = 0; yields < YIELDS && running != own; yields++)
            Thread.yield();
        while (running != own)
            LockSupport.park(this);
    }

    private void keepSeed() {
        try {
            random = SEED.getLong(Thread.currentThread());
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private void takeSeed() {
        try {
            SEED.setLong(Thread.currentThread(), random);
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Let another one go on. Its thread is made at its first turn. */
    private void give(int next) {
        if (next > 0 && !begun[next]) {
            THREADS.execute(() -> perform(next));
            begun[next] = true;
        }
        running = next;
        LockSupport.unpark(threads.get(next));
    }

    private void perform(int own) {
        threads.set(own, Thread.currentThread());
        await(own);
        try {
            ThreadLocalRandom.current(); // the first use in a thread would overwrite the seed
            NUMBER.setLong(Thread.currentThread(), caller.getId());
            takeSeed();
            answers[own] = calls.get(own).answer();
        } catch (Throwable thrown) {
            answers[own] = thrown.getClass().getName();
        }
        keepSeed();
        end(own);
        for (int next = next(); next >= 0; next = next()) {
            try {
                give(next);
                return;
            } catch (Throwable thrown) { // it has no thread
                answers[next] = thrown.getClass().getName();
                end(next);
            }
        }
        running = OVER;
        LockSupport.unpark(caller);
    }

    private void end(int number) {
        seen.add(Arrays.asList(number, "end"));
        ended[number] = true;
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
