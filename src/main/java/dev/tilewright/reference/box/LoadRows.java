package dev.tilewright.reference.box;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.reference.math.Tf32;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Moves the rows of one box from the tensor into shared memory, fills what is out of bounds, and rounds TF32 types.
 * Measured on an H200: the fill is zero bytes or 0x7FF7 in every 16-bit half, and is not rounded; gaps between rows
 * keep what they held.
 *
 * @param fill eight bytes of what goes where the tensor is not
 */
record LoadRows(SharedRows layout, Clip clip, long fill, boolean round, MemorySegment tensor, byte[] shared,
        int address) implements RowSink {
    private static final int CHUNK = SharedRows.CHUNK;

    @Override
    public void inside(int row, int rows, long offset, long stride) {
        int to = address + row * layout.pitch();
        boolean whole = clip.first() == 0 && clip.end() == layout.rowBytes();
        if (!whole) {
            for (int i = 0; i < rows; i++) {
                cutRow(offset + i * stride, to + i * layout.pitch());
            }
            return;
        }
        wholeRows(rows, offset, stride, to);
        if (round) {
            roundRows(rows, to);
        }
    }

    @Override
    public void outside(int row, int rows) {
        int to = address + row * layout.pitch();
        if (layout.areSolid()) {
            fill(to, to + rows * layout.pitch());
            return;
        }
        for (int i = 0; i < rows; i++, to += layout.pitch()) {
            for (int chunk = 0, x = layout.pattern(to); chunk < layout.rowBytes(); chunk += CHUNK) {
                RowWords.fillChunk(shared, to + chunk ^ x, fill);
            }
        }
    }

    private void wholeRows(int rows, long offset, long stride, int to) {
        int bytes = layout.rowBytes();
        Swizzle swizzle = layout.swizzle();
        if (swizzle == Swizzle.NONE && stride == bytes) {
            MemorySegment.copy(tensor, ValueLayout.JAVA_BYTE, offset, shared, to, rows * bytes);
        } else if (swizzle == Swizzle.NONE && bytes >= RowWords.BULK) {
            PrefetchingCopy.copy(tensor, offset, stride, rows, bytes, shared, to);
        } else {
            RowWords.load(tensor, offset, stride, rows, bytes, shared, to, layout.pitch(), swizzle);
        }
    }

    /** A row that is partly out of bounds. */
    private void cutRow(long from, int to) {
        int x = layout.pattern(to);
        for (int chunk = 0; chunk < layout.rowBytes(); chunk += CHUNK) {
            int at = to + chunk ^ x;
            int bytes = chunk < clip.first() ? 0 : Math.clamp(clip.end() - chunk, 0, CHUNK);
            if (bytes < CHUNK) {
                RowWords.fillChunk(shared, at, fill);
            }
            // Where the pattern exchanges the halves of a chunk, its second half lies first.
            copy(from + chunk, at, Math.min(bytes, 8));
            copy(from + chunk + 8, at ^ 8, bytes - 8);
        }
    }

    private void copy(long from, int to, int bytes) {
        if (bytes > 0) {
            MemorySegment.copy(tensor, ValueLayout.JAVA_BYTE, from, shared, to, bytes);
            if (round) {
                Tf32.round(shared, to, to + bytes);
            }
        }
    }

    private void roundRows(int rows, int to) {
        if (layout.areSolid()) {
            Tf32.round(shared, to, to + rows * layout.pitch());
            return;
        }
        for (int i = 0; i < rows; i++, to += layout.pitch()) {
            for (int chunk = 0, x = layout.pattern(to); chunk < layout.rowBytes(); chunk += CHUNK) {
                int at = to + chunk ^ x & -CHUNK;
                Tf32.round(shared, at, at + CHUNK);
            }
        }
    }

    private void fill(int from, int to) {
        if (fill == 0) {
            Arrays.fill(shared, from, to, (byte) 0);
        } else {
            RowWords.fill(shared, from, to, fill);
        }
    }
}
