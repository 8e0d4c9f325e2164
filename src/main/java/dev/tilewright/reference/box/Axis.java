package dev.tilewright.reference.box;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException;

/**
 * One dimension of a tensor as a copy walks along it.
 *
 * @param size elements of the dimension
 * @param step elements from one row to the next: the element stride
 * @param stride bytes between neighbours
 */
record Axis(long size, int step, long stride) {

    /** A dimension that is not there. */
    static final Axis NONE = new Axis(1, 1, 0);

    Axis {
        if (step < 1) {
            throw new Fault(ReferenceException.Kind.BAD_SIZE,
                    "an element stride is " + step + ", it must be in [1, 8]");
        }
    }

    boolean holds(long at) {
        return at >= 0 && at < size;
    }

    /** The byte offset of an element, modulo 2^64 as the hardware adds. @param base that of the element 0 */
    long offset(long base, long at) {
        return base + at * stride;
    }

    /**
     * Hands on rows that lie along this dimension. @param base byte offset of the row at 0 @param start the first one's
     * place
     */
    void run(long base, long start, int row, int rows, RowSink to) {
        int first = before(0, start, rows);
        int end = before(size, start, rows);
        if (first > 0) {
            to.outside(row, first);
        }
        if (first < end) {
            to.inside(row + first, end - first, offset(base, start + (long) first * step), step * stride);
        }
        if (end < rows) {
            to.outside(row + end, rows - end);
        }
    }

    /** How many of the places start, start + step and so on come before the limit. */
    private int before(long limit, long start, int rows) {
        return start >= limit ? 0 : (int) Math.min(Math.ceilDiv(limit - start, (long) step), rows);
    }
}
