package dev.tilewright.tile.launch;

import static dev.tilewright.tile.launch.TileKernels.GEMM;
import static dev.tilewright.tile.launch.TileKernels.SCALE;
import static dev.tilewright.tile.launch.TileKernels.SOFTMAX;
import static dev.tilewright.tile.launch.TileKernels.bf16;
import static dev.tilewright.tile.launch.TileKernels.normal;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Lines;
import dev.tilewright.builder.Schedule;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Graph;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.gpu.Stream;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.Gemm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tile kernels launched by names, on the CPU and on an emulated GPU: with the same words, to the same bytes. */
class TileLaunchTest {
    private static final int M = 19;
    private static final int N = 37;
    private static final int K = 70;

    private static final TileKernel PAGE = TileKernel.of("gemm", k -> {
        Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
        Tensor a = k.in("a", ValueType.BF16, m, depth), b = k.in("b", ValueType.BF16, depth, n);
        Tensor c = k.out("c", ValueType.BF16, m, n);
        k.forEachTile(c, 128, 256, at -> c.store(at, k.fold(k.zeros(ValueType.F32, 128, 256), k.steps(depth, 64),
                (sum, i) -> sum.mma(a.tile(at.row(), i), b.tile(i, at.column()))).to(ValueType.BF16)));
    });

    private final short[] a = bf16(M * K, 1);
    private final short[] b = bf16(K * N, 2);

    private short[] wanted() {
        short[] c = new short[M * N];
        GEMM.onCpu().set("a", a, M, K).set("b", b, K, N).set("c", c, M, N).run();
        return c;
    }

    @Test
    void arraysGoToTheGpuAndBack() {
        short[] c = new short[M * N];
        try (Gpu gpu = Gpu.emulated(); ArrayKernel gemm = gpu.load(GEMM)) {
            gemm.launch().set("a", a, M, K).set("b", b, K, N).set("c", c, M, N).run();
        }
        assertArrayEquals(wanted(), c);
    }

    @Test
    void buffersStayThereAndAPreparedLaunchIsStartedAgain() {
        try (Gpu gpu = Gpu.emulated(); ArrayKernel gemm = gpu.load(GEMM); Buffer<short[]> left = gpu.upload(a);
                Buffer<short[]> result = gpu.shorts(M * N); Arena arena = Arena.ofConfined();
                Buffer<short[]> right = gpu.upload(b)) {
            MemorySegment segment = arena.allocateFrom(ValueLayout.JAVA_SHORT, b);
            gemm.launch().set("a", left, M, K).set("b", segment, K, N).set("c", result, M, N).run();
            assertArrayEquals(wanted(), result.download());
            result.fill((byte) 1);
            ArrayKernel.GpuLaunch launch = gemm.launch().set("a", left, M, K).set("b", right, K, N)
                    .set("c", result, M, N);
            KernelLaunch prepared = launch.prepare();
            prepared.start();
            assertArrayEquals(wanted(), result.download());
            assertEquals(1, gemm.programs(), "launches over arrays of any shape have one program");
            assertEquals("array 'b' is in the host's memory, and a launch that is prepared takes buffers alone: upload "
                    + "it, with gpu.upload(…), or use run()", refusal(() -> launch.set("b", b, K, N).prepare()));
        }
    }

    @Test
    void aPreparedLaunchIsCapturedInAGraph() {
        try (Gpu gpu = Gpu.emulated(); Stream stream = gpu.stream(); ArrayKernel gemm = gpu.load(GEMM);
                PinnedMemory left = gpu.pinned(2 * M * K); Buffer<short[]> x = gpu.shorts(M * K);
                Buffer<short[]> right = gpu.upload(b); Buffer<short[]> result = gpu.shorts(M * N)) {
            KernelLaunch launch = gemm.launch().set("a", x, M, K).set("b", right, K, N).set("c", result, M, N)
                    .on(stream).prepare();
            try (Graph graph = stream.capture(s -> {
                s.upload(left.segment(), x);
                launch.start();
            })) {
                assertEquals(2, graph.nodes());
                for (short[] other : List.of(bf16(M * K, 3), a)) {
                    left.segment().copyFrom(MemorySegment.ofArray(other));
                    graph.start();
                    stream.synchronize();
                    short[] c = new short[M * N];
                    GEMM.onCpu().set("a", other, M, K).set("b", b, K, N).set("c", c, M, N).run();
                    assertArrayEquals(c, result.download());
                }
            }
        }
    }

