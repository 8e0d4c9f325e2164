package dev.tilewright.reference.simt;

/** What is made of two operands that are shapes with offsets, or numbers. */
abstract class TwoShapes implements LaneCode.Shaped {
    private final LaneCode left;
    private final LaneCode right;

    TwoShapes(LaneCode left, LaneCode right) {
        this.left = left;
        this.right = right;
    }

    @Override
    public final boolean find(Lanes lanes) {
        if (!left.isShaped(lanes)) {
            return false;
        }
        LaneShape a = lanes.shape;
        long offset = lanes.same;
        return right.isShaped(lanes) && find(a, offset, lanes.shape, lanes.same, lanes);
    }

    /**
     * Finds the shape of two known operands.
     *
     * @param a the left one's shape, null where that is the number {@code offset}
     * @param b the right one's shape, null where that is the number {@code k}
     */
    abstract boolean find(LaneShape a, long offset, LaneShape b, long k, Lanes lanes);
}
