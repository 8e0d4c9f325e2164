package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Remembered;
import dev.tilewright.Thorough;
import dev.tilewright.functions.FunctionKernels;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import java.io.IOException;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BinaryOperator;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * No kernel calls a subroutine of ptxas for a quotient or a root (docs/verify-findings.md), and the fast path of
 * quotients of f32 rounds as Java does. On a GPU {@code QuotientsGpuTest} sees the bits of both paths.
 */
class QuotientTextTest {
    private static final Pattern CALLS = Pattern.compile(
            "__[fd](div|rcp|sqrt)_|\\b(div|rcp|sqrt)\\.rn\\.");

    private static CudaSource source(ValueType type, BinaryOperator<Value> f) {
        return CudaEmitter.emit(FunctionKernels.of("f", type, f));
    }

    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16", "F32", "F64"})
    void nothingIsCalled(ValueType type) {
        CudaSource source = source(type, (x, y) -> x.dividedBy(y).plus(x.sqrt()).plus(y.reciprocal()));
        assertFalse(CALLS.matcher(source.text()).find(), source::text);
        compiledWithoutCalls(source);
    }

    private static void compiledWithoutCalls(CudaSource source) {
        for (String release : List.of("12.9", "13.3")) {
            Nvrtc nvrtc = EmbeddedCompiler.release(release);
            assertEquals("false", Remembered.answer(List.of("NVRTC calls __cuda_sm", nvrtc.version(), source.text(),
                    Target.SM_90A.toString(), String.join(" ", KernelCompiler.OPTIONS)), () ->
                    String.valueOf(new String(nvrtc.compile(source.text(), source.kernelName(), Target.SM_90A,
                            KernelCompiler.OPTIONS), StandardCharsets.ISO_8859_1).contains("__cuda_sm"))), release);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"U64", "I64"})
    void nothingIsCalledForQuotientsOfIntegers(ValueType type) {
        CudaSource source = source(type, (x, y) -> x.dividedBy(y).plus(x.remainder(y)).plus(y.dividedBy(
                Value.of(type, 7))));
        assertTrue(source.text().contains(" 7" + (type == ValueType.U64 ? "u" : "") + "ll)"), source::text);
        compiledWithoutCalls(source);
    }

    @Test
    void nothingIsCalledByKernelsThatShip() throws IOException {
        try (Stream<Path> kernels = Files.list(Path.of("kernels"))) {
            List<Path> dividing = kernels.filter(path -> path.toString().endsWith(".cu")).filter(path -> {
                String text = read(path);
                assertFalse(CALLS.matcher(text).find(), path::toString);
                return text.contains("value::quotient_f32(");
            }).toList();
            assertTrue(dividing.contains(Path.of("kernels/softmax.cu")), dividing::toString);
        }
    }

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Before its last rounding, the fast path is within 2^-22 places of the quotient a / b: the first quotient is wrong
     * by less than two, of which the remainder, as rounded, and the reciprocal leave 2^-23 at most. So it can round
     * wrongly only where a / b is as near as that to the middle between two numbers: where, of 24 bits each,
     * {@code a 2^k = b q - j}, q has 25 bits, and j is at most 8. All of these are tried, up to a j of 16.
     */
    @Test
    void quotientsNearestToTheMiddleOfTwoNumbersAreRoundedRight() {
        int stride = Thorough.of(61, 1);
        long tried = LongStream.range(1 << 23, 1 << 24).filter(b -> b % stride == 0).parallel()
                .map(QuotientTextTest::tryNearMiddles).sum();
        assertTrue(tried > (1 << 23) / stride, () -> "only " + tried);
    }

