package dev.tilewright.reference.box;

/**
 * Takes the rows of a box from a {@link BoxTraversal}, in the order in which they lie in shared memory: row 0 first,
 * none left out. Rows come in runs, so that what they have in common is worked out once.
 */
interface RowSink {

    /**
     * Rows that are in bounds in every dimension but, perhaps, the one along the row.
     *
     * @param row number of the first row within the box
     * @param offset bytes from the tensor's start to the first row's first element, modulo 2^64; it may itself lie
     *     before the tensor
     * @param stride bytes from one row of the run to the next
     */
    void inside(int row, int rows, long offset, long stride);

    /** Rows that are out of bounds. */
    void outside(int row, int rows);
}
