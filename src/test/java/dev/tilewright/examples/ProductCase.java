package dev.tilewright.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.Schedule;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.kernel.Gemm;
import dev.tilewright.verify.CaseDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A matrix product of random operands, and what has to come out. Operands are of either sign and of magnitudes from
 * 2^-7 to 2^8, so that sums cancel and lose bits.
 *
 * @param a m × k, row by row @param b as the kernel takes it @param expected m × n, row by row
 */
public record ProductCase(TileProgram program, Launch launch, MemorySegment a, MemorySegment b,
        MemorySegment expected) {
    private static final int ALIGNMENT = 128;

    /** Of f32 numbers, by a tile kernel. */
    public static ProductCase f32(int m, int n, int k, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        float[] a = numbers(random, m * k);
        float[] b = numbers(random, k * n);
        Launch launch = Gemm.of(ValueType.F32).kernel().launch(Map.of("a", ArrayShape.dense(m, k), "b",
                ArrayShape.dense(k, n), "c", ArrayShape.dense(m, n)), Scalars.NONE, Target.SM_90A, 2);
        return new ProductCase(launch.program(), launch, segment(a), segment(b),
                segment(DirectProducts.f32(a, b, m, n, k)));
    }

    /** The launch of {@link #bf16}. @param blocks at most */
    static Launch bf16Launch(int m, int n, int k, int blocks) {
        return Gemm.of(ValueType.BF16).withTransposedB().kernel().with(Schedule.parse("tile=64x256")).launch(
                Map.of("a", ArrayShape.dense(m, k), "b", ArrayShape.dense(n, k), "c", ArrayShape.dense(m, n)),
                Scalars.NONE, Target.SM_90A, blocks);
    }

    /** Of bf16 numbers, by a tile kernel. @param blocks at most */
    public static ProductCase bf16(int m, int n, int k, int blocks, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        short[] a = rounded(numbers(random, m * k));
        short[] b = rounded(numbers(random, n * k));
        Launch launch = bf16Launch(m, n, k, blocks);
        return new ProductCase(launch.program(), launch, segment(a), segment(b), segment(rounded(
                DirectProducts.bf16(a, b, m, n, k))));
    }

    /**
     * Numbers for the kernel that multiplies by warps: its sums, too, take in 16 products at a time, k ascending.
     */
    public static ProductCase warps(int m, int n, int k, long seed) {
        ProductCase same = bf16(m, n, k, 1, seed);
        return new ProductCase(WarpProduct.program(), WarpProduct.launch(m, n, k), same.a, same.b, same.expected);
    }

    private static float[] numbers(SplittableRandom random, int count) {
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = Float.intBitsToFloat(random.nextInt() & 0x807F_FFFF | 120 + random.nextInt(15) << 23);
        }
        return numbers;
    }

    /** To nearest even. */
    private static short[] rounded(float[] numbers) {
        short[] bf16 = new short[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            int bits = Float.floatToRawIntBits(numbers[i]);
            bf16[i] = (short) (bits + 0x7FFF + (bits >>> 16 & 1) >>> 16);
        }
        return bf16;
    }

    private static MemorySegment segment(float[] numbers) {
        MemorySegment segment = Arena.ofAuto().allocate(4L * numbers.length, ALIGNMENT);
        MemorySegment.copy(numbers, 0, segment, ValueLayout.JAVA_FLOAT, 0, numbers.length);
        return segment;
    }

    private static MemorySegment segment(short[] numbers) {
        MemorySegment segment = Arena.ofAuto().allocate(2L * numbers.length, ALIGNMENT);
        MemorySegment.copy(numbers, 0, segment, ValueLayout.JAVA_SHORT, 0, numbers.length);
        return segment;
    }

    /** Runs the kernel. @return what it leaves in C */
    public MemorySegment run(CaseDevice device, Arena arena) {
        MemorySegment result = arena.allocate(expected.byteSize(), ALIGNMENT).fill((byte) 0xEE);
        device.run(launch, List.of(a, b, result));
        return result;
    }

    /** Every byte is as expected. */
    public void assertResult(MemorySegment result) {
        assertEquals(-1, expected.mismatch(result), "the first byte that differs, of " + expected.byteSize());
    }
}
