package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Schedule;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.RowKernels;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is computed by fewer operations where all elements of a thread allow it has the bits of the longer way. */
class QuickTest {
    private static final int ROWS = 24;
    private static final int COLUMNS = 128;
    private static final List<String> OUT = List.of("power", "quotient", "silu times");

    @Test
    void powersAndQuotientsHaveTheExecutorsBits() {
        TileKernel kernel = TileKernel.of("powers", k -> {
            Tensor x = k.in("x", ValueType.F32, k.dim("rows"), Dim.of(COLUMNS));
            Tensor by = k.in("by", ValueType.F32, x.dims().getFirst(), Dim.of(1));
            Tensor y = k.out("y", ValueType.F32, x.dims().toArray(Dim[]::new));
            Tensor z = k.out("z", ValueType.F32, x.dims().toArray(Dim[]::new));
            Tensor s = k.out("s", ValueType.F32, x.dims().toArray(Dim[]::new));
            k.forEachRow(x, row -> {
                Tile v = x.row(row);
                y.storeRow(row, v.exp());
                z.storeRow(row, v.dividedBy(by.row(row)));
                s.storeRow(row, v.silu().times(by.row(row)));
            });
        }).with(Schedule.parse("threads=32"));
        String code = CudaEmitter.emit(kernel.lowered(Target.SM_90A, Map.of()).program()).text();
        assertTrue(Stream.of("exp_normal_f32", "float inverse", "silu_near_f32").allMatch(code::contains), code);
        SplittableRandom random = new SplittableRandom(27);
        for (int i = 0; i < 12; i++) {
            float[] x = new float[ROWS * COLUMNS];
            float[] by = new float[ROWS];
            for (int row = 0; row < ROWS; row++) {
                by[row] = drawn(random, random.nextInt(8) == 0 ? 140 : 40);
                int wide = random.nextInt(4) == 0 ? 140 : 6;
                for (int column = 0; column < COLUMNS; column++) {
                    x[row * COLUMNS + column] = random.nextInt(2000) == 0 ? odd(random) : drawn(random, wide);
                }
            }
            float[][] wanted = new float[OUT.size()][x.length];
            float[][] got = new float[OUT.size()][x.length];
            kernel.onCpu().set("x", x, ROWS, COLUMNS).set("by", by, ROWS, 1).set("y", wanted[0], ROWS, COLUMNS)
                    .set("z", wanted[1], ROWS, COLUMNS).set("s", wanted[2], ROWS, COLUMNS).run();
            ArrayShape shape = ArrayShape.dense(ROWS, COLUMNS);
            Launch launch = kernel.launch(Map.of("x", shape, "by", ArrayShape.dense(ROWS, 1), "y", shape, "z", shape,
                    "s", shape),
                    Scalars.NONE, Target.SM_90A, 1);
            Reference.run(launch, List.of(MemorySegment.ofArray(x), MemorySegment.ofArray(by),
                    MemorySegment.ofArray(got[0]), MemorySegment.ofArray(got[1]),
                    MemorySegment.ofArray(got[2])));
            for (int out = 0; out < OUT.size(); out++) {
                int at = Arrays.mismatch(bits(wanted[out]), bits(got[out]));
                int which = out;
                assertTrue(at < 0, () -> OUT.get(which) + " of " + x[at] + " and " + by[at / COLUMNS] + " is "
                        + wanted[which][at] + ", got " + got[which][at]);
            }
        }
    }

    /** One comparison says of all of a thread's halves that powers are quick, and sums take these from registers. */
    @Test
    void sumsOfPowersOfHalvesHaveTheExecutorsBits() {
        TileKernel kernel = RowKernels.logSoftmax(ValueType.BF16).with(Schedule.parse("threads=32"));
        String code = CudaEmitter.emit(kernel.lowered(Target.SM_90A, Map.of("columns", (long) COLUMNS)).program())
                .text();
        assertTrue(code.contains("exp_normal_f32") && code.contains("pair_min"), code);
        SplittableRandom random = new SplittableRandom(29);
        ArrayShape shape = ArrayShape.dense(ROWS, COLUMNS);
        for (int i = 0; i < 4; i++) {
            short[] x = new short[ROWS * COLUMNS];
            for (int at = 0; at < x.length; at++) {
                float number = random.nextInt(2000) == 0 ? odd(random) : (i == 0 ? 60 : 4) * random.nextFloat();
                x[at] = (short) (Float.floatToRawIntBits(number) >>> 16);
            }
            short[] wanted = new short[x.length];
            kernel.onCpu().set("x", x, ROWS, COLUMNS).set("y", wanted, ROWS, COLUMNS).run();
            short[] got = new short[x.length];
            Reference.run(kernel.launch(Map.of("x", shape, "y", shape), Scalars.NONE, Target.SM_90A, 1),
                    List.of(MemorySegment.ofArray(x), MemorySegment.ofArray(got)));
            assertArrayEquals(wanted, got);
        }
    }

    @Test
    void quotientsOfModerateNumbersAreRounded() {
        SplittableRandom random = new SplittableRandom(28);
        for (int i = 0; i < 2_000_000; i++) {
            float a = drawn(random, 119);
            float d = drawn(random, 119);
            // Mantissas near each other, and near all ones, are where quotients lie near ties.
            if (i % 3 == 0) {
                d = Float.intBitsToFloat(Float.floatToRawIntBits(d) | 0x7FFF00);
            } else if (i % 3 == 1) {
                a = Float.intBitsToFloat(Float.floatToRawIntBits(d) + random.nextInt(-9, 10));
            }
            float inverse = 1 / d;
            float rest = Math.fma(-inverse, d, 1) * inverse;
            float quotient = Math.fma(a, inverse, a * rest);
            float rounded = Math.fma(Math.fma(-quotient, d, a), inverse, quotient);
            if (rounded != a / d) {
                throw new AssertionError(Float.toHexString(a) + " / " + Float.toHexString(d) + " is "
                        + Float.toHexString(a / d) + ", got " + Float.toHexString(rounded));
            }
        }
    }

    /** @param exponents its power of two is less than half of it either way */
    private static float drawn(SplittableRandom random, int exponents) {
        float mantissa = 1 + random.nextInt(1 << 23) * 0x1p-23f;
        return Math.scalb(random.nextBoolean() ? mantissa : -mantissa, random.nextInt(exponents) - exponents / 2);
    }

    private static float odd(SplittableRandom random) {
        float[] odd = {0, -0.0f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.MIN_VALUE, 1e38f,
            86, -86, 87.5f, -104, 68, -68, -68.001f, -110};
        return odd[random.nextInt(odd.length)];
    }

    private static int[] bits(float[] numbers) {
        int[] bits = new int[numbers.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = Float.floatToRawIntBits(numbers[i]);
        }
        return bits;
    }
}