    @Test
    void rowsOfAnotherWidthHaveAProgramOfTheirOwn() {
        try (Gpu gpu = Gpu.emulated(); ArrayKernel softmax = gpu.load(SOFTMAX)) {
            for (int columns : new int[] {5, 33, 5}) {
                float[] x = normal(3 * columns, columns), y = new float[3 * columns], wanted = new float[3 * columns];
                SOFTMAX.onCpu().set("x", x, 3, columns).set("y", wanted, 3, columns).run();
                softmax.launch().set("x", x, 3, columns).set("y", y, 3, columns).run();
                assertArrayEquals(wanted, y);
            }
            assertEquals(2, softmax.programs());
        }
    }

    @Test
    void manyThreadsLaunchOneKernel() {
        try (Gpu gpu = Gpu.emulated()) {
            ArrayKernel softmax = gpu.load(SOFTMAX);
            IntStream.range(0, 24).parallel().forEach(i -> {
                int columns = 3 + i % 4;
                float[] x = normal(2 * columns, i), y = new float[2 * columns], wanted = new float[2 * columns];
                SOFTMAX.onCpu().set("x", x, 2, columns).set("y", wanted, 2, columns).run();
                softmax.launch().set("x", x, 2, columns).set("y", y, 2, columns).run();
                assertArrayEquals(wanted, y);
            });
            assertEquals(4, softmax.programs());
            ArrayKernel.GpuLaunch launch = softmax.launch().set("x", new float[8], 2, 4).set("y", new float[8], 2, 4);
            softmax.close();
            assertEquals("kernel 'softmax' is closed", assertThrows(IllegalStateException.class, launch::run)
                    .getMessage());
        }
    }

    @Test
    void stridesLeaveGapsAsTheyWere() {
        ArrayShape shape = new ArrayShape(List.of(5L, 34L), List.of(40L, 1L));
        assertEquals(4 * 40 + 34, shape.reach());
        float[] x = normal(200, 3), onCpu = new float[200], y = new float[200];
        Arrays.fill(onCpu, -7);
        Arrays.fill(y, -7);
        SCALE.onCpu().set("x", MemorySegment.ofArray(x), shape).set("y", MemorySegment.ofArray(onCpu), shape)
                .scalar("factor", 3).run();
        for (int i = 0; i < 200; i++) {
            assertEquals(i % 40 < 34 ? x[i] * 3 : -7, onCpu[i], 0);
        }
        try (Gpu gpu = Gpu.emulated(); ArrayKernel scale = gpu.load(SCALE)) {
            scale.launch().set("x", MemorySegment.ofArray(x), shape).set("y", MemorySegment.ofArray(y), shape)
                    .scalar("factor", 3).run();
        }
        assertArrayEquals(onCpu, y);
    }

    @Test
    void everyScheduleLeavesTheseBytes() {
        float[] x = normal(99, 4), y = new float[99], wanted = new float[99];
        SOFTMAX.onCpu().set("x", x, 3, 33).set("y", wanted, 3, 33).run();
        try (Gpu gpu = Gpu.emulated()) {
            for (String threads : List.of("32", "64", "512")) {
                TileKernel scheduled = SOFTMAX.with(Schedule.parse("threads=" + threads));
                assertEquals("threads=" + threads, scheduled.schedule().toString());
                Map<String, ArrayShape> shapes = Map.of("x", ArrayShape.dense(3, 33), "y", ArrayShape.dense(3, 33));
                assertEquals(Integer.parseInt(threads), scheduled.launch(shapes, Scalars.NONE, Target.SM_90, 1)
                        .program()
                        .threads());
                try (ArrayKernel softmax = gpu.load(scheduled)) {
                    softmax.launch().set("x", x, 3, 33).set("y", y, 3, 33).run();
                }
                assertArrayEquals(wanted, y);
            }
        }
    }

    @Test
    void aProgramIsMadeOnceForWhatDecidesIt() {
        Map<String, ArrayShape> one = Map.of("x", ArrayShape.dense(3, 33), "y", ArrayShape.dense(3, 33));
        Map<String, ArrayShape> two = Map.of("x", ArrayShape.dense(8, 33), "y", ArrayShape.dense(8, 33));
        assertSame(SOFTMAX.launch(one, Scalars.NONE, Target.SM_90, 1).program(),
                SOFTMAX.launch(two, Scalars.NONE, Target.SM_90, 1).program());
    }

    // ---- what is refused

