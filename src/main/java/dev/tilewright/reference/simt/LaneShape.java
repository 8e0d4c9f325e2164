package dev.tilewright.reference.simt;

import java.util.Arrays;
import java.util.function.Predicate;

/**
 * A number for each thread of any block, computed from the thread's number and constants: addresses and coordinates are
 * such a shape and an offset that all lanes have alike. It is computed once, with what is asked of all its numbers.
 */
final class LaneShape {
    /** Never changed. */
    final long[] values;
    final long least;
    final long most;
    /** All bits that any of them has. */
    final long bits;
    /**
     * Bytes that lie between any two of them at least: the distance of the two that are nearest; 0 where two are the
     * same.
     */
    private long apart = -1;

    LaneShape(long[] values) {
        this.values = values;
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        long any = 0;
        for (long value : values) {
            min = Math.min(min, value);
            max = Math.max(max, value);
            any |= value;
        }
        least = min;
        most = max;
        bits = any;
    }

    /** How far the two are apart that are nearest. */
    long apart() {
        if (apart < 0) {
            long[] sorted = values.clone();
            Arrays.sort(sorted);
            long nearest = Long.MAX_VALUE;
            for (int i = 1; i < sorted.length; i++) {
                nearest = Math.min(nearest, sorted[i] - sorted[i - 1]);
            }
            // Numbers that are too far apart to be subtracted are far enough apart.
            apart = nearest < 0 ? 0 : nearest;
        }
        return apart;
    }

    /** What an operator made of a shape and a second operand, for those it was asked for last. */
    static final class Cache {
        private static final int SIZE = 4;
        private static final int MOST_FAILED = 64;

        private final LaneShape[] first = new LaneShape[SIZE];
        private final LaneShape[] second = new LaneShape[SIZE];
        private final long[] number = new long[SIZE];
        private final LaneShape[] made = new LaneShape[SIZE];
        private int next;
        private int failedSearches;

        /**
         * A shape that was made before, or is made now.
         *
         * @param b null where the second operand is the number k
         * @param make fills an array with it, unless it has to be computed otherwise
         * @return null where that is found, or where nothing is ever found again
         */
        LaneShape of(LaneShape a, LaneShape b, long k, Predicate<long[]> make) {
            for (int i = 0; i < SIZE; i++) {
                if (first[i] == a && second[i] == b && number[i] == k && made[i] != null) {
                    failedSearches = Math.max(0, failedSearches - 1);
                    return made[i];
                }
            }
            if (failedSearches >= MOST_FAILED) {
                return null;
            }
            failedSearches += 2;
            long[] values = new long[a.values.length];
            if (!make.test(values)) {
                return null;
            }
            first[next] = a;
            second[next] = b;
            number[next] = k;
            made[next] = new LaneShape(values);
            LaneShape shape = made[next];
            next = (next + 1) % SIZE;
            return shape;
        }
    }
}
