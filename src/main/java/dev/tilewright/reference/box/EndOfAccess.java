package dev.tilewright.reference.box;

/** Measures how far into the tensor's memory a copy reaches, before it moves anything. */
final class EndOfAccess implements RowSink {
    private final int endOfRow;
    private long end;

    /** @param endOfRow one past the last byte of a row that is in bounds */
    EndOfAccess(int endOfRow) {
        this.endOfRow = endOfRow;
    }

    /** One past the last byte of the tensor's memory that is touched; 0 if none is. */
    long end() {
        return end;
    }

    @Override
    public void inside(int row, int rows, long offset, long stride) {
        // Element strides and byte strides are not negative: the last row reaches furthest.
        end = Math.max(end, Math.addExact(Math.addExact(offset, Math.multiplyExact(stride, rows - 1L)), endOfRow));
    }

    @Override
    public void outside(int row, int rows) {
        // Fill touches no memory of the tensor.
    }
}
