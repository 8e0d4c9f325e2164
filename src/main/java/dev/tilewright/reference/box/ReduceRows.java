package dev.tilewright.reference.box;

import java.lang.foreign.MemorySegment;

/**
 * Combines the rows of one box in shared memory with the tensor's elements, one element at a time, and skips what is
 * out of bounds. Cuts rows as a store does (measured on an H200).
 */
record ReduceRows(SharedRows layout, Clip clip, Combiner reduction, MemorySegment tensor, byte[] shared, int address)
        implements RowSink {
    private static final int HALF = 8;

    @Override
    public void inside(int row, int rows, long offset, long stride) {
        int from = address + row * layout.pitch();
        for (int i = 0; i < rows; i++, from += layout.pitch()) {
            long to = offset + i * stride;
            int x = layout.pattern(from);
            if (x == 0) {
                reduction.apply(shared, from + clip.first(), tensor, to + clip.first(), clip.end() - clip.first());
                continue;
            }
            // Eight bytes lie together under every swizzle, and no element is longer.
            for (int half = clip.first(); half < clip.end(); half += HALF) {
                reduction.apply(shared, from + half ^ x, tensor, to + half, HALF);
            }
        }
    }

    @Override
    public void outside(int row, int rows) {
        // Nothing is changed there.
    }
}
