package dev.tilewright.gpu;

import dev.tilewright.gpu.concurrent.CallsInProgress;
import dev.tilewright.gpu.concurrent.CaptureGate;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The capture that a stream takes part in, or that an event was recorded in, and the calls that must not meet one: to
 * wait for a stream that is being captured, to ask for it, or to allocate in it, is refused by the driver and spoils
 * the capture (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED). Who makes such a call counts it first and looks for a capture
 * afterwards; who begins a capture sets it first and waits for the calls that were counted before. So a call that has
 * seen none does not meet one. Counting allocates nothing. Prepared launches are not counted here but in
 * {@link CallsInProgress}, as they are anyway.
 *
 * <p>While a call is counted, its thread must not wait for a {@link CaptureGate}, nor for the lock of a
 * {@link GraphCapture}: a capture that begins holds both, and waits for it.
 *
 * <p>An object of its own, so that what gives the stream or its memory back can ask without keeping the stream alive.
 */
final class CaptureSlot {
    private final boolean legacy;
    /** Calls in flight that must not meet a capture. */
    private final AtomicInteger calls = new AtomicInteger();
    private volatile GraphCapture capture;
    private volatile boolean special;

    /** @param legacy whether it is the legacy default stream's, which is never captured */
    CaptureSlot(boolean legacy) {
        this.legacy = legacy;
        this.special = legacy;
    }

    /** Whether work for the stream needs more than the driver's call: the one question of a launch. */
    boolean isSpecial() {
        return special;
    }

    /** The capture; null for none. */
    GraphCapture get() {
        return capture;
    }

    void set(GraphCapture now) {
        capture = now;
        special = legacy || now != null;
    }

    /** Enters a capture; {@link #awaitCalls} comes next. @return false if there is one already */
    synchronized boolean setIfNone(GraphCapture now) {
        if (capture != null) {
            return false;
        }
        set(now);
        return true;
    }

    /** Before a call that must not meet a capture. @return false if there is one: then there is nothing to leave */
    boolean enter() {
        if (legacy) {
            return true;
        }
        // Who comes after the capture is set is not counted, so that those who ask again and again do not keep it
        // waiting.
        if (capture != null) {
            return false;
        }
        calls.incrementAndGet();
        if (capture == null) {
            return true;
        }
        leave();
        return false;
    }

    /** After a call that {@link #enter} let begin. */
    void leave() {
        if (!legacy && calls.decrementAndGet() == 0 && capture != null) {
            synchronized (this) {
                notifyAll();
            }
        }
    }

    /** Waits for the calls that have not seen the capture. An interrupt does not end the wait. */
    void awaitCalls() {
        boolean interrupted = false;
        synchronized (this) {
            while (calls.get() > 0) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Does something outside of captures, or else in the one there is: none begins or ends meanwhile. */
    void perform(Runnable outside, Consumer<GraphCapture> inside) {
        while (true) {
            if (enter()) {
                try {
                    outside.run();
                } finally {
                    leave();
                }
                return;
            }
            GraphCapture now = capture;
            if (now != null && now.put(() -> inside.accept(now))) {
                return;
            }
        }
    }

    /** Does something now, or when the capture has ended: what would else become a part of the graph, or spoil it. */
    void outside(Runnable action) {
        while (true) {
            if (enter()) {
                try {
                    action.run();
                } finally {
                    leave();
                }
                return;
            }
            GraphCapture now = capture;
            // By the time this one has ended, the next may have begun.
            if (now != null && now.defer(() -> outside(action))) {
                return;
            }
            if (now != null && now.isOfClosedContext()) {
                action.run();
                return;
            }
        }
    }
}
