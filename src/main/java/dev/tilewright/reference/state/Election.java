package dev.tilewright.reference.state;

/**
 * Which lane {@code elect.sync} chooses. The ISA leaves that open, and asks only that it is the same one for the same
 * mask every time (PTX ISA, "elect.sync"). GPUs have been seen to choose the lowest, so that a kernel which counts on
 * lane 0 is right on them until one does not: here it is never the lowest where there is another.
 */
@FunctionalInterface
public interface Election {

    /** In the fixed order of events: the highest lane. */
    Election HIGHEST = mask -> Integer.SIZE - 1 - Integer.numberOfLeadingZeros(mask);

    /** @param mask of the lanes that take part, at least one */
    int lane(int mask);

    /** Chosen by a seed. */
    static Election of(long seed) {
        return mask -> {
            int lowest = Integer.lowestOneBit(mask);
            int others = mask == lowest ? mask : mask ^ lowest;
            long mixed = (seed ^ mask) * 0x9E3779B97F4A7C15L;
            int skipped = (int) Long.remainderUnsigned(mixed ^ mixed >>> 32, Integer.bitCount(others));
            for (int i = 0; i < skipped; i++) {
                others &= others - 1;
            }
            return Integer.numberOfTrailingZeros(others);
        };
    }
}
