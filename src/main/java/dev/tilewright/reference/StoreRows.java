package dev.tilewright.reference;

import dev.tilewright.layout.Swizzle;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Moves the rows of one box from shared memory to the tensor, and skips what is out of bounds. Bits are copied unchanged,
 * those of TF32 types too (measured on an H200).
 */
final class StoreRows implements RowRuns {
    private static final int CHUNK = SharedRows.CHUNK;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final SharedRows layout;
    private final Clip clip;
    private final MemorySegment tensor;
    private final byte[] shared;
    private final int address;

    StoreRows(SharedRows layout, Clip clip, MemorySegment tensor, byte[] shared, int address) {
        this.layout = layout;
        this.clip = clip;
        this.tensor = tensor;
        this.shared = shared;
        this.address = address;
    }

    @Override
    public void inside(int row, int rows, long offset, long stride) {
        int from = address + row * layout.pitch();
        if (layout.swizzle() == Swizzle.NONE) {
            plainRows(rows, offset, stride, from);
        } else {
            swizzledRows(rows, offset, stride, from);
        }
    }

    @Override
    public void outside(int row, int rows) {
        // Nothing is stored there.
    }

    private void plainRows(int rows, long offset, long stride, int from) {
        int pitch = layout.pitch();
        int first = clip.first();
        int bytes = clip.end() - first;
        if (bytes == pitch && stride == pitch) {
            MemorySegment.copy(shared, from, tensor, ValueLayout.JAVA_BYTE, offset, rows * pitch);
            return;
        }
        for (int i = 0; i < rows; i++) {
            MemorySegment.copy(shared, from + i * pitch + first, tensor, ValueLayout.JAVA_BYTE, offset + i * stride + first, bytes);
        }
    }

    private void swizzledRows(int rows, long offset, long stride, int from) {
        int pitch = layout.pitch();
        int end = clip.end();
        for (int i = 0; i < rows; i++) {
            long to = offset + i * stride;
            int row = from + i * pitch;
            int x = layout.pattern(row);
            for (int chunk = clip.first(); chunk < end; chunk += CHUNK) {
                int at = row + chunk ^ x;
                tensor.set(WORD, to + chunk, (long) LONG.get(shared, at));
                tensor.set(WORD, to + chunk + 8, (long) LONG.get(shared, at ^ 8));
            }
        }
    }
}
