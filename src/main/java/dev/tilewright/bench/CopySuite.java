package dev.tilewright.bench;

import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.CpAsyncPipeline;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.builder.TensorRebind;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** The kernels whose copying speed is measured: the builders' defaults, or a sweep over tiles, stages and grids. */
public final class CopySuite {
    private static final int COLUMNS = 4096;

    private CopySuite() {
    }

    /** The builders as they are when a user chooses nothing. */
    public static List<CopyBenchmark.Row> defaults(CopyBenchmark benchmark, long bytes) {
        List<CopyBenchmark.Row> rows = new ArrayList<>(List.of(benchmark.memcpy()));
        List<Long> flat = List.of(bytes / 4);
        List<Long> matrix = List.of(bytes / 4 / COLUMNS, (long) COLUMNS);
        IntFunction<GridPolicy> one = resident -> GridPolicy.tilesEach(1);
        rows.add(benchmark.copy("cp-async-pipeline", CpAsyncPipeline.of(ElementType.F32).build(), flat, one));
        rows.add(benchmark.copy("bulk-copy", BulkCopy.of(ElementType.F32).build(), flat, one));
        rows.add(benchmark.copy("tensor-copy", TensorCopy.of(ElementType.F32).build(), matrix, one));
        rows.add(benchmark.copy("tensor-copy, swizzle 128B",
                TensorCopy.of(ElementType.F32).tile(64, 32).swizzle(Swizzle.B128).build(), matrix, one));
        rows.add(benchmark.copy("tensor-rebind", TensorRebind.of(ElementType.F32).build(), matrix, one));
        return rows;
    }

    /** A sweep that shows what tiles, stages and grids are worth. */
    public static List<CopyBenchmark.Row> sweep(CopyBenchmark benchmark, long bytes) {
        List<CopyBenchmark.Row> rows = new ArrayList<>(List.of(benchmark.memcpy()));
        List<Long> flat = List.of(bytes / 4);
        List<Long> matrix = List.of(bytes / 4 / COLUMNS, (long) COLUMNS);
        for (int each : new int[] {1, 2, 4, 8, 0}) {
            for (int kib : new int[] {4, 8, 16, 32}) {
                for (int stages : new int[] {2, 3, 4}) {
                    for (int threads : new int[] {256, 512}) {
                        if (kib * stages <= 128) {
                            rows.add(measure(benchmark, "cp-async " + kib + " KiB x " + stages + " stages, " + threads + " threads",
                                    CpAsyncPipeline.of(ElementType.F32).tile(kib * 256).stages(stages).threads(threads).build(), flat, each));
                        }
                    }
                }
            }
            for (int kib : new int[] {4, 8, 16, 32}) {
                for (int stages : new int[] {2, 4, 6}) {
                    rows.add(measure(benchmark, "bulk " + kib + " KiB x " + stages + " stages",
                            BulkCopy.of(ElementType.F32).tile(kib * 256).stages(stages).build(), flat, each));
                }
            }
            for (int[] box : new int[][] {{64, 32}, {8, 256}, {16, 256}, {32, 256}, {64, 64}, {32, 128}}) {
                for (int stages : new int[] {2, 4}) {
                    rows.add(measure(benchmark, "tensor " + box[0] + "x" + box[1] + " x " + stages + " stages",
                            TensorCopy.of(ElementType.F32).tile(box[0], box[1]).stages(stages).build(), matrix, each));
                }
            }
        }
        return rows;
    }

    /** @param each tiles of each block; 0 for as many as make the grid just what the device holds at once */
    private static CopyBenchmark.Row measure(CopyBenchmark benchmark, String name, TileKernel kernel, List<Long> shape, int each) {
        return benchmark.copy(name + (each == 0 ? ", persistent" : ", " + each + " tiles a block"), kernel, shape,
                resident -> each == 0 ? GridPolicy.over(resident) : GridPolicy.tilesEach(each));
    }
}
