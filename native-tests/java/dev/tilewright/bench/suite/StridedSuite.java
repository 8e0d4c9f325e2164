package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.device.Checks;
import dev.tilewright.bench.device.WorkArrays;
import dev.tilewright.bench.kernel.Neighbours;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Boxes of two to five dimensions taken out of a larger tensor and put into one, and tiles with halos: {@link
 * TensorCopy} with the tensor's strides in its map. A quarter or half of each dimension is left out, so that rows are
 * pieces of the tensor's.
 */
public final class StridedSuite extends WordsSuite {
    private static final long[][] SHAPES = {{1024, 2048}, {64, 128, 256}, {16, 32, 32, 128}, {8, 8, 16, 16, 128}};
    private static final int[][] TILES = {{16, 256}, {4, 4, 256}, {2, 4, 4, 128}, {2, 2, 4, 2, 128}};
    private static final int[][] HALOS = {{30, 120}, {62, 120}, {30, 248}, {14, 248}};
    private static final int COLUMNS = 8192;
    private static final int MOST_DIMENSIONS = 5;
    /** What is written over all results before. */
    private static final long STALE_WORD = 0xCDCD_CDCDL;

    /**
     * Extents and strides in elements, outermost first, of a tensor and a box in it that begins at element {@code
     * first}.
     */
    record Boxed(long[] tensor, long[] box, long first) {

        /** A tensor of this many bytes, whose outermost dimension is as long as they allow. */
        static Boxed of(long[] inner, long bytes) {
            long[] tensor = inner.clone();
            tensor[0] = Math.max(2, bytes / Integer.BYTES / inner(inner));
            long[] box = new long[tensor.length];
            long first = 0;
            for (int d = 0; d < tensor.length; d++) {
                boolean innermost = d == tensor.length - 1;
                // Three quarters of a row, which begins at a multiple of 16 bytes; half of one other dimension.
                box[d] = innermost ? tensor[d] / 4 * 3 : d == tensor.length - 2 ? tensor[d] / 2 : tensor[d] - 1;
                first = first * tensor[d] + (innermost ? tensor[d] / 8 : 1);
            }
            return new Boxed(tensor, box, first);
        }

        /** Elements of all dimensions but the outermost. */
        static long inner(long[] extents) {
            return LongStream.of(extents).skip(1).reduce(1, (x, y) -> x * y);
        }

        private long stride(int d) {
            return LongStream.of(tensor).skip(d + 1L).reduce(1, (x, y) -> x * y);
        }

        long words() {
            return LongStream.of(box).reduce(1, (x, y) -> x * y);
        }

        /** The box as a map of its own whose strides are the tensor's. */
        Argument.Tensor argument(int[] tile, int buffer) {
            long[] strides = new long[tensor.length - 1];
            for (int d = 0; d < strides.length; d++) {
                strides[d] = stride(d);
            }
            TiledTensorMap map = TiledTensorMap.outermostFirst(TensorDataType.UINT32).shape(box)
                    .stridesInElements(strides)
                    .box(IntStream.of(tile).asLongStream().toArray()).build(Target.SM_90);
            return new Argument.Tensor(map, buffer, first * Integer.BYTES);
        }

        /** Sets what both checks take. */
        void set(KernelLaunch check) {
            int rank = tensor.length;
            check.set("first", first);
            for (int d = 0; d < MOST_DIMENSIONS; d++) {
                check.set("e" + d, d < rank ? box[rank - 1 - d] : 1);
                if (d > 0) {
                    check.set("s" + d, d < rank ? stride(rank - 1 - d) : stride(-1));
                }
            }
        }

        private static String text(long[] extents) {
            return LongStream.of(extents).mapToObj(String::valueOf).collect(Collectors.joining("x"));
        }
    }

    /** Boxes of larger tensors. */
    public StridedSuite() {
        super("strided", "2-D to 5-D boxes of larger tensors, out and in, and tiles with halos", "box");
    }

    @Override
    void measure(Bench bench, long bytes, WorkArrays arrays, WorkRows rows) {
        int step = 0;
        int steps = SHAPES.length * 2 + HALOS.length;
        for (int i = 0; i < SHAPES.length; i++) {
            int[] boxTile = TILES[i];
            if (bytes / Integer.BYTES < 2 * Boxed.inner(SHAPES[i])) {
                bench.add(Row.notRun(name(), "box of " + boxTile.length + " dimensions", Row.OURS,
                        Unit.GIGABYTES_PER_SECOND, "a tensor of " + boxTile.length + " dimensions has "
                                + 2 * Boxed.inner(SHAPES[i]) * Integer.BYTES + " bytes at least here, got " + bytes
                                + ": choose a larger size"));
                step += 2;
                continue;
            }
            Boxed boxed = Boxed.of(SHAPES[i], bytes);
            for (boolean out : new boolean[] {true, false}) {
                bench.progress().at("copying boxes", step++, steps);
                rows.measure(work(boxed, boxTile, bytes, out), () -> out
                        ? arrays.wrong(Checks.BOXED, check -> boxed.set(check.set("count", boxed.words())))
                        : arrays.wrong(Checks.UNBOXED, check -> boxed.set(check.set("count", boxed.stride(-1))
                                .set("before", STALE_WORD))), List.of());
            }
        }
        int width = Math.clamp(bytes / Integer.BYTES / 4, 4, COLUMNS);
        int height = Math.toIntExact(bytes / Integer.BYTES / width);
        for (int[] tile : HALOS) {
            bench.progress().at("copying tiles with halos", step++, steps);
            Neighbours kernel = new Neighbours(tile[0], tile[1]);
            rows.measure(Work.moving("halo", Work.parameters("size", bytes, "loaded",
                    String.format(Locale.ROOT, "%.2fx", kernel.overhead())), kernel.program(),
                    _ -> kernel.launch(height, width), 2L * height * width * Integer.BYTES)
                    .by("tile=" + tile[0] + "x" + tile[1]),
                    () -> arrays.wrong(Checks.NEIGHBOURS, check -> check
                            .set("count", (long) height * width).set("rows", height).set("columns", width)), List.of());
        }
        bench.progress().at("copying tiles with halos", steps, steps);
    }

    static Work work(Boxed boxed, int[] tile, long bytes, boolean out) {
        TensorCopy kernel = TensorCopy.of(ElementType.U32).tile(tile).stages(1).build();
        Launch dense = kernel.launch(LongStream.of(boxed.box()).boxed().toList(), Scalars.NONE,
                GridPolicy.tilesEach(1));
        List<Argument> arguments = new ArrayList<>(dense.arguments());
        // The first parameter is the source's map, the second the result's.
        arguments.set(out ? 0 : 1, boxed.argument(tile, out ? 0 : 1));
        Launch strided = new Launch(dense.program(), dense.grid(), arguments);
        return Work.moving("box of " + tile.length + " dimensions", Work.parameters("size", bytes, "direction",
                out ? "out of the tensor" : "into the tensor", "tensor", Boxed.text(boxed.tensor()), "box",
                Boxed.text(boxed.box())), dense.program(), _ -> strided, 2 * Integer.BYTES * boxed.words())
                .by("tile=" + IntStream.of(tile).mapToObj(String::valueOf).collect(Collectors.joining("x")));
    }
}
