package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.builder.Schedule;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Reduction;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.verify.CaseDevice;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Rows of 16-bit floats, of which threads compare two at once: the greatest and the least, and powers whose shorter way
 * the least allows, have the executor's bits for numbers near and far from each other, zeros of both signs, infinities
 * and NaNs.
 */
@OnEveryStage
record HalfRowsGpuTest(Stage stage) {
    private static final int KINDS = 9;
    private static final List<Reduction> EXTREMES = List.of(Reduction.MAX, Reduction.MIN, Reduction.MAX_NAN,
            Reduction.MIN_NAN);

    @ParameterizedTest
    @CsvSource({"BF16, 4096, none, true", "F16, 4096, none, true", "BF16, 512, threads=128, true",
        "F16, 512, threads=32, true", "BF16, 1000, threads=64, false", "F16, 128, threads=64, false"})
    void rowsHaveTheExecutorsBits(ValueType type, int columns, String schedule, boolean pairs) {
        TileKernel kernel = kernel(type, columns);
        TileKernel scheduled = schedule.equals("none") ? kernel : kernel.with(Schedule.parse(schedule));
        String source = CudaEmitter.emit(scheduled.lowered(Target.SM_90A, Map.of()).program()).text();
        assertTrue(source.contains("value::pair_min_nan_") == pairs && source.contains("value::pair_max_") == pairs,
                source);
        assumeTrue(stage.takes(columns + type.ordinal(), 3), "an ordinary run takes one in three");
        // A test that is skipped draws no numbers.
        CaseDevice device = stage.device(Target.SM_90A);
        int rows = stage.most(KINDS, 40 * KINDS);
        SplittableRandom random = new SplittableRandom(columns);
        short[] x = new short[rows * columns];
        for (int i = 0; i < x.length; i++) {
            x[i] = drawn(random, type, i / columns % KINDS);
        }
        short[] y = new short[x.length];
        float[][] extremes = new float[EXTREMES.size()][rows];
        CpuLaunch expected = kernel.onCpu().set("x", x, rows, columns).set("y", y, rows, columns);
        short[] its = new short[x.length];
        float[][] itsExtremes = new float[EXTREMES.size()][rows];
        Map<String, ArrayShape> shapes = new HashMap<>(Map.of("x", ArrayShape.dense(rows, columns), "y",
                ArrayShape.dense(rows, columns)));
        List<MemorySegment> memory = new ArrayList<>(List.of(MemorySegment.ofArray(x), MemorySegment.ofArray(its)));
        for (int i = 0; i < extremes.length; i++) {
            expected.set(name(EXTREMES.get(i)), extremes[i], rows);
            shapes.put(name(EXTREMES.get(i)), ArrayShape.dense(rows));
            memory.add(MemorySegment.ofArray(itsExtremes[i]));
        }
        expected.run();
        device.run(scheduled.launch(shapes, Scalars.NONE, Target.SM_90A, 1), memory);
        assertArrayEquals(y, its);
        for (int i = 0; i < extremes.length; i++) {
            assertArrayEquals(bits(extremes[i]), bits(itsExtremes[i]), name(EXTREMES.get(i)));
        }
    }

    private static TileKernel kernel(ValueType type, int columns) {
        return TileKernel.of("half_rows", k -> {
            Dim rows = k.dim("rows");
            Tensor x = k.in("x", type, rows, Dim.of(columns)), y = k.out("y", type, rows, Dim.of(columns));
            List<Tensor> extremes = EXTREMES.stream().map(one -> k.out(name(one), ValueType.F32, rows)).toList();
            k.forEachRow(x, row -> {
                Tile v = x.row(row).to(ValueType.F32);
                Tile powers = v.minus(v.max()).exp();
                y.storeRow(row, powers.dividedBy(powers.sum()).to(type));
                for (int i = 0; i < EXTREMES.size(); i++) {
                    extremes.get(i).store(row, v.reduce(EXTREMES.get(i), 0).reshaped());
                }
            });
        });
    }

    private static String name(Reduction extreme) {
        return "row_" + extreme.op();
    }

    /** @param kind of all numbers of a row */
    private static short drawn(SplittableRandom random, ValueType type, int kind) {
        return bits(type, switch (kind) {
            case 0 -> (float) random.nextGaussian();
            // Near what is subtracted, and near where the shorter way ends.
            case 1 -> random.nextInt(100) == 0 ? -40.75f - random.nextInt(4) / 8f : -random.nextInt(3) / 8f;
            case 2 -> (float) (random.nextGaussian() * 200);
            case 3 -> random.nextInt(500) == 0 ? Float.NaN : (float) random.nextGaussian();
            case 4 -> Float.NaN;
            case 5 -> random.nextBoolean() ? 0.0f : -0.0f;
            case 6 -> random.nextInt(300) == 0 ? Float.POSITIVE_INFINITY : random.nextInt(9);
            case 7 -> random.nextInt(300) == 0 ? Float.NEGATIVE_INFINITY : random.nextInt(9);
            default -> random.nextInt(4000) == 0 ? Float.NaN : Float.NEGATIVE_INFINITY;
        });
    }

    private static short bits(ValueType type, float value) {
        return type == ValueType.F16 ? Float.floatToFloat16(value) : (short) (Float.floatToRawIntBits(value) >>> 16);
    }

    private static int[] bits(float[] numbers) {
        int[] bits = new int[numbers.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = Float.floatToRawIntBits(numbers[i]);
        }
        return bits;
    }
}
