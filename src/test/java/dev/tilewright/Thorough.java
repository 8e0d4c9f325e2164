package dev.tilewright;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * How much a test of drawn cases draws: usually a sample, and with {@code -Dtilewright.thorough=true} all of it.
 */
public final class Thorough {
    private static final boolean ON = Boolean.getBoolean("tilewright.thorough");

    /** Chosen, and said, where a test takes a share: other processes of tests print what is read. */
    private static final class Share {
        private static final int FIRST = Integer.getInteger("tilewright.first",
                ThreadLocalRandom.current().nextInt(1000));

        static {
            System.err.println("Of tests of which an ordinary run takes a share, -Dtilewright.first=" + FIRST
                    + " takes these again.");
        }
    }

    private Thorough() {
    }

    /** The first in an ordinary run, the second in a thorough one. */
    public static int of(int usual, int thorough) {
        return ON ? thorough : usual;
    }

    /** One in so many; each one where a property, or its {@code .from}, asks for certain ones. */
    public static int oneIn(String property, int usual) {
        return System.getProperty(property) == null && System.getProperty(property + ".from") == null ? usual : 1;
    }

    /** Takes one in so many of those that it is asked about, other ones each time; in a thorough run all. */
    public static Predicate<Object> share(int oneIn) {
        AtomicInteger asked = new AtomicInteger();
        return _ -> takes(asked.getAndIncrement(), oneIn);
    }

    /** Whether it is this one's turn: ordinary runs take one in so many, other ones each time, thorough ones all. */
    public static boolean takes(long number, int oneIn) {
        return ON || Math.floorMod(number + Share.FIRST, oneIn) == 0;
    }
}