    /** Without the line that it may end with. */
    private static String refusal(Supplier<?> code) {
        return assertThrows(IllegalArgumentException.class, code::get).getMessage()
                .replaceFirst(" \\(at TileLaunchTest.java:\\d+\\)$", "");
    }

    /** A launch on either refuses with these words. */
    private void refused(String message, Consumer<ArrayLaunch<?>> wrong) {
        try (Gpu gpu = Gpu.emulated(); ArrayKernel gemm = gpu.load(GEMM)) {
            for (Supplier<ArrayLaunch<?>> on : List.<Supplier<ArrayLaunch<?>>>of(GEMM::onCpu, gemm::launch)) {
                assertEquals(message, refusal(() -> {
                    wrong.accept(on.get());
                    return null;
                }));
            }
        }
    }

    @Test
    void wrongArraysAreRefused() {
        refused("kernel 'gemm' has no array 'd': it has [a, b, c]", launch -> launch.set("d", a, M, K));
        refused("array 'a' has elements of type bf16, got a float[]: give a short[] of their bits, or memory that holds"
                + " them", launch -> launch.set("a", new float[M * K], M, K));
        refused("array 'a' has elements of type bf16, got an int[]: give a short[] of their bits, or memory that holds"
                + " them", launch -> launch.set("a", new int[M * K], M, K));
        refused("array 'a' of 19 x 71 elements of type bf16 takes 2698 bytes, and its memory has 2660",
                launch -> launch.set("a", a, M, K + 1));
        refused("array 'c' of kernel 'gemm' is written, and its memory is read-only",
                launch -> launch.set("c", MemorySegment.ofArray(new short[4]).asReadOnly(), 2, 2));
        refused("kernel 'gemm': array 'b' is not set: give it with set(\"b\", …)",
                launch -> launch.set("a", a, M, K).run());
        refused("kernel 'gemm': tensor 'b' has 2 dimensions, [k, n], got the shape 2590", launch ->
                launch.set("a", a, M, K).set("b", b, K * N).set("c", new short[M * N], M, N).run());
        refused("kernel 'gemm': dimension 'k' is 69 in tensor 'b' and 70 in tensor 'a': give arrays that agree in "
                + "'k'", launch ->
                launch.set("a", a, M, K).set("b", b, K - 1, N).set("c", new short[M * N], M, N).run());
        short[] same = new short[4];
        refused("kernel 'gemm': arrays 'c' and 'b' share memory, and 'c' is written: give each memory of its own, or "
                + "declare one array that is read and written", launch ->
                launch.set("a", new short[4], 2, 2).set("b", same, 2, 2).set("c", same, 2, 2).run());
    }

    @Test
    void wrongScalarsAreRefused() {
        assertEquals("kernel 'scale' has no scalar 'f': it has [factor]", refusal(() -> SCALE.onCpu().scalar("f", 1)));
        refused("kernel 'gemm' has no scalar 'alpha': it has no scalars", launch -> launch.scalar("alpha", 1));
        assertEquals("elements of array 'x'", assertThrows(NullPointerException.class, () -> SCALE.onCpu().set("x",
                (float[]) null, 2, 2)).getMessage());
        assertEquals("kernel 'scale': scalar 'factor' is not set: give it with scalar(\"factor\", …)", refusal(() -> {
            SCALE.onCpu().set("x", new float[4], 2, 2).set("y", new float[4], 2, 2).run();
            return null;
        }));
    }

    @Test
    void buffersThatShareMemoryOrHaveOtherElementsAreRefused() {
        try (Gpu gpu = Gpu.emulated(); ArrayKernel scale = gpu.load(SCALE); Buffer<float[]> x = gpu.floats(12);
                Buffer<int[]> words = gpu.ints(12)) {
            ArrayKernel.GpuLaunch launch = scale.launch().set("x", x.slice(0, 8), 2, 4).set("y", x.slice(4, 8), 2, 4)
                    .scalar("factor", 2);
            assertEquals("kernel 'scale': arrays 'y' and 'x' share memory, and 'y' is written: give each a buffer of "
                    + "its own, or declare one array that is read and written", refusal(launch::prepare));
            assertEquals("kernel 'scale': array 'x' has elements of type f32, got a buffer of int: give one of "
                    + "float, or take it as that, with buffer.as(ArrayType.FLOATS)",
                    refusal(() -> launch.set("x", words, 2, 4)));
            assertEquals("array 'x' begins at address 0x" + Long.toHexString(x.address() + 4) + ", and programs move 16"
                    + " bytes at a time: give a slice that begins at a multiple of 16 bytes, or a copy",
                    refusal(() -> launch.set("x", x.slice(1, 8), 2, 4)));
        }
    }

