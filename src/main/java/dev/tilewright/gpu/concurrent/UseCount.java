package dev.tilewright.gpu.concurrent;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The calls that use one object, which any thread may close at any moment. A user counts itself in before its call and
 * out afterwards; a closer refuses later users and waits for the counted ones, so the driver never gets a freed object.
 * A call may take long, such as a wait: only closing this very object waits for it, whereas {@link CallsInProgress}
 * counts the quick calls of a whole device. Safe for use by several threads.
 */
public final class UseCount {
    /** Set when it has ended; the rest is the number of uses. */
    private static final int ENDED = 1 << 31;

    private final AtomicInteger state = new AtomicInteger();

    /** Counts a use. @return false if it has ended: then there is nothing to {@link #leave} */
    public boolean enter() {
        return state.getAndUpdate(now -> now < 0 ? now : now + 1) >= 0;
    }

    /** After a use. */
    public void leave() {
        state.decrementAndGet();
    }

    /** Makes a call that uses it, or another if it has ended. @return the call's result */
    public <T> T during(Supplier<T> call, Supplier<T> otherwise) {
        if (!enter()) {
            return otherwise.get();
        }
        try {
            return call.get();
        } finally {
            leave();
        }
    }

    public boolean haveEnded() {
        return state.get() < 0;
    }

    /** Refuses all uses from now on. */
    public void refuse() {
        state.getAndUpdate(now -> now | ENDED);
    }

    /** Waits for the uses that have begun. An interrupt does not end the wait. */
    public void awaitEnd() {
        Waiting.until(() -> (state.get() & ~ENDED) == 0);
    }
}
