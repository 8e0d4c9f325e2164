package dev.tilewright.reference.schedule;

/**
 * Counts rounds over threads, in each of which a thread has one turn or none, and tells rounds in which threads only
 * repeat loops: they may wait for what lands by itself on a GPU, or for what another cluster does. Every runner of
 * threads counts here, however many threads take their turns at once, so that copies land in the same round.
 */
public final class Rounds {
    /** Rounds in which threads do no more than repeat loops, before others have their turn. */
    private static final int MOST_ONLY_REPEATED = 3;
    /** Rounds in which some thread repeats a loop, before others have it: who meet in a loop repeat it by turns. */
    private static final int MOST_REPEATED = 64;

    private int onlyRepeated;
    private int repeated;
    private boolean moved;
    private boolean anyRepeats;
    private boolean onlyRepeats;

    /** Counts from nothing, for other threads. */
    public void restart() {
        onlyRepeated = 0;
        repeated = 0;
    }

    /** A round begins. */
    public void begin() {
        moved = false;
        anyRepeats = false;
        onlyRepeats = true;
    }

    /**
     * A thread's turn in this round is over, or the turns of several that did alike.
     *
     * @param did whether it did anything
     * @param repeats whether it ended where a loop is repeated
     */
    public void turnEnds(boolean did, boolean repeats) {
        moved |= did;
        anyRepeats |= repeats;
        onlyRepeats &= !did || repeats;
    }

    /** Whether any thread did anything in this round, so far. */
    public boolean moved() {
        return moved;
    }

    /** The round is over. @return whether loops have been repeated often enough; then it counts from nothing again */
    public boolean areEnough() {
        // A round in which none moves comes between those in which a loop tests a barrier, and counts for neither.
        onlyRepeated = onlyRepeats ? onlyRepeated + (moved ? 1 : 0) : 0;
        repeated += anyRepeats ? 1 : 0;
        boolean enough = onlyRepeated == MOST_ONLY_REPEATED || repeated == MOST_REPEATED;
        if (enough) {
            restart();
        }
        return enough;
    }
}