    /** In the source its kernel has a number, and the driver is asked for that. */
    @Test
    void aKernelMayHaveTheNameOfAFunctionOfTheCompiler() {
        TileKernel norm = TileKernel.of("norm", k -> {
            Dim n = k.dim("n");
            Tensor x = k.in("x", ValueType.F32, n), y = k.out("y", ValueType.F32, n);
            k.forEachTile(y, 64, at -> y.store(at, x.tile(at).times(x.tile(at))));
        });
        assertEquals("norm_2", CudaEmitter.kernelName(norm.lowered(Target.SM_90A, Map.of()).program()));
        float[] y = new float[3];
        try (Gpu gpu = Gpu.emulated(); ArrayKernel kernel = gpu.load(norm)) {
            kernel.launch().set("x", new float[] {1, 2, 3}, 3).set("y", y, 3).run();
        }
        assertArrayEquals(new float[] {1, 4, 9}, y);
    }

    @Test
    void schedulesOfOtherKernelsAreRefused() {
        assertEquals("a tile kernel's schedule has stages=1: choose 2 to 64, such as stages=4",
                refusal(() -> GEMM.with(Schedule.parse("stages=1"))));
        assertEquals("kernel 'gemm' has no tensor 'factor' to read early; it has a, b, c",
                refusal(() -> GEMM.with(Schedule.parse("early=factor"))));
        assertEquals("kernel 'gemm' has tiles along 2 dimensions, got tile=2x64x64: give at most that many extents",
                refusal(() -> GEMM.with(Schedule.parse("tile=2x64x64"))));
        assertEquals("kernel 'softmax' is computed in tiles of its own extents, got tile=64: along 'rows' tiles have "
                + "length 1, and one element of a dimension is no tile; leave it out",
                refusal(() -> SOFTMAX.with(Schedule.parse("tile=64"))));
        assertEquals("kernel 'softmax' has no stages to choose, got stages=4: no loop adds up matrix products; "
                + "leave it out", refusal(() -> SOFTMAX.with(Schedule.parse("stages=4")).lowered(Target.SM_90A,
                        Map.of("columns", 64L))));
        assertEquals("a block of kernel 'gemm' takes 1 tile, got the grid '2 tiles a block': sm_90 has no wgmma, "
                + "whose factors the copy engine brings; sm_90a alone has it; leave it out", refusal(() -> GEMM.with(
                        Schedule.parse("none, 2 tiles a block")).lowered(Target.SM_90, Map.of())));
    }

