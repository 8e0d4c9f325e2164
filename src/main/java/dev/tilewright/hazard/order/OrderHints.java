package dev.tilewright.hazard.order;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/** What a thread would know if steps were stronger, and which threads told it something: for findings to name. */
public final class OrderHints {
    /** Values of threads of other blocks that are remembered. */
    static final int MOST_OBSERVED = 16;
    static final int MOST_GAPS = 256;

    /** Oldest first; null for nothing. */
    private ArrayDeque<Gap> gaps;
    /** The last first; null for nothing. */
    private ArrayDeque<ObservedRelease> observed;

    /** The thread would know this, if a step were stronger. */
    public void misses(Gap gap) {
        if (gaps == null) {
            gaps = new ArrayDeque<>(4);
        }
        if (gaps.size() == MOST_GAPS) {
            gaps.removeFirst();
        }
        gaps.addLast(gap);
    }

    /** A thread of another block has told it something. */
    void learns(ObservedRelease value) {
        if (observed == null) {
            observed = new ArrayDeque<>(4);
        }
        if (observed.size() == MOST_OBSERVED) {
            observed.removeLast();
        }
        observed.addFirst(value);
    }

    /** What threads of other blocks told it, the last first. */
    public Collection<ObservedRelease> observed() {
        return observed == null ? List.of() : observed;
    }

    /**
     * What comes nearest to ordering what a thread did at a time before what follows; null for nothing.
     *
     * @param wanted which of them count
     */
    public Gap gapTo(ThreadClock other, int atTime, Predicate<Gap> wanted) {
        return gapTo(other.cluster(), other.slot(), atTime, wanted);
    }

    /**
     * What comes nearest to ordering what a thread, or an mbarrier's phase, did before what follows; null for nothing.
     */
    public Gap gapTo(ClusterClocks of, int ofSlot, int value, Predicate<Gap> wanted) {
        if (gaps == null) {
            return null;
        }
        Gap nearest = null;
        for (Gap gap : gaps) {
            if ((nearest == null || gap.reason().compareTo(nearest.reason()) <= 0)
                    && wanted.test(gap) && gap.missed().covers(of, ofSlot, value)) {
                nearest = gap;
            }
        }
        return nearest;
    }

    void forget() {
        gaps = null;
        observed = null;
    }
}
