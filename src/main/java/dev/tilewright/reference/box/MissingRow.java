package dev.tilewright.reference.box;

/**
 * Looks, before a copy moves anything, for the first row of a box that lies where no memory is, or none that may be
 * written.
 */
final class MissingRow implements RowSink {
    private final TensorMemory memory;
    private final Clip clip;
    private final boolean store;
    private int row = -1;
    private long offset;
    private boolean readOnly;

    MissingRow(TensorMemory memory, Clip clip, boolean store) {
        this.memory = memory;
        this.clip = clip;
        this.store = store;
    }

    /** Its number in the box; -1 if every row is there. */
    int row() {
        return row;
    }

    /** Where its first byte would be, counted from the map's address. */
    long offset() {
        return offset;
    }

    /** Whether there is memory, which must not be written. */
    boolean isReadOnly() {
        return readOnly;
    }

    @Override
    public void inside(int first, int rows, long start, long stride) {
        int bytes = clip.end() - clip.first();
        long touched = start + clip.first();
        if (row >= 0 || memory.isAtHome(touched, (rows - 1) * stride + bytes)) {
            return;
        }
        for (int i = 0; i < rows; i++) {
            TensorMemory.Place place = memory.find(touched + i * stride, bytes);
            readOnly = place != null && store && place.memory().isReadOnly();
            if (place == null || readOnly) {
                row = first + i;
                offset = touched + i * stride;
                return;
            }
        }
    }

    @Override
    public void outside(int first, int rows) {
        // Fill touches no memory of the tensor.
    }
}
