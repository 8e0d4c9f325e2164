package dev.tilewright.tile.run;

import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.I32;
import static dev.tilewright.program.value.ValueType.I64;
import static dev.tilewright.program.value.ValueType.U8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Convolution;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import dev.tilewright.tile.Update;
import dev.tilewright.tile.kernel.EmbeddingKernels;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows of a scatter whose numbers lie beyond the end of their tensor store nothing: not into row 0, nor elsewhere. */
class RowNumbersTest {
    private static final int[] INDEX = {3, 5, 2, 4, 1};

    /** The numbers of a tile's rows. */
    private interface Numbers {
        Tile of(TileScope k, Tensor index, Position at);
    }

    /** @param rows that are stored, by number of the element of the index */
    private record Case(String name, Numbers numbers, UnaryOperator<int[]> rows) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static UnaryOperator<int[]> plus(int by) {
        return index -> Arrays.stream(index).map(i -> i + by).toArray();
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case("as loaded", (k, index, at) -> index.tile(at), plus(0)),
                new Case("computed", (k, index, at) -> index.tile(at).plus(k.full(I32, 1)), plus(1)),
                new Case("converted", (k, index, at) -> index.tile(at).to(I64), plus(0)),
                new Case("reshaped", (k, index, at) -> index.tile(at).reshaped(2, 4).transposed().transposed().plus(
                        k.full(I32, 2)).reshaped(8), plus(2)),
                new Case("beside a place", (k, index, at) -> index.tile(at.get(0).kept()).plus(index.tile(Span.at(0)))
                        .minus(k.full(I32, 3)), plus(0)),
                new Case("by numbers", (k, index, at) -> index.gather(index.tile(at).minus(k.full(I32, 1))),
                        index -> Arrays.stream(index).map(i -> index[i - 1]).toArray()),
                new Case("looked up", (k, index, at) -> k.iota(Span.of(0, 8)).to(I32).lookUp(index.tile(at)), plus(0)),
                new Case("shifted", (k, index, at) -> index.tile(at).plus(k.full(I32, 1)).shifted(0, 0, 7), plus(1)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void rowsBeyondTheEndStoreNothing(Case one) {
        TileKernel kernel = TileKernel.of("scattered", k -> {
            Dim n = k.dim("n");
            Tensor index = k.in("index", I32, n), y = k.inOut("y", F32, k.dim("rows"), Dim.of(2));
            k.forEachTile(index, 8, at -> y.scatter(Update.SET, one.numbers.of(k, index, at),
                    k.iota(at.get(0)).to(F32).plus(k.full(F32, 1)).reshaped(8, 1)));
        });
        float[] wanted = new float[2 * 9];
        Arrays.fill(wanted, -0f);
        int[] rows = one.rows.apply(INDEX);
        for (int i = 0; i < rows.length; i++) {
            wanted[2 * rows[i]] = i + 1;
            wanted[2 * rows[i] + 1] = i + 1;
        }
        both(kernel, launches -> {
            float[] y = new float[wanted.length];
            Arrays.fill(y, -0f);
            launches.get().set("index", INDEX, INDEX.length).set("y", y, 9, 2).run();
            assertArrayEquals(wanted, y);
        });
    }

    private static void both(TileKernel kernel, Consumer<Supplier<ArrayLaunch<?>>> what) {
        what.accept(kernel::onCpu);
        try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel)) {
            what.accept(loaded::launch);
        }
    }

    /** +0 that is added to -0 leaves another bit. */
    @Test
    void aGradientAddsNothingToRowZero() {
        both(EmbeddingKernels.gradient(F32), launches -> {
            float[] gradient = new float[6 * 3];
            Arrays.fill(gradient, -0f);
            launches.get().set("rows", INDEX, 5).set("dy", new float[15], 5, 3).set("gradient", gradient, 6, 3).run();
            for (int i = 0; i < gradient.length; i++) {
                assertEquals(i < 3 ? 0x8000_0000 : 0, Float.floatToRawIntBits(gradient[i]), "element " + i);
            }
        });
    }

    @Test
    void whatAnElementOutsideIsMayBeSaid() {
        both(TileKernel.of("counted", k -> {
            Tensor x = k.in("x", U8, k.dim("n")).outside(2), y = k.inOut("y", I32, Dim.of(4));
            k.forEachTile(x, 8, at -> y.scatter(Update.ADD, x.tile(at).to(I32), k.full(I32, 1, 8)));
        }), launches -> {
            int[] y = new int[4];
            launches.get().set("x", new byte[] {1, 1, 2}, 3).set("y", y, 4).run();
            assertArrayEquals(new int[] {0, 2, 6, 0}, y);
        });
    }

    /** Where every element is within, the kernel is the one that says what others are. */
    @Test
    void numbersThatAreAlwaysWithinCostNothing() {
        for (boolean says : new boolean[] {false, true}) {
            TileKernel kernel = TileKernel.of("within", k -> {
                Dim n = k.dim("n");
                Tensor index = k.in("index", I32, n, Dim.of(8)), y = k.inOut("y", F32, k.dim("rows"));
                Tensor numbers = says ? index.outside(-1) : index;
                k.forEachRow(index, row -> y.scatter(Update.ADD, numbers.row(row).plus(k.full(I32, 1)),
                        k.zeros(F32, 8)));
            });
            assertTrue(kernel.listing().lines().noneMatch(line -> line.contains("iota")), kernel::listing);
        }
    }

    @Test
    void numbersOfPatchesNeedToSay() {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> TileKernel.of("patches", k -> {
            Tensor x = k.in("x", ValueType.I32, k.dim("n"), k.dim("w"), Dim.of(1)), y = k.inOut("y", I32, Dim.of(4));
            Convolution c = new Convolution(List.of(3), List.of(1), List.of(1), List.of(1));
            k.forEachTile(List.of(k.steps(x.dims().getFirst().times(x.dims().get(1)), 8)), at -> y.scatter(Update.ADD,
                    x.patches(c, at.get(0), List.of(Span.at(0).start()), Span.at(0)), k.full(I32, 1, 8)));
        })).getMessage().startsWith("rows are scattered by numbers from patches of 'x', some of which lie in the "
                + "padding: say with outside(…) which rows these name, -1 for none"));
    }
}
