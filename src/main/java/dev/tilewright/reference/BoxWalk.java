package dev.tilewright.reference;

import dev.tilewright.tensormap.TiledTensorMap;

/**
 * The rows that a box visits in global memory, in the order in which they lie in shared memory: dimension 1 fastest.
 * Offsets are bytes from the map's global address; a row is described by the bytes of it that are in bounds.
 */
final class BoxWalk {
    /** The offset of a row that is out of bounds in some dimension beyond the first. */
    static final long OUTSIDE = Long.MIN_VALUE;

    private final int rank;
    private final long[] dims;
    private final long[] strides;
    private final int[] counts;
    private final int[] steps;
    private final int elementBytes;
    private final int rowBytes;

    BoxWalk(TiledTensorMap map) {
        rank = map.rank();
        elementBytes = map.type().bytes();
        rowBytes = map.rowBytes();
        dims = map.dims().stream().mapToLong(Long::longValue).toArray();
        strides = new long[rank];
        counts = new int[rank];
        steps = new int[rank];
        for (int d = 0; d < rank; d++) {
            strides[d] = d == 0 ? elementBytes : map.strides().get(d - 1);
            counts[d] = map.boxElements(d);
            steps[d] = d == 0 ? 1 : map.elementStrides().get(d);
        }
    }

    /** The first byte of each box row that is not before the tensor. */
    int firstByte(int[] coordinates) {
        return Math.clamp(-(long) coordinates[0] * elementBytes, 0, rowBytes);
    }

    /** One past the last byte of each box row that lies before the limit, itself in bytes from the tensor row's start. */
    int endByte(int[] coordinates, long limit) {
        return Math.clamp(limit - (long) coordinates[0] * elementBytes, 0, rowBytes);
    }

    /**
     * One past the last byte of the tensor that the box touches; 0 if it touches none.
     *
     * @throws ArithmeticException if an offset does not fit 64 bits
     */
    long endOfAccess(int[] coordinates, long limit) {
        int end = endByte(coordinates, limit);
        if (firstByte(coordinates) >= end) {
            return 0;
        }
        long offset = (long) coordinates[0] * elementBytes + end;
        for (int d = 1; d < rank; d++) {
            long room = dims[d] - 1 - coordinates[d];
            long last = Math.min(counts[d] - 1, Math.floorDiv(room, steps[d]));
            long at = coordinates[d] + last * steps[d];
            if (last < 0 || at < 0) {
                return 0;
            }
            offset = Math.addExact(offset, Math.multiplyExact(at, strides[d]));
        }
        return offset;
    }

    /** Whether everything that the box touches below the limit lies in this many bytes. */
    boolean fits(int[] coordinates, long bytes, long limit) {
        return endOfAccess(coordinates, limit) <= bytes;
    }

    /** Starts a walk over all rows. */
    Rows rows(int[] coordinates) {
        return new Rows(coordinates);
    }

    /** A walk over the rows of one box. */
    final class Rows {
        private final int[] coordinates;
        private final int[] index = new int[rank];
        private boolean started;

        private Rows(int[] coordinates) {
            this.coordinates = coordinates;
        }

        /** Moves to the next row; the first call moves to the first. @return false when there is none */
        boolean next() {
            if (!started) {
                started = true;
                return true;
            }
            for (int d = 1; d < rank; d++) {
                if (++index[d] < counts[d]) {
                    return true;
                }
                index[d] = 0;
            }
            return false;
        }

        /** Byte offset of the row's first element, which may itself lie before the tensor; {@link #OUTSIDE} if the row does. */
        long offset() {
            long offset = (long) coordinates[0] * elementBytes;
            for (int d = 1; d < rank; d++) {
                long at = coordinates[d] + (long) index[d] * steps[d];
                if (at < 0 || at >= dims[d]) {
                    return OUTSIDE;
                }
                offset += at * strides[d];
            }
            return offset;
        }
    }
}
