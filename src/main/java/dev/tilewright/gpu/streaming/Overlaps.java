package dev.tilewright.gpu.streaming;

import java.lang.foreign.MemorySegment;

/**
 * Refuses memory that is read and written, or written twice, in a way that depends on which slab is done first. A
 * source that is the very memory of a target is fine: a slab is written after it has been read, and no other slab reads
 * it.
 */
final class Overlaps {

    private Overlaps() { }

    static void refuse(Rows rows) {
        for (int o = 0; o < rows.outputs().size(); o++) {
            Rows.Out out = rows.outputs().get(o);
            MemorySegment written = out.target().memory();
            for (Rows.In in : rows.inputs()) {
                MemorySegment read = in.source().memory();
                if (overlap(read, written) && !(isSame(read, written) && in.rowBytes() == out.rowBytes())) {
                    throw new IllegalArgumentException("the result overlaps a source, but not row by row: "
                            + "it must be exactly the source, with rows as long, or lie elsewhere");
                }
            }
            for (int other = 0; other < o; other++) {
                if (overlap(rows.outputs().get(other).target().memory(), written)) {
                    throw new IllegalArgumentException("the targets " + other + " and " + o + " overlap");
                }
            }
        }
    }

    private static boolean overlap(MemorySegment one, MemorySegment other) {
        return one != null && other != null && one.asOverlappingSlice(other).isPresent();
    }

    private static boolean isSame(MemorySegment one, MemorySegment other) {
        return one.byteSize() == other.byteSize() && one.asOverlappingSlice(other).orElseThrow().byteSize()
                == one.byteSize();
    }
}