    @Test
    void oneTileABlockIsNothingElseThanWhatIsDoneAnyway() {
        Map<String, Long> ragged = Map.of("m", 300L, "n", 300L, "k", 70L);
        for (Target target : List.of(Target.SM_80, Target.SM_90, Target.SM_90A)) {
            var plain = GEMM.with(Schedule.parse("tile=32x32")).lowered(target, ragged);
            var said = GEMM.with(Schedule.parse("tile=32x32, 1 tile a block")).lowered(target, ragged);
            assertEquals(plain.program(), said.program());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sm_80", "sm_90", "sm_100a"})
    void aTargetWithoutWgmmaIsSaidToHaveNone(String target) {
        String lines = GEMM.explain(Target.parse(target), Map.of("m", 64L, "n", 64L, "k", 64L));
        assertTrue(lines.contains("no copy engine: " + target + " has no wgmma, whose factors the copy engine "
                + "brings; sm_90a alone has it"), lines);
        assertTrue(!lines.contains("no TMA"), lines);
    }

    @Test
    void aSumInPartsIsSaidToBeOne() {
        String lines = String.join("\n", Gemm.of(ValueType.BF16).withSplit(4).kernel().lowered(Target.SM_90A,
                Map.of("m", 256L, "n", 256L, "k", 256L)).lines());
        assertTrue(lines.contains("no copy engine: the sum is taken in parts (foldInParts)"), lines);
    }

    @Test
    void aLastStrideThatIsNotOneIsRefusedOnAGpu() {
        ArrayShape columns = new ArrayShape(List.of(2L, 2L), List.of(1L, 2L));
        assertEquals("kernel 'scale': tensor 'x' of 2 x 2 with strides [1, 2] has a last stride of 2, and on a GPU it "
                + "must be 1: declare its dimensions in the other order, or run it on the CPU",
                refusal(() -> SCALE.launch(Map.of("x", columns, "y", ArrayShape.dense(2, 2)),
                        Scalars.of("factor", 1), Target.SM_90, 1)));
    }

    @Test
    void moreThreadsAreTakenWhereTilesTogetherAreTooMany() {
        TileKernel softmax = TileKernel.of("softmax", k -> {
            Tensor x = k.in("x", ValueType.BF16, k.dim("rows"), Dim.of(32768));
            Tensor y = k.out("y", ValueType.BF16, x.dims().toArray(Dim[]::new));
            k.forEachRow(x, row -> {
                Tile v = x.row(row).to(ValueType.F32);
                Tile e = v.minus(v.max()).exp();
                y.storeRow(row, e.dividedBy(e.sum()).to(ValueType.BF16));
            });
        });
        Map<String, ArrayShape> shapes = Map.of("x", ArrayShape.dense(1, 32768), "y", ArrayShape.dense(1, 32768));
        assertEquals(256, softmax.launch(shapes, Scalars.NONE, Target.SM_90, 1).program().threads());
    }

    @Test
    void aTileThatNoScheduleHoldsIsRefusedWithWhatItTakes() {
        TileKernel large = TileKernel.of("large", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", ValueType.F32, rows, columns), y = k.out("y", ValueType.F32, rows, columns);
            k.forEachTile(y, 510, at -> y.store(at, x.tile(at).minus(x.tile(at).max())));
        });
        Map<String, ArrayShape> shapes = Map.of("x", ArrayShape.dense(3, 1024), "y", ArrayShape.dense(3, 1024));
        assertEquals("kernel 'large': a tile of [510, 1024] elements of f32 takes 512 registers of each of the 8 "
                + "blocks' 128 threads, and there are 255: use smaller tiles, or go along them in a loop",
                refusal(() -> large.launch(shapes, Scalars.NONE, Target.SM_90, 1)));
        assertEquals("kernel 'large' has no room with threads=32, nor with more: choose smaller tiles. kernel 'large': "
                + "a tile of [510, 1024] elements of f32 takes 16384 registers of each of a block's 32 threads, and "
                + "there are 255: use smaller tiles, more threads, or go along them in a loop",
                refusal(() -> large.with(Schedule.parse("threads=32")).launch(shapes, Scalars.NONE, Target.SM_90, 1)));
    }

    /** The product of the tile page, with rows that the copy engine does not take. */
    @Test
    void aScheduleOfTooFewThreadsIsToldHowManyDo() {
        Map<String, Long> ragged = Map.of("m", 100L, "n", 70L, "k", 50L);
        String message = refusal(() -> PAGE.with(Schedule.parse("threads=256")).lowered(Target.SM_90A, ragged));
        assertEquals("kernel 'gemm' has no room with threads=256 where rows of [a, b, c] are no multiples of 16 bytes: "
                + "choose threads=512, the fewest that do for these extents, or smaller tiles. kernel 'gemm': the "
                + "tiles that are needed at once take 304 registers of 32 bits of each thread, which has 255: use "
                + "smaller tiles, or go along them in a loop", message);
        assertEquals(512, PAGE.with(Schedule.parse("threads=512")).lowered(Target.SM_90A, ragged).program().threads());
    }

    @Test
    void emptyTensorsAreNothingToDoAndTilesOfNothingAreRefused() {
        try (Gpu gpu = Gpu.emulated(); ArrayKernel softmax = gpu.load(SOFTMAX); ArrayKernel gemm = gpu.load(GEMM)) {
            for (ArrayLaunch<?> launch : List.of(SOFTMAX.onCpu(), softmax.launch())) {
                launch.set("x", new float[0], 3, 0).set("y", new float[0], 3, 0).run();
                launch.set("x", new float[0], 0, 5).set("y", new float[0], 0, 5).run();
            }
            short[] c = {1, 2, 3, 4};
            for (ArrayLaunch<?> launch : List.of(GEMM.onCpu(), gemm.launch())) {
                launch.set("a", new short[0], 0, 8).set("b", new short[16], 8, 2).set("c", new short[0], 0, 2).run();
                launch.set("a", new short[0], 2, 0).set("b", new short[0], 0, 2).set("c", c, 2, 2).run();
                assertArrayEquals(new short[4], c, "a sum of nothing");
                Arrays.fill(c, (short) 1);
            }
        }
        TileKernel sums = TileKernel.of("sums", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", ValueType.F32, rows, columns), y = k.out("y", ValueType.F32, rows);
            k.forEachRow(x, row -> y.store(row, x.row(row).sum()));
        });
        assertEquals("kernel 'sums' has tiles of extent 'columns', which is 0, and its results need tiles with "
                + "elements: give it 1 or more", refusal(() -> sums.launch(Map.of("x", ArrayShape.dense(3, 0), "y",
                        ArrayShape.dense(3)), Scalars.NONE, Target.SM_90, 1)));
    }

