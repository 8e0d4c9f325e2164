package dev.tilewright.tensormap;

import dev.tilewright.tensormap.sm90.Sm90Layout;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** What the fields of {@link Sm90Layout} are for a description. Allocates nothing. */
final class Sm90Writer {
    private Sm90Writer() { }

    /** Writes the 128 bytes of a valid map. */
    static void write(TiledTensorMap map, long address, MemorySegment to) {
        List<Integer> box = map.box();
        List<Integer> steps = map.elementStrides();
        int rank = map.rank();
        long boxes = 0;
        long elements = 1;
        for (int d = 0; d < rank; d++) {
            int extent = box.get(d);
            boxes |= (long) (extent - 1) << 8 * d;
            elements *= extent / steps.get(d);
        }
        int flags = Sm90Layout.flags(map.type(), map.interleave().cudaValue(), map.swizzle(),
                map.l2Promotion().cudaValue(),
                map.fill() == OobFill.NAN);
        Sm90Layout.write(flags, map.dims(), map.strides(), steps, map.swizzle(), address, boxes & 0xFF, boxes >>> 8, 0,
                elements * map.type().bytes(), to);
    }

    /** Writes the 128 bytes of a valid map. */
    static void write(Im2colTensorMap map, long address, MemorySegment to) {
        List<Integer> lower = map.lower();
        List<Integer> upper = map.upper();
        int bits = Sm90Layout.cornerBits(map.rank());
        int mask = (1 << bits) - 1;
        long corners = 0;
        for (int s = 0; s < lower.size(); s++) {
            corners |= ((lower.get(s) & mask) | (long) (upper.get(s) & mask) << 16) << bits * s;
        }
        int flags = Sm90Layout.IM2COL | Sm90Layout.flags(map.type(), map.interleave().cudaValue(), map.swizzle(),
                map.l2Promotion().cudaValue(), map.fill() == OobFill.NAN);
        Sm90Layout.write(flags, map.dims(), map.strides(), map.elementStrides(), map.swizzle(), address,
                map.channels() - 1, corners, map.pixels() - 1,
                (long) map.pixels() * map.channels() * map.type().bytes(), to);
    }
}
