package dev.tilewright.gpu;

/**
 * The capture that a stream takes part in. An object of its own, so that what gives the stream or its memory back can
 * ask without keeping the stream alive.
 */
final class CaptureSlot {
    private final boolean legacy;
    private volatile GraphCapture capture;
    private volatile boolean special;

    /** @param legacy whether the stream is the legacy default stream, which is never captured */
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

    /** Enters a capture. @return false if there is one already */
    synchronized boolean setIfNone(GraphCapture now) {
        if (capture != null) {
            return false;
        }
        set(now);
        return true;
    }

    /** Does something now, or when the capture has ended: what would else become a part of the graph, or spoil it. */
    void outside(Runnable action) {
        GraphCapture now = capture;
        if (now == null || !now.defer(action)) {
            action.run();
        }
    }
}
