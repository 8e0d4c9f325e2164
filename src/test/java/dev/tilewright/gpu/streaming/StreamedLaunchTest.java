package dev.tilewright.gpu.streaming;

import static dev.tilewright.program.value.ValueType.BF16;
import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.I32;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Lines;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.array.RowCut;
import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Reduction;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import dev.tilewright.tile.Update;
import dev.tilewright.tile.kernel.ElementKernels;
import dev.tilewright.tile.kernel.Gemm;
import dev.tilewright.tile.kernel.RowKernels;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tile kernels over arrays that go through a GPU slab by slab: the bytes are those of a launch over the whole. */
class StreamedLaunchTest {
    private static final TileKernel IN_PLACE = TileKernel.of("in_place", k -> {
        Dim rows = k.dim("rows"), columns = k.dim("columns");
        Tensor x = k.inOut("x", F32, rows, columns), shift = k.in("shift", F32, columns);
        k.forEachTile(x, 4, 16, at -> x.store(at, x.tile(at).plus(shift.tile(at.column()))));
    });

    private static float[] normal(int count) {
        Random random = new Random(count);
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        return numbers;
    }

    private static void everyWay(TileKernel kernel, int results, BiConsumer<ArrayLaunch<?>, float[]> arguments) {
        float[] wanted = normal(results);
        run(kernel.onCpu(), wanted, arguments);
        try (Gpu gpu = Gpu.emulated()) {
            for (long slab : new long[] {1, 1000, 1 << 20}) {
                float[] got = normal(results);
                run(Streamer.on(gpu).slab(slab).launch(kernel), got, arguments);
                assertArrayEquals(wanted, got, () -> "slabs of " + slab + " bytes");
            }
        }
    }

    private static void run(ArrayLaunch<?> launch, float[] result, BiConsumer<ArrayLaunch<?>, float[]> arguments) {
        arguments.accept(launch, result);
        launch.run();
    }

    @Test
    void rowsWithAWeightThatAllHave() {
        float[] x = normal(37 * 20), weight = normal(20), bias = normal(20);
        everyWay(RowKernels.layerNorm(F32), x.length, (launch, y) -> launch.set("x", x, 37, 20)
                .set("weight", weight, 20).set("bias", bias, 20).set("y", y, 37, 20).scalar("epsilon", 1e-5));
    }

    @Test
    void oneNumberOfEachRow() {
        float[] x = normal(37 * 20);
        everyWay(RowKernels.rowSums(F32), 37, (launch, y) -> launch.set("x", x, 37, 20).set("y", y, 37));
    }

    @Test
    void aProductIsCutAlongTheRowsOfItsFirstFactor() {
        float[] a = normal(150 * 40), b = normal(40 * 24);
        everyWay(Gemm.of(F32).withTiles(16, 16, 8).kernel(), 150 * 24, (launch, c) -> launch.set("a", a, 150, 40)
                .set("b", b, 40, 24).set("c", c, 150, 24));
        assertEquals(new RowCut(64, List.of("a"), List.of("c")), Gemm.of(BF16).kernel().rowCut());
        assertEquals(new RowCut(1, List.of("a", "b"), List.of("c")), Gemm.of(BF16).withBatch().kernel().rowCut());
    }

    @Test
    void whatIsReadAndWritten() {
        float[] shift = normal(20);
        everyWay(IN_PLACE, 37 * 20, (launch, x) -> launch.set("x", x, 37, 20).set("shift", shift, 20));
    }

    @Test
    void tensorsOfOtherRanks() {
        float[] x = normal(5 * 6 * 7), row = normal(9000);
        everyWay(ElementKernels.copy(F32, 3), x.length, (launch, y) -> launch.set("x", x, 5, 6, 7)
                .set("y", y, 5, 6, 7));
        everyWay(ElementKernels.scale(F32, 1), row.length, (launch, y) -> launch.set("x", row, 9000)
                .set("y", y, 9000).scalar("factor", 3));
    }

    @Test
    void whatIsEmptyIsNothingToDo() {
        try (Gpu gpu = Gpu.emulated()) {
            for (long[] shape : new long[][] {{0, 4}, {3, 0}}) {
                assertTrue(Streamer.on(gpu).launch(RowKernels.softmax(F32)).set("x", new float[0], shape)
                        .set("y", new float[0], shape).start().isEmpty());
            }
            float[] c = {1, 2, 3, 4};
            Streamer.on(gpu).launch(Gemm.of(F32).kernel()).set("a", new float[0], 2, 0).set("b", new float[0], 0, 2)
                    .set("c", c, 2, 2).run();
            assertArrayEquals(new float[4], c, "a sum of nothing");
        }
    }

    private static String refusal(Runnable code) {
        return Lines.without(assertThrows(IllegalArgumentException.class, code::run).getMessage());
    }

