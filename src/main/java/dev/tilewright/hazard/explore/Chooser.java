package dev.tilewright.hazard.explore;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/** Makes the choices of one step, so that all of them can be tried one after the other. */
final class Chooser {
    private int[] picks = new int[4];
    private int[] ways = new int[4];
    private int count;
    private int at;
    /** How it chooses where only one way is gone; null where all are. */
    private final IntUnaryOperator policy;

    /** For all ways, one after the other. */
    Chooser() {
        this(null);
    }

    /** For one way. @param policy chooses one of n */
    Chooser(IntUnaryOperator policy) {
        this.policy = policy;
    }

    /** One of n, from 0. */
    int pick(int n) {
        if (n <= 1) {
            return 0;
        }
        if (policy != null) {
            return policy.applyAsInt(n);
        }
        if (at == picks.length) {
            picks = Arrays.copyOf(picks, 2 * at);
            ways = Arrays.copyOf(ways, 2 * at);
        }
        if (at == count) {
            picks[at] = 0;
            ways[at] = n;
            count++;
        }
        return picks[at++];
    }

    /** Goes on to the next choices. @return false if all were tried */
    boolean next() {
        at = 0;
        while (count > 0 && ++picks[count - 1] == ways[count - 1]) {
            count--;
        }
        return count > 0;
    }
}
