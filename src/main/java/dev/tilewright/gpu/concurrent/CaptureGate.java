package dev.tilewright.gpu.concurrent;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Keeps captures and what waits for all streams apart. A context's legacy default stream stands for all ordinary
 * streams, so CUDA refuses it while one of them is captured (CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) and spoils the
 * capture, whichever thread asked; likewise cuCtxSynchronize while any stream is, even a non-blocking one and even in
 * relaxed mode (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED; measured on an H200, driver 580). Here the one waits for the
 * other instead: captures take microseconds. A capture that waits for a thread which waits here would never end: that
 * thread is refused after a while, and told who captures and what that one does. Safe for use by several threads;
 * going in and out allocates nothing.
 */
public final class CaptureGate {
    /** How long a use waits for captures that do not end, as one that waits for the user's thread does not. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);
    /** A use that has waited so long comes before captures that have not begun, which would else keep it out. */
    private static final long STARVING = TimeUnit.MILLISECONDS.toNanos(50);
    /** So long at most, for a capture that has begun may wait for one that has not. */
    private static final long DEFERENCE = TimeUnit.SECONDS.toNanos(1);
    private static final long ONE_CAPTURE = 1L << 32;

    /** Captures that are under way, or wait for their beginning, above; uses that are under way below. */
    private final AtomicLong state = new AtomicLong();
    /** The threads that capture, and how often: such a one would wait for itself. */
    private final Map<Thread, Integer> capturing = new ConcurrentHashMap<>();
    /** Uses that have waited for long. */
    private final AtomicInteger starving = new AtomicInteger();
    private final String refusal;
    private final String remedy;
    private final long patience;

    /**
     * @param refusal why a use has to wait: {@code the default stream waits for ..., and one of them}
     * @param remedy what to do instead
     */
    public CaptureGate(String refusal, String remedy) {
        this(refusal, remedy, PATIENCE);
    }

    /** @param patience nanoseconds that a use waits */
    public CaptureGate(String refusal, String remedy, long patience) {
        this.refusal = refusal;
        this.remedy = remedy;
        this.patience = patience;
    }

    /**
     * Before a use; must not be nested.
     *
     * @throws IllegalStateException if the calling thread captures, or captures do not end: one that waits for this
     *     thread never would
     */
    public void enter() {
        enter(patience);
    }

    /** Enters before a use, however long captures take to end. */
    public void enterAtLast() {
        enter(Long.MAX_VALUE);
    }

    private void enter(long mostNanoseconds) {
        long now = state.get();
        if (now >= ONE_CAPTURE || !state.compareAndSet(now, now + 1)) {
            enterSlowly(mostNanoseconds);
        }
    }

    private void enterSlowly(long most) {
        long begun = System.nanoTime();
        boolean starves = false;
        boolean interrupted = false;
        try {
            while (true) {
                long now = state.get();
                if (now < ONE_CAPTURE) {
                    if (state.compareAndSet(now, now + 1)) {
                        return;
                    }
                    continue;
                }
                requireNoneOfThisThread();
                long waited = System.nanoTime() - begun;
                if (waited >= most) {
                    throw tooLong(most);
                }
                if (waited >= STARVING && !starves) {
                    starves = true;
                    starving.incrementAndGet();
                }
                interrupted |= await(Math.min(most - waited, starves ? most : STARVING));
            }
        } finally {
            if (starves) {
                starving.decrementAndGet();
                changed();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Says which threads capture, and as the cause, what each does meanwhile. */
    private IllegalStateException tooLong(long most) {
        List<Thread> threads = List.copyOf(capturing.keySet());
        IllegalStateException e = new IllegalStateException(refusal + " is being captured"
                + (threads.isEmpty() ? "" : threads.stream().map(t -> name(t) + " (" + t.getState() + ")")
                        .collect(Collectors.joining(", ", " by ", "")))
                + ", which has not ended for " + TimeUnit.NANOSECONDS.toMillis(most) + " ms: " + remedy
                + "; a capture that waits for this thread never ends");
        for (Thread thread : threads) {
            Exception there = new Exception("what " + name(thread) + " does meanwhile");
            there.setStackTrace(thread.getStackTrace());
            e.addSuppressed(there);
        }
        return e;
    }

    private static String name(Thread thread) {
        return "thread " + (thread.getName().isEmpty() ? "#" + thread.threadId() : "'" + thread.getName() + "'");
    }

    /** Whether the calling thread captures. */
    public boolean isOfThisThread() {
        return capturing.containsKey(Thread.currentThread());
    }

    /** Refuses what would wait for a capture of the calling thread's own. */
    public void requireNoneOfThisThread() {
        if (isOfThisThread()) {
            throw new IllegalStateException(refusal + " is being captured by this thread: " + remedy);
        }
    }

    /** Waits until something has changed, or not so long. @return whether the thread was interrupted */
    private synchronized boolean await(long nanoseconds) {
        if (state.get() < ONE_CAPTURE) {
            return false;
        }
        try {
            TimeUnit.NANOSECONDS.timedWait(this, nanoseconds);
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    /** After a use: each {@link #enter} is followed by one. */
    public void leave() {
        if (state.decrementAndGet() >= ONE_CAPTURE) {
            changed();
        }
    }

    /**
     * Before a capture: later uses wait, earlier ones are waited for.
     *
     * @param thread the one that captures
     */
    public void beginCapture(Thread thread) {
        boolean interrupted = starving.get() > 0 && !capturing.containsKey(thread) && letOthersIn();
        state.addAndGet(ONE_CAPTURE);
        synchronized (this) {
            while ((int) state.get() > 0) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        capturing.merge(thread, 1, Integer::sum);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for uses that have waited for long. @return whether the thread was interrupted */
    private synchronized boolean letOthersIn() {
        long begun = System.nanoTime();
        boolean interrupted = false;
        for (long left = DEFERENCE; starving.get() > 0 && left > 0; left = DEFERENCE - (System.nanoTime() - begun)) {
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        return interrupted;
    }

    /** After a capture. @param thread the one that began it */
    public void endCapture(Thread thread) {
        capturing.computeIfPresent(thread, (_, times) -> times == 1 ? null : times - 1);
        state.addAndGet(-ONE_CAPTURE);
        changed();
    }

    private synchronized void changed() {
        notifyAll();
    }
}
