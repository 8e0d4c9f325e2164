package dev.tilewright.reference.box;

import dev.tilewright.layout.Swizzle;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Moves the rows of one box from shared memory to the tensor, and skips what is out of bounds. Bits are copied
 * unchanged, those of TF32 types too (measured on an H200).
 */
record StoreRows(SharedRows layout, Clip clip, MemorySegment tensor, byte[] shared, int address) implements RowSink {
    @Override
    public void inside(int row, int rows, long offset, long stride) {
        int pitch = layout.pitch();
        int from = address + row * pitch;
        int first = clip.first();
        int bytes = clip.end() - first;
        Swizzle swizzle = layout.swizzle();
        boolean plain = swizzle == Swizzle.NONE;
        if (plain && bytes == pitch && stride == pitch) {
            MemorySegment.copy(shared, from, tensor, ValueLayout.JAVA_BYTE, offset, rows * pitch);
        } else if (plain && bytes >= RowWords.BULK) {
            for (int i = 0; i < rows; i++) {
                MemorySegment.copy(shared, from + i * pitch + first, tensor, ValueLayout.JAVA_BYTE,
                        offset + i * stride + first, bytes);
            }
        } else {
            RowWords.store(shared, from, pitch, swizzle, first, bytes, rows, tensor, offset, stride);
        }
    }

    @Override
    public void outside(int row, int rows) {
        // Nothing is stored there.
    }
}
