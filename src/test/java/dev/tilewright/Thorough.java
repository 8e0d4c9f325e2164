package dev.tilewright;

/**
 * How much a test of drawn cases draws: usually a sample, which finds each fault that was seeded when its size was
 * chosen, and with {@code -Dtilewright.thorough=true} all of it.
 */
public final class Thorough {
    private static final boolean ON = Boolean.getBoolean("tilewright.thorough");

    private Thorough() {
    }

    /** The first in an ordinary run, the second in a thorough one. */
    public static int of(int usual, int thorough) {
        return ON ? thorough : usual;
    }
}
