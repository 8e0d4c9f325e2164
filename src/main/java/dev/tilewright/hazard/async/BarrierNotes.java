package dev.tilewright.hazard.async;

/** What went wrong, or may have, at an mbarrier: for findings to name. */
public final class BarrierNotes {
    /**
     * Bytes were announced, without an arrival, by a thread that had arrived for the phase before and has not waited
     * for its end.
     *
     * @param phase that got them
     */
    public record LateAnnouncement(long phase, int step) { }

    /**
     * A phase was complete without all bytes of its copies.
     *
     * @param step the one at fault
     * @param copy the last of its copies
     */
    public record ShortPhase(long phase, int step, CopyCompletion copy) { }

    private boolean blamed;
    private PassedWait vainWait;
    private boolean overran;
    private LateAnnouncement lateAnnouncement;
    private ShortPhase shortPhase;

    /** Whether a finding already says that the barrier's phases need not be the ones that its threads mean. */
    public boolean isBlamed() {
        return blamed;
    }

    public void blame() {
        blamed = true;
    }

    /** A wait for a parity passed without teaching anything. */
    public void passedInVain(PassedWait wait) {
        vainWait = wait;
    }

    /** The last wait for a parity that passed without teaching anything; null for none. */
    public PassedWait vainWait() {
        return vainWait;
    }

    /** Phases completed that a thread still waited for one after the other. */
    public void overrun() {
        overran = true;
    }

    public boolean overran() {
        return overran;
    }

    public void announcedLate(LateAnnouncement late) {
        lateAnnouncement = late;
    }

    /** Null for none. */
    public LateAnnouncement lateAnnouncement() {
        return lateAnnouncement;
    }

    void endsShort(ShortPhase phase) {
        shortPhase = phase;
    }

    /** The last phase that was complete without all bytes of its copies; null for none. */
    public ShortPhase shortPhase() {
        return shortPhase;
    }

    /** A finding has said what was wrong with the short phase. */
    public void forgetShortPhase() {
        shortPhase = null;
    }
}
