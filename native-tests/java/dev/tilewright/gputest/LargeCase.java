package dev.tilewright.gputest;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.TensorRebind;
import dev.tilewright.layout.ElementType;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.SmallCase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A case of a preset that makes mistakes in the order of accesses show: more data than a GPU's second-level cache
 * holds, so that loads are slow; more blocks than run at once; many tiles for each block.
 */
final class LargeCase {
    private static final long BYTES = 64L << 20;
    /** Wide rows, a multiple of 16 bytes and of no usual tile. */
    private static final long ROW = 1036;
    private static final long MIDDLE = 21;

    private LargeCase() {
    }

    static CopyCase of(Preset preset) {
        CopyCase small = SmallCase.of(preset, Schedule.DEFAULT, ElementType.F32);
        int rank = small.shape().size();
        List<Long> inner = new ArrayList<>(Collections.nCopies(Math.max(0, rank - 2), MIDDLE));
        if (rank > 1) {
            inner.add(ROW);
        }
        long slice = inner.stream().reduce((long) ElementType.F32.bytes(), Math::multiplyExact);
        List<Long> shape = new ArrayList<>(List.of(BYTES / slice + (rank == 1 ? 3 : 0)));
        shape.addAll(inner);
        // A slab's band is a row of tiles, which is many by itself.
        int each = preset.mechanism() == TensorRebind.MECHANISM ? 1 : small.tilesPerBlock();
        return new CopyCase(preset, Schedule.DEFAULT, ElementType.F32, shape, each, small.scalarBits(), 7);
    }
}
