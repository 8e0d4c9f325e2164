package dev.tilewright.reference.simt;

/** A value of many threads at once; a condition is 1 or 0. */
@FunctionalInterface
interface LaneCode {

    /**
     * Computes it for the active lanes, which {@linkplain Lanes#goApart go apart} if it may be a mistake for one of
     * them; what comes of it counts for nothing then.
     *
     * @return the values by lane, of which those of active lanes count, to be read at once; null where all have
     *     the same, which is then {@link Lanes#same}
     */
    long[] of(Lanes lanes);

    /**
     * Computes it as a shape and an offset, which are then {@link Lanes#shape} and {@link Lanes#same}, or as one number
     * for all, the shape then being null; may have the lanes go apart, too.
     *
     * @return false if it is none, or may be a mistake for some lane, active or not; then only {@link #of} says
     */
    default boolean isShaped(Lanes lanes) {
        return false;
    }

    /** Says whether a value is a shape and an offset. */
    @FunctionalInterface
    interface Shaped {
        boolean find(Lanes lanes);
    }

    /** Code that is tried as a shape first. @param scratch the number of a column of its own */
    static LaneCode of(Shaped shaped, LaneCode otherwise, int scratch) {
        return new LaneCode() {
            @Override
            public long[] of(Lanes lanes) {
                return shaped.find(lanes) ? lanes.spread(scratch) : otherwise.of(lanes);
            }

            @Override
            public boolean isShaped(Lanes lanes) {
                return shaped.find(lanes);
            }
        };
    }
}
