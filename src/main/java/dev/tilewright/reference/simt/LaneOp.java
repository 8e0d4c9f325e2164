package dev.tilewright.reference.simt;

/** An operation as many threads perform it at once. */
interface LaneOp {
    /** The active lanes have performed it and go on at two places: see {@link Lanes#splitFrom}. */
    int SPLIT = -1;
    /** Their turn is over: they are at a block-wide barrier. */
    int SYNC = -2;
    /** Their turn is over: they wait at an mbarrier, and try again when their turn comes. */
    int WAIT = -3;
    /** Their turn is over: they have ended. */
    int EXIT = -4;

    /**
     * Nothing has happened: each of them performs it alone, for what it has started before. It touches nothing
     * together.
     */
    int ALONE = -5;

    /**
     * Performs it for the active lanes, which {@linkplain Lanes#goApart go apart} if they must: what it returns does
     * not count then.
     *
     * @param pc the operation's own number
     * @return the number of the next operation, or how they do not go on
     */
    int run(Lanes lanes, int pc);

    /** Whether it touches something that other threads may touch: then it is not performed before its time. */
    boolean touches();
}