    private static String kernel(Consumer<TileScope> body) {
        return refusal(() -> TileKernel.of("k", body).rowCut()).replace("kernel 'k' cannot be cut into rows: ", "");
    }

    @Test
    void kernelsWhosePartsWouldLeaveOthersBytesAreRefused() {
        assertEquals("kernel 'transpose' cannot be cut into rows: a tile touches other places of 'x' along 'columns' "
                + "than its own rows", refusal(() -> ElementKernels.transpose(F32).rowCut()));
        assertEquals("what it writes has no first dimension in common, that a launch gives: out y: f32 [rows], out z: "
                + "f32 [columns]", kernel(k -> {
                    Dim rows = k.dim("rows"), columns = k.dim("columns");
                    Tensor x = k.in("x", F32, rows, columns), y = k.out("y", F32, rows), z = k.out("z", F32, columns);
                    k.forEachTile(x, 4, 8, at -> {
                        y.store(x.tile(at).sum(1).reshaped(4), at.row());
                        z.store(x.tile(at).sum(0).reshaped(8), at.column());
                    });
                }));
        assertEquals("a tile touches other places of 'x' along 'n' than its own rows", kernel(k -> {
            Tensor x = k.in("x", F32, k.dim("n")), y = k.out("y", F32, x.dims().getFirst());
            k.forEachTile(y, 8, at -> y.store(at, x.tile(at.column().widened(1, 1)).slice(0, 0, 8)));
        }));
        assertEquals("tile %0: i64 [8] depends on where rows lie along 'n'", kernel(k -> {
            Tensor y = k.out("y", I32, k.dim("n"));
            k.forEachTile(y, 8, at -> y.store(at, k.iota(at.column()).to(I32)));
        }));
        assertEquals("tile %0: i64 [] depends on where rows lie along 'n'", kernel(k -> {
            Tensor y = k.out("y", I32, k.dim("n"));
            Value n = y.dims().getFirst().value().toValue();
            k.forEachTile(y, 8, at -> y.store(at, k.full(n).to(I32)));
        }));
        assertEquals("a condition depends on where rows lie along 'n'", kernel(k -> {
            Tensor y = k.out("y", I32, k.dim("n"));
            k.forEachTile(y, 8, at -> k.when(at.column().start().lessThan(64), () -> y.store(at, k.zeros(I32, 8))));
        }));
        assertEquals("a tile touches other places of 'y' along 'n' than its own rows", kernel(k -> {
            Dim n = k.dim("n");
            Tensor rows = k.in("rows", I32, n), y = k.inOut("y", I32, n);
            k.forEachTile(rows, 8, at -> y.scatter(Update.ADD, rows.tile(at), k.full(I32, 1, 8)));
        }));
        assertEquals("a tile touches other places of 'x' along 'n' than its own rows", kernel(k -> {
            Tensor x = k.in("x", F32, k.dim("n")), y = k.out("y", F32, x.dims().getFirst());
            k.forEachTile(y, 8, at -> y.store(at, x.tile(Span.all(x.dims().getFirst())).reduce(Reduction.SUM)));
        }));
    }

    @Test
    void argumentsThatDoNotSuitAreRefused() {
        try (Gpu gpu = Gpu.emulated()) {
            StreamedLaunch launch = Streamer.on(gpu).launch(RowKernels.softmax(F32)).set("x", new float[8], 2, 4);
            assertEquals("kernel 'softmax': array 'y' is not set: give it with set(\"y\", …)",
                    refusal(launch::run));
            launch.set("y", new float[12], 3, 4);
            assertEquals("kernel 'softmax': array 'x' has 2 rows, and 'y' has 3", refusal(launch::run));
            assertEquals("kernel 'softmax': array 'x' of 2 x 4 with strides [5, 1] is cut into rows, which must follow "
                    + "each other: give it without gaps", refusal(() -> launch.set("x",
                            MemorySegment.ofArray(new float[16]), new ArrayShape(List.of(2L, 4L), List.of(5L, 1L)))));
            assertEquals("kernel 'softmax': dimension 'columns' is 3 in tensor 'y' and 4 in tensor 'x': give arrays "
                    + "that agree in 'columns'",
                    refusal(() -> launch.set("y", new float[6], 2, 3).run()));
            assertEquals("streamed launch of kernel 'softmax'", launch.toString());
        }
    }

    /** Several GPUs share the slabs. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void slots(int count) {
        float[] x = normal(64 * 33), y = new float[64 * 33], wanted = new float[64 * 33];
        RowKernels.softmax(F32).onCpu().set("x", x, 64, 33).set("y", wanted, 64, 33).run();
        try (Gpu one = Gpu.emulated(); Gpu other = Gpu.emulated()) {
            Streamer.on(one, other).slots(count).slab(700).launch(RowKernels.softmax(F32)).set("x", x, 64, 33)
                    .set("y", y, 64, 33).run();
        }
        assertArrayEquals(wanted, y);
    }
}
