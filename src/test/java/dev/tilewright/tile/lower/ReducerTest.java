package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.Schedule;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Reduction;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Sums of floats tell every order from every other: those of a tile's rows and columns have the executor's bits. */
class ReducerTest {

    @Test
    void sumsOfRowsAndColumnsHaveTheOrderOfTheMeaning() {
        SplittableRandom random = new SplittableRandom(27);
        for (int i = 0; i < 40; i++) {
            int axis = random.nextInt(2);
            int along = random.nextInt(4) == 0 ? 1000 + random.nextInt(1300) : 1 + random.nextInt(250);
            int beside = 2 + random.nextInt(along > 1000 ? 2 : 7);
            int rows = axis == 0 ? along : beside;
            int columns = axis == 0 ? beside : along;
            int threads = along > 1000 ? 64 << random.nextInt(3) : 32 << random.nextInt(4);
            TileKernel kernel = sums(axis, rows, columns).with(Schedule.parse("threads=" + threads));
            float[] x = new float[rows * columns];
            for (int j = 0; j < x.length; j++) {
                x[j] = (float) (random.nextGaussian() * Math.scalb(1, random.nextInt(12)));
            }
            float[] wanted = new float[beside];
            kernel.onCpu().set("x", x, rows, columns).set("y", wanted, beside).run();
            float[] got = new float[beside];
            Launch launch = kernel.launch(Map.of("x", ArrayShape.dense(rows, columns), "y",
                    ArrayShape.dense(beside)), Scalars.NONE, Target.SM_90A, 1);
            Reference.run(launch, List.of(MemorySegment.ofArray(x), MemorySegment.ofArray(got)));
            assertEquals(Arrays.toString(wanted), Arrays.toString(got), kernel::toString);
        }
    }

    @Test
    void thePlaceIsTheFirstOfEqualNumbersAndZeroOfNansAlone() {
        SplittableRandom random = new SplittableRandom(28);
        float[] few = {Float.NaN, 0, -0.0f, 1, 1, -1, -1, Float.NEGATIVE_INFINITY};
        for (int i = 0; i < 12; i++) {
            int rows = 8;
            int columns = random.nextInt(3) == 0 ? 1024 + random.nextInt(200) : 1 + random.nextInt(70);
            int threads = (columns > 1000 ? 128 : 32) << random.nextInt(2);
            TileKernel kernel = places(rows, columns).with(Schedule.parse("threads=" + threads));
            float[] x = new float[rows * columns];
            for (int row = 0; row < rows; row++) {
                // Rows of NaNs alone, of zeros of both signs, of minus infinities, and of anything.
                int kinds = row < 4 ? 1 + row : few.length;
                for (int column = 0; column < columns; column++) {
                    x[row * columns + column] = few[row == 3 ? 7 : random.nextInt(kinds)];
                }
            }
            long[] wanted = new long[2 * rows];
            kernel.onCpu().set("x", x, rows, columns).set("y", wanted, 2, rows).run();
            long[] got = new long[2 * rows];
            Launch launch = kernel.launch(Map.of("x", ArrayShape.dense(rows, columns), "y",
                    ArrayShape.dense(2, rows)), Scalars.NONE, Target.SM_90A, 1);
            Reference.run(launch, List.of(MemorySegment.ofArray(x), MemorySegment.ofArray(got)));
            assertEquals(Arrays.toString(wanted), Arrays.toString(got), kernel::toString);
        }
    }

    /** Tensor cores hold more rows than the one that there is. */
    @Test
    void thePlaceInAProductsOneRowIsTheExecutors() {
        int columns = 18;
        TileKernel kernel = TileKernel.of("place", k -> {
            Tensor a = k.in("a", ValueType.F32, Dim.of(1), Dim.of(16));
            Tensor b = k.in("b", ValueType.F32, Dim.of(16), Dim.of(columns));
            Tensor y = k.out("y", ValueType.I64, Dim.of(1));
            k.forEachTile(List.of(), _ -> y.store(k.zeros(ValueType.F32, 1, columns).mma(a.tile().to(ValueType.BF16),
                    b.tile().to(ValueType.BF16)).argMax(1).reshaped(1)));
        });
        SplittableRandom random = new SplittableRandom(29);
        float[] a = new float[16], b = new float[16 * columns];
        for (int i = 0; i < 5; i++) {
            for (int j = 0; j < b.length; j++) {
                a[j % 16] = random.nextInt(9) - 4;
                b[j] = random.nextInt(9) - 4;
            }
            long[] wanted = new long[1], got = new long[1];
            kernel.onCpu().set("a", a, 1, 16).set("b", b, 16, columns).set("y", wanted, 1).run();
            for (Target target : List.of(Target.SM_80, Target.SM_90A)) {
                Launch launch = kernel.launch(Map.of("a", ArrayShape.dense(1, 16), "b", ArrayShape.dense(16, columns),
                        "y", ArrayShape.dense(1)), Scalars.NONE, target, 1);
                Reference.run(launch, List.of(MemorySegment.ofArray(a), MemorySegment.ofArray(b),
                        MemorySegment.ofArray(got)));
                assertEquals(wanted[0], got[0], kernel::toString);
            }
        }
    }

    private static TileKernel places(int rows, int columns) {
        return TileKernel.of("places", k -> {
            Tensor x = k.in("x", ValueType.F32, Dim.of(rows), Dim.of(columns));
            Tensor y = k.out("y", ValueType.I64, Dim.of(2), Dim.of(rows));
            k.forEachTile(x, rows, columns, at -> {
                Tile all = x.tile();
                y.store(all.argMax(1).reshaped(rows), Span.at(0), Span.all(Dim.of(rows)));
                y.store(all.argMin(1).reshaped(rows), Span.at(1), Span.all(Dim.of(rows)));
            });
        });
    }

    private static TileKernel sums(int axis, int rows, int columns) {
        int beside = axis == 0 ? columns : rows;
        return TileKernel.of("sums", k -> {
            Tensor x = k.in("x", ValueType.F32, Dim.of(rows), Dim.of(columns));
            Tensor y = k.out("y", ValueType.F32, Dim.of(beside));
            k.forEachTile(y, beside, at -> y.store(at, x.tile().reduce(Reduction.SUM, axis).reshaped(beside)));
        });
    }
}
