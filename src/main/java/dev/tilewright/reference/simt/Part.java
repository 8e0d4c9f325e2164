package dev.tilewright.reference.simt;

import dev.tilewright.reference.state.Mbarrier;

/**
 * Live threads of a block, one behind the other without a gap, that are at the same place: together, or one that goes
 * alone.
 */
final class Part {

    /** What it does when its turn comes, or what its turn has come to. */
    enum State {
        /** Goes on together. */
        TOGETHER,
        /** Tries a wait together that did not pass. */
        WAITING,
        /** One thread, whose own state says the rest. */
        ALONE,
        /** Together at a block-wide barrier, which counts them. */
        AT_SYNC,
        // What a turn has come to:
        /** Each goes alone now. */
        PARTS,
        /** Goes on when those before it have done what they do alone. */
        LATER,
        ARRIVES,
        WAITS,
        ENDS
    }

    int from;
    int until;
    int pc;
    State state;
    /** Whether its threads have done anything in their turn, as far as that has come; they have done alike. */
    boolean moved;
    /** The barrier of the wait that did not pass. */
    Mbarrier waitsFor;

    Part(int from, int until, int pc, State state, boolean moved) {
        this.from = from;
        this.until = until;
        this.pc = pc;
        this.state = state;
        this.moved = moved;
    }

    int size() {
        return until - from;
    }

    /**
     * Whether this part and the next one of a list may become one: they are at the same place, and no lane lies between
     * them. A lane that does has ended, or it would be in a part of its own; were it taken in, it would go on with what
     * its slots held when it ended.
     */
    boolean continuesIn(Part next) {
        return until == next.from && pc == next.pc;
    }
}
