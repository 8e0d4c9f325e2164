package dev.tilewright.reference.simt;

/** A value of many threads at once; a condition is 1 or 0. */
@FunctionalInterface
interface LaneCode {

    /**
     * Computes it for the active lanes.
     *
     * @return the values by lane, of which those of active lanes count, to be read at once; null where all have
     *     the same, which is then {@link Lanes#same}
     * @throws ApartException if it may be a mistake for one of them
     */
    long[] of(Lanes lanes);
}