    @Test
    void moreTilesThanAGridHasBlocksAreRefused() {
        ArrayShape tall = ArrayShape.dense(1L << 35, 1);
        Map<String, ArrayShape> shapes = Map.of("x", tall, "y", tall);
        assertEquals("kernel 'scale' has 8589934592 tiles in this launch, a block each or more, and a grid has less "
                + "than 2^31 blocks: use larger tiles", refusal(() -> SCALE.launch(shapes, Scalars.of("factor", 1),
                        Target.SM_90, 1)));
        assertEquals("kernel 'scale': tensor 'y' has no shape, among {x=34359738368 x 1}", refusal(() -> SCALE.launch(
                Map.of("x", tall), Scalars.of("factor", 1), Target.SM_90, 1)));
    }

    /** On tensor cores by the copy engine: what is there is read before the tile's result goes to its place. */
    @Test
    void tilesThatStoreIntoTheSamePlacesAreRefused() {
        TileKernel kernel = TileKernel.of("meet", k -> {
            Dim n = k.dim("n"), four = k.dim("four");
            Tensor x = k.in("x", ValueType.F32, n), y = k.out("y", ValueType.F32, four);
            k.forEachTile(x, 4, at -> y.store(x.tile(at), Span.of(0, 4)));
        });
        String message = "kernel 'meet': tiles (n 0) and (n 1) both store into 'y' at [0], and their order, "
                + "which is not said, would decide its bytes: "
                + "store at the tile's own place, update with integers, or scatter";
        try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel)) {
            for (Supplier<ArrayLaunch<?>> launches : List.<Supplier<ArrayLaunch<?>>>of(kernel::onCpu,
                    loaded::launch)) {
                float[] y = new float[4];
                launches.get().set("x", new float[] {1, 2, 3, 4}, 4).set("y", y, 4).run();
                assertArrayEquals(new float[] {1, 2, 3, 4}, y);
                ArrayLaunch<?> five = launches.get().set("x", new float[5], 5).set("y", y, 4);
                assertEquals(message, Lines.without(assertThrows(IllegalArgumentException.class, five::run)
                        .getMessage()));
            }
        }
    }

    @Test
    void aProductIsAddedToWhatIsThere() {
        TileKernel added = TileKernel.of("added", k -> {
            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
            Tensor left = k.in("a", ValueType.BF16, m, depth), right = k.in("b", ValueType.BF16, depth, n);
            Tensor c = k.inOut("c", ValueType.BF16, m, n);
            k.forEachTile(c, 64, 32, at -> c.store(at, k.fold(k.zeros(ValueType.F32, 64, 32), k.steps(depth, 32),
                    (sum, i) -> sum.mma(left.tile(at.row(), i), right.tile(i, at.column())))
                    .plus(c.tile(at).to(ValueType.F32)).to(ValueType.BF16)));
        });
        short[] x = bf16(100 * 64, 5), y = bf16(64 * 72, 6), c = bf16(100 * 72, 7), wanted = c.clone();
        added.onCpu().set("a", x, 100, 64).set("b", y, 64, 72).set("c", wanted, 100, 72).run();
        try (Gpu gpu = Gpu.emulated(); ArrayKernel kernel = gpu.load(added)) {
            kernel.launch().set("a", x, 100, 64).set("b", y, 64, 72).set("c", c, 100, 72).run();
        }
        assertArrayEquals(wanted, c);
        Map<String, ArrayShape> shapes = Map.of("a", ArrayShape.dense(100, 64), "b", ArrayShape.dense(64, 72), "c",
                ArrayShape.dense(100, 72));
        assertEquals(List.of(), HazardCheck.check(added.launch(shapes, Scalars.NONE, Target.SM_90A, 2), List.of(
                MemorySegment.ofArray(x), MemorySegment.ofArray(y), MemorySegment.ofArray(c))).findings());
        assertTrue(added.explain(Target.SM_90A).contains("1 group of 4 warps multiply"));
    }
}
