package dev.tilewright.reference.tensor;

import dev.tilewright.program.value.ValueType;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The arithmetic of tensor-core instructions on one thread, operands taken apart included. An operation is a
 * multiply-add, so that operations a microsecond are millions a second.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = {"-Xms256m", "-Xmx256m"})
public class TensorProductBenchmark {
    private static final int K = 16;
    private static final int MMA = 16 * 8 * K;
    private static final int WGMMA = 64 * 256 * K;

    /** A's and B's type and the result's. */
    @Param({"bf16.f32", "f16.f32", "f16.f16", "tf32.f32", "e4m3.f32", "i8.i32", "f64.f64"})
    private String types;

    private TensorProduct product;
    private long[] a;
    private long[] b;
    private long[] cd;

    @Setup
    public void fill() {
        String[] names = types.toUpperCase(Locale.ROOT).split("\\.");
        ValueType operand = ValueType.valueOf(names[0]);
        ValueType result = ValueType.valueOf(names[1]);
        product = TensorProduct.mma(operand, operand, result, false, TensorCore.HOPPER);
        SplittableRandom random = new SplittableRandom(1);
        a = numbers(random, operand, 64 * K);
        b = numbers(random, operand, 256 * K);
        cd = new long[64 * 256];
    }

    /** Numbers of ordinary size: exponents in a range of sixteen. */
    private static long[] numbers(SplittableRandom random, ValueType type, int count) {
        long[] words = new long[count];
        for (int i = 0; i < count; i++) {
            float value = (float) ((random.nextBoolean() ? 1 : -1) * Math.scalb(random.nextDouble(1, 2),
                    random.nextInt(-4, 4)));
            words[i] = switch (type) {
                case F16 -> Float.floatToFloat16(value) & 0xFFFFL;
                case BF16 -> Float.floatToRawIntBits(value) >>> 16;
                case TF32 -> Float.floatToRawIntBits(value) & 0xFFFF_FFFFL;
                case F64 -> Double.doubleToRawLongBits(value);
                case E4M3 -> random.nextInt(0x60) | random.nextInt(2) << 7;
                default -> random.nextInt(-128, 128);
            };
        }
        return words;
    }

    /** mma.sync m16n8k16 (of shorter instructions, several). */
    @Benchmark
    @OperationsPerInvocation(MMA)
    public long[] mma() {
        Arrays.fill(cd, 0, 128, 0);
        product.multiplyAdd(a, b, cd, 16, 8, K);
        return cd;
    }

    /** wgmma m64n256k16. */
    @Benchmark
    @OperationsPerInvocation(WGMMA)
    public long[] wgmma() {
        Arrays.fill(cd, 0);
        product.multiplyAdd(a, b, cd, 64, 256, K);
        return cd;
    }
}
