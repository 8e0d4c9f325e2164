package dev.tilewright.bench.suite;

import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * The copies of which a speed is demanded, each in the form that was found fastest on an H200: a line for each
 * mechanism. What counts is how many bytes are on their way in a multiprocessor, 32 to 56 KiB, in blocks that copy one
 * small tile.
 */
final class DemandedRows {
    private static final ElementType F32 = ElementType.F32;
    private static final ElementType I32 = ElementType.I32;
    private static final ElementType I64 = ElementType.I64;
    private static final IntFunction<GridPolicy> EACH_1 = _ -> GridPolicy.tilesEach(1);

    private DemandedRows() { }

    static List<CopyRow> all() {
        List<CopyRow> all = new ArrayList<>();
        all.add(row("cp-async-pipeline", 0.995, "cp-async-pipeline", F32, "stages=1 threads=256 tile=4096B", List.of(),
                EACH_1));
        all.add(row("cp-async-stages", 0.97, "cp-async-pipeline", F32,
                "stages=3 threads=256 tile=4096B walk=interleaved", List.of(),
                resident -> GridPolicy.waves(resident, 4)));
        all.add(shifted(row("cp-async-4", 0.90, "cp-async-pipeline", F32,
                "copy-bytes=4 stages=1 threads=256 tile=4096B", List.of(), EACH_1)));
        all.add(row("bulk-copy", 0.995, "bulk-copy", F32, "stages=5 tile=4096B", List.of(), EACH_1));
        all.add(row("tensor-copy", 0.99, "tensor-copy", F32, "stages=4 tile=8x1024B", List.of(4096L),
                EACH_1));
        // 4,088 columns of f32, and 4,084, whose rows begin in the middle of a sector of 32 bytes: as pairs, which a
        // box holds twice as many bytes of.
        all.add(row("tensor-copy-ragged", 0.99, "tensor-copy", I64, "stages=4 tile=4x2048B", List.of(2044L),
                EACH_1));
        all.add(row("tensor-copy-ragged", 0.99, "tensor-copy", I64, "stages=4 tile=1x2048B", List.of(2042L),
                EACH_1));
        all.add(row("tensor-copy-3d", 0.97, "tensor-copy-3d", F32, "stages=4 tile=2x8x256B", List.of(512L, 1024L),
                EACH_1));
        all.add(row("tensor-copy-4d", 0.97, "tensor-copy-4d", F32, "stages=4 tile=1x4x8x256B",
                List.of(32L, 32L, 1024L), EACH_1));
        all.add(row("tensor-copy-5d", 0.97, "tensor-copy-5d", F32, "stages=4 tile=1x1x4x8x256B",
                List.of(16L, 16L, 16L, 1024L), EACH_1));
        all.add(row("tensor-rebind", 0.95, "tensor-rebind", F32, "stages=4 tile=16x1024B blocks-per-slab=8",
                List.of(4096L), EACH_1));
        all.add(row("warp-specialised", 0.97, "bulk-add", I32,
                "stages=4 tile=4096B threads=160 roles=specialised", List.of(), EACH_1));
        return all;
    }

    /** @param inner extents of the shape but the outermost, which follows from the size */
    private static CopyRow row(String name, double demanded, String preset, ElementType type, String choices,
            List<Long> inner, IntFunction<GridPolicy> grid) {
        Schedule changes = Schedule.parse(choices);
        Map<String, String> parameters = inner.isEmpty() ? Map.of()
                : Map.of("rows", String.join("x", inner.stream().map(String::valueOf).toList()));
        long row = inner.stream().reduce(1L, Math::multiplyExact);
        return new CopyRow(name, parameters, Presets.named(preset).build(type, 1 + inner.size(), changes), bytes -> {
            List<Long> shape = new ArrayList<>(List.of(bytes / type.bytes() / row));
            shape.addAll(inner);
            return shape;
        }, resident -> changes.with(grid.apply(resident)), 0, demanded);
    }

    /** A row whose arrays begin and end 4 bytes further in. */
    private static CopyRow shifted(CopyRow row) {
        return new CopyRow(row.name(), row.parameters(), row.kernel(), row.shape(), row.schedule(), 4, row.demanded());
    }
}
