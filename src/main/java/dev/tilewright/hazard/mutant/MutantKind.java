package dev.tilewright.hazard.mutant;

import java.util.Locale;

/** The ways in which one edit breaks a program. */
public enum MutantKind {
    /** A __syncthreads or a cluster's barrier is missing. */
    WITHOUT_SYNC,
    /** A wait is missing. */
    WITHOUT_WAIT,
    /** A fence is missing. */
    WITHOUT_FENCE,
    /** A group of copies is not closed. */
    WITHOUT_COMMIT,
    /** An arrival is missing. */
    WITHOUT_ARRIVAL,
    /** Bytes are not announced. */
    WITHOUT_EXPECT,
    /** A barrier is not initialised. */
    WITHOUT_INIT,
    /** A tensor map in memory is not published, not released or not acquired. */
    WITHOUT_MAP,
    /** A copy that a barrier counts is missing. */
    WITHOUT_LOAD,
    /** A guard is missing: all threads do what some should. */
    WITHOUT_GUARD,
    /** A wait lets one more group be pending. */
    SHALLOWER_WAIT,
    /** A wait for the whole of bulk stores waits for their reads only. */
    READ_ONLY_WAIT,
    /** 16 bytes too few are announced. */
    EXPECT_LESS,
    /** 16 bytes too many are announced. */
    EXPECT_MORE,
    /** A copy that a barrier counts moves 16 bytes fewer than announced. */
    LOAD_LESS,
    /** A wait is for the other parity. */
    FLIPPED_PARITY,
    /** A wait is for parity 0 every time. */
    CONSTANT_PARITY,
    /** A barrier's phase takes one arrival fewer. */
    FEWER_ARRIVALS,
    /** A barrier's phase takes one arrival more. */
    MORE_ARRIVALS,
    /** A named barrier is for a warp less. */
    FEWER_THREADS,
    /** A named barrier is for a warp more. */
    MORE_THREADS,
    /** An instruction that lanes perform together names one lane fewer. */
    FEWER_LANES,
    /** An instruction that lanes perform together names one lane more. */
    MORE_LANES,
    /** A step that orders others precedes the one that it should follow. */
    MOVED_EARLIER,
    /** A step that orders others follows the one that it should precede. */
    MOVED_LATER,
    /** A __syncthreads is in a guard, which some threads do not enter. */
    MOVED_INTO_GUARD,
    /** A stage of the ring is the next one. */
    NEXT_STAGE;

    /** As in a mutant's name: {@code without-wait}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
