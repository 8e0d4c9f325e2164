package dev.tilewright;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How much a test of drawn cases draws: usually a sample, which finds each fault that was seeded when its size was
 * chosen, and with {@code -Dtilewright.thorough=true} all of it.
 */
public final class Thorough {
    private static final boolean ON = Boolean.getBoolean("tilewright.thorough");
    private static final int FIRST = ThreadLocalRandom.current().nextInt(1 << 20);

    private Thorough() {
    }

    /** The first in an ordinary run, the second in a thorough one. */
    public static int of(int usual, int thorough) {
        return ON ? thorough : usual;
    }

    /** Whether it is this one's turn: ordinary runs take one in so many, other ones each time, thorough ones all. */
    public static boolean takes(long number, int oneIn) {
        return ON || Math.floorMod(number + FIRST, oneIn) == 0;
    }
}
