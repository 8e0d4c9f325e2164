package dev.tilewright.bench.tune;

import dev.tilewright.bench.result.Spread;
import java.util.List;

/**
 * What a {@link Search} measures: candidates that do the same work.
 *
 * @param <C> a candidate
 */
interface Contest<C> {

    /** What came of making a candidate ready. */
    enum Entry {
        /** It can be measured: it made every byte as it has to be. */
        READY,
        /** Its choices do not go together, or the device cannot run it. */
        IMPOSSIBLE,
        /** It made wrong bytes. */
        WRONG
    }

    /** Tells of candidates that will be entered, in this order, so that it may make them ready ahead. */
    void announce(List<C> candidates);

    /** Makes a candidate ready and holds its output against what it has to be. */
    Entry enter(C candidate);

    /** Measures candidates that are ready, turn by turn. @return µs of each, in their order */
    List<Spread> measure(int turns, List<C> candidates);
}
