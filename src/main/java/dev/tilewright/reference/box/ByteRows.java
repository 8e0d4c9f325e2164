package dev.tilewright.reference.box;

import dev.tilewright.layout.Swizzle;
import java.lang.foreign.MemorySegment;

/**
 * What a copy between global and shared memory moves, where it is as simple as this: rows of global memory, a stride
 * apart, which lie in shared memory one behind the other without a gap.
 *
 * @param offset of the first row's first byte in the memory
 * @param stride bytes from one row's first byte to the next row's
 * @param bytes of each row
 * @param swizzle how shared memory holds them
 */
public record ByteRows(MemorySegment memory, long offset, long stride, int rows, int bytes, Swizzle swizzle) {

    /** Bytes that lie together in global memory too. */
    public static ByteRows of(MemorySegment memory, long offset, int bytes) {
        return new ByteRows(memory, offset, bytes, 1, bytes, Swizzle.NONE);
    }

    /** Whether shared memory, at one address, holds both alike: what was loaded as one may be stored as the other. */
    public boolean liesAs(ByteRows other) {
        return rows == other.rows && bytes == other.bytes && swizzle == other.swizzle;
    }
}
