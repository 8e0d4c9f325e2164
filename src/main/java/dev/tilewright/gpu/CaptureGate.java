package dev.tilewright.gpu;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps captures and what waits for all streams apart. A context's legacy default stream stands for all ordinary
 * streams, so CUDA refuses it while one of them is captured (CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) and spoils the
 * capture, whichever thread asked; likewise cuCtxSynchronize while any stream is, even a non-blocking one and even in
 * relaxed mode (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED; measured on an H200, driver 580). Here the one waits for the
 * other instead: captures take microseconds. Safe for use by several threads; going in and out allocates nothing.
 */
final class CaptureGate {
    /** How long a use waits for captures that do not end. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);
    private static final long ONE_CAPTURE = 1L << 32;

    /** Captures that are under way, or wait for their beginning, above; uses that are under way below. */
    private final AtomicLong state = new AtomicLong();
    /** The threads that capture, and how often: such a one would wait for itself. */
    private final Map<Thread, Integer> capturing = new ConcurrentHashMap<>();
    private final String refusal;
    private final String remedy;
    private final long patience;

    /**
     * @param refusal why a use has to wait: {@code the default stream waits for ..., and one of them}
     * @param remedy what to do instead
     */
    CaptureGate(String refusal, String remedy) {
        this(refusal, remedy, PATIENCE);
    }

    /** @param patience nanoseconds that a use waits */
    CaptureGate(String refusal, String remedy, long patience) {
        this.refusal = refusal;
        this.remedy = remedy;
        this.patience = patience;
    }

    /** Before a use; must not be nested. @throws IllegalStateException if captures do not end */
    void enter() {
        long now = state.get();
        if (now >= ONE_CAPTURE || !state.compareAndSet(now, now + 1)) {
            enterSlowly();
        }
    }

    private void enterSlowly() {
        long deadline = 0;
        boolean interrupted = false;
        while (true) {
            long now = state.get();
            if (now < ONE_CAPTURE) {
                if (state.compareAndSet(now, now + 1)) {
                    break;
                }
                continue;
            }
            long time = System.nanoTime();
            deadline = deadline == 0 ? time + patience : deadline;
            if (capturing.containsKey(Thread.currentThread()) || deadline - time <= 0) {
                throw new IllegalStateException(refusal + " is being captured"
                        + (deadline - time <= 0 ? " for too long: " : " by this thread: ") + remedy);
            }
            interrupted |= await(deadline - time);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Refuses what would wait for a capture of the calling thread's own. */
    void requireNoneOfThisThread() {
        if (capturing.containsKey(Thread.currentThread())) {
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

    /** After it. */
    void leave() {
        if (state.decrementAndGet() >= ONE_CAPTURE) {
            changed();
        }
    }

    /**
     * Before a capture: later uses wait, earlier ones are waited for.
     *
     * @param thread the one that captures
     */
    void beginCapture(Thread thread) {
        state.addAndGet(ONE_CAPTURE);
        boolean interrupted = false;
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

    /** After it. @param thread the one that began it */
    void endCapture(Thread thread) {
        capturing.computeIfPresent(thread, (_, times) -> times == 1 ? null : times - 1);
        state.addAndGet(-ONE_CAPTURE);
        changed();
    }

    private synchronized void changed() {
        notifyAll();
    }
}
