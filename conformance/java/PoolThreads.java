package org.apache.kafka.clients.producer.internals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;

/**
 * Threads that wait for the memory of one real BufferPool. Each step returns when all of them have their memory, or wait,
 * or have been refused: what they do is then settled, whatever the machine does.
 */
public final class PoolThreads {
    private static final int WAITS = 0, HAS_MEMORY = 1, GAVE_UP = 2, REFUSED = 3, TOO_LATE = 4;
    private static final long LONGEST_NANOS = 60_000_000_000L;
    private static final long NEVER_MS = Integer.MAX_VALUE;

    private final BufferPool pool;
    private final ReentrantLock lock;
    private final Deque<?> waiters;
    private final List<Request> requests = new ArrayList<>();

    /** Sizes are bytes. */
    public PoolThreads(long memory, int poolable) throws Exception {
        pool = new BufferPool(memory, poolable, new Metrics(), Time.SYSTEM, "group");
        lock = (ReentrantLock) PrivateField.of(BufferPool.class, "lock", null, "ReentrantLock ").get(pool);
        waiters = (Deque<?>) PrivateField.of(BufferPool.class, "waiters", null, "Deque<java.util.concurrent").get(pool);
    }

    /** A new thread asks for so many bytes, and waits for them so long, or without end (-1). */
    public void allocate(int size, long mostMs) {
        Request request = new Request(size, mostMs < 0 ? NEVER_MS : mostMs);
        requests.add(request);
        request.setDaemon(true);
        request.start();
        settle();
    }

    /** Return what a thread has got. */
    public void deallocate(int number) {
        pool.deallocate(requests.get(number).buffer);
        settle();
    }

    /** Have a thread that waits go away with nothing, as it does when its time has passed. */
    public void giveUp(int number) throws InterruptedException {
        requests.get(number).interrupt();
        join(number);
    }

    /** Refuse all that wait; nothing in a version whose pool cannot be closed. */
    public void close() throws Exception {
        for (java.lang.reflect.Method method : BufferPool.class.getMethods())
            if (method.getName().equals("close"))
                method.invoke(pool);
        settle();
    }

    /** Until a thread has ended. */
    public void join(int number) throws InterruptedException {
        requests.get(number).join();
        settle();
    }

    /** Free bytes, those that are not kept as buffers, threads that wait; then what has become of each. */
    public int[] state() {
        int[] state = new int[3 + requests.size()];
        state[0] = (int) pool.availableMemory();
        state[1] = (int) pool.unallocatedMemory();
        state[2] = pool.queued();
        for (int i = 0; i < requests.size(); i++)
            state[3 + i] = requests.get(i).outcome;
        return state;
    }

    private void settle() {
        long start = System.nanoTime();
        while (!isSettled()) {
            if (System.nanoTime() - start > LONGEST_NANOS)
                throw new IllegalStateException("threads that neither wait nor end");
            Thread.yield();
        }
    }

    /** Whoever is signalled leaves its condition at once, and has to get the lock before it is seen again. */
    private boolean isSettled() {
        lock.lock();
        try {
            int waiting = 0;
            for (Object condition : waiters)
                waiting += lock.getWaitQueueLength((Condition) condition);
            int alive = 0;
            for (Request request : requests)
                alive += request.outcome == WAITS ? 1 : 0;
            return waiting == alive && !lock.hasQueuedThreads();
        } finally {
            lock.unlock();
        }
    }

    private final class Request extends Thread {
        private final int size;
        private final long mostMs;
        private volatile ByteBuffer buffer;
        private volatile int outcome = WAITS;

        Request(int size, long mostMs) {
            this.size = size;
            this.mostMs = mostMs;
        }

        @Override
        public void run() {
            try {
                buffer = pool.allocate(size, mostMs);
                outcome = HAS_MEMORY;
            } catch (InterruptedException interrupted) {
                outcome = GAVE_UP;
            } catch (KafkaException refused) {
                // A closed pool refuses with this very class, and one without memory with another.
                outcome = refused.getClass() == KafkaException.class ? REFUSED : TOO_LATE;
            }
        }
    }
}