    private static long tryNearMiddles(long b) {
        int zeros = Long.numberOfTrailingZeros(b);
        long odd = b >> zeros;
        long inverse = odd;
        for (int i = 0; i < 5; i++) {
            inverse *= 2 - odd * inverse;
        }
        long tried = 0;
        for (int j = -16 >> zeros; j <= 16 >> zeros; j++) {
            for (int bits = 24 - zeros; bits <= 25 - zeros; bits++) {
                long step = bits > 0 ? 1L << bits : 1;
                for (long q = inverse * j & (step - 1); bits > 0 && q < 1 << 25; q += step) {
                    long a = odd * q - j >> bits;
                    if (q >= 1 << 24 && a >> 23 == 1) {
                        assertEquals((float) a / (float) b, fastPath(a, b), () -> Long.toHexString(b));
                        tried++;
                    }
                }
            }
        }
        return tried;
    }

    private static float fastPath(float a, float b) {
        float y = 1 / b;
        float q = a * y;
        return Math.fma(Math.fma(-b, q, a), y, q);
    }

    /** The steps of quotients of integers of 64 bits, by a guess that is as wrong as it may be. */
    @Test
    void quotientsOfIntegersAreRight() {
        SplittableRandom random = new SplittableRandom(64);
        for (int i = 0; i < Thorough.of(1 << 17, 1 << 20); i++) {
            long a = random.nextLong() >>> random.nextInt(64);
            long b = Math.max(1, random.nextLong() >>> random.nextInt(64)) - (random.nextInt(8) == 0 ? a : 0);
            if (b != 0) {
                long around = Long.divideUnsigned(a, b) * b;
                for (long near : new long[] {a, around, around - 1, around + b - 1, -1}) {
                    for (double wrong : new double[] {0x1p-20, -0x1p-20, random.nextDouble() * 0x1p-21}) {
                        assertEquals(Long.divideUnsigned(near, b), wideQuotient(near, b, wrong), () ->
                                Long.toUnsignedString(near) + " / " + Long.toUnsignedString(b));
                    }
                }
            }
        }
    }

    private static long wideQuotient(long a, long b, double wrong) {
        double d = asDouble(b, RoundingMode.CEILING);
        double y = 1 / d * (1 + wrong);
        double e = Math.fma(-d, y, 1);
        e = Math.fma(e, e, e);
        y = Math.fma(y, e, y);
        y = towards0(Math.fma(y, Math.fma(-d, y, 1), y), 1 - 0x1p-50);
        long q = whole(towards0(asDouble(a, RoundingMode.FLOOR), y));
        long left = a - q * b;
        long p = whole(towards0(asDouble(left, RoundingMode.FLOOR), y));
        return q + p + (Long.compareUnsigned(left - p * b, b) >= 0 ? 1 : 0);
    }

    private static double asDouble(long unsigned, RoundingMode mode) {
        int drop = Math.max(0, 11 - Long.numberOfLeadingZeros(unsigned));
        long kept = unsigned >>> drop;
        return Math.scalb((double) (mode == RoundingMode.CEILING && kept << drop != unsigned ? kept + 1 : kept), drop);
    }

    private static double towards0(double a, double b) {
        double product = a * b;
        return Math.fma(a, b, -product) < 0 ? Math.nextDown(product) : product;
    }

    private static long whole(double number) {
        return number < 0x1p63 ? (long) number : (long) (number - 0x1p63) + Long.MIN_VALUE;
    }

    /** Native programs compile the operations themselves: {@code -Dtilewright.update=true} writes them. */
    @Test
    void nativeProgramsHaveTheseOperations() throws IOException {
        StringBuilder text = new StringBuilder("// Made by QuotientTextTest from the emitter.\n\n");
        for (ValueType type : new ValueType[] {ValueType.F32, ValueType.F64}) {
            String kernel = source(type, (x, y) -> x.dividedBy(y).plus(x.sqrt()).plus(y.reciprocal())).text();
            text.append(kernel, kernel.indexOf("namespace value"), kernel.indexOf("extern \"C\""));
        }
        Path path = Path.of("native-tests/division/operations.cuh");
        if (Boolean.getBoolean("tilewright.update")) {
            Files.writeString(path, text);
        }
        assertEquals(Files.readString(path), text.toString());
    }
}
