package dev.tilewright.reference.box;

import java.lang.foreign.MemorySegment;

/**
 * Copies from global memory that nothing writes to other global memory. A copy waits for the next one, and the two are
 * one where they are neighbours: pieces of a line become a longer one, boxes beside each other a wider one, and a box
 * as wide as the tensor a line. They are carried out in their order.
 */
public final class RowCopies {
    /** Bytes that wait at most, so that a run can be stopped soon. */
    private static final long MOST = 16 << 20;

    private final boolean wait;
    private MemorySegment from;
    private MemorySegment to;
    private long fromAt;
    private long toAt;
    private long fromStride;
    private long toStride;
    private long rows;
    private long bytes;

    /** @param wait whether copies may wait for the end of all blocks: none sees what another writes */
    public RowCopies(boolean wait) {
        this.wait = wait;
    }

    /** Copies rows, now or later. @param source as many rows as {@code target}, as long */
    public void copy(ByteRows source, ByteRows target) {
        if (!append(source, target)) {
            carryOut();
            from = source.memory();
            to = target.memory();
            fromAt = source.offset();
            toAt = target.offset();
            fromStride = source.stride();
            toStride = target.stride();
            rows = source.rows();
            bytes = source.bytes();
        }
        if (bytes == fromStride && bytes == toStride) {
            bytes *= rows;
            rows = 1;
        }
    }

    /** Adds rows to the end of the waiting rows. @return false if they are not neighbours */
    private boolean append(ByteRows source, ByteRows target) {
        long wider = bytes + source.bytes();
        boolean besides = from == source.memory() && to == target.memory() && rows == source.rows()
                && fromAt + bytes == source.offset() && toAt + bytes == target.offset()
                // Rows that overlap are copied one after the other, box by box.
                && (rows == 1 || fromStride == source.stride() && toStride == target.stride() && wider <= toStride);
        if (!besides || rows * wider > MOST) {
            return false;
        }
        bytes = wider;
        return true;
    }

    /** Nothing in the program tells whether copies happen now or at the end of all blocks. */
    public void mayWait() {
        if (!wait) {
            carryOut();
        }
    }

    /** Carries out what waits. */
    public void carryOut() {
        for (long i = 0; i < rows; i++) {
            MemorySegment.copy(from, fromAt + i * fromStride, to, toAt + i * toStride, bytes);
        }
        rows = 0;
        from = null;
        to = null;
    }
}
