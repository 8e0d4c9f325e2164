package dev.tilewright.reference.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.program.value.ValueType;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** Tensor-core products against the measured rules in exact arithmetic; {@code RecordingReplayTest} has hardware. */
class TensorProductTest {
    private static final int M = 3;
    private static final int N = 2;

    private record Kind(ValueType a, ValueType b, ValueType result, int k) { }

    private static final List<Kind> SHORT = List.of(new Kind(ValueType.F16, ValueType.F16, ValueType.F32, 16),
            new Kind(ValueType.F16, ValueType.F16, ValueType.F16, 8),
            new Kind(ValueType.BF16, ValueType.BF16, ValueType.F32, 16),
            new Kind(ValueType.TF32, ValueType.TF32, ValueType.F32, 8));

    private static final List<Kind> EIGHT_BITS = List.of(new Kind(ValueType.E4M3, ValueType.E4M3, ValueType.F32, 32),
            new Kind(ValueType.E5M2, ValueType.E5M2, ValueType.F32, 32),
            new Kind(ValueType.E4M3, ValueType.E5M2, ValueType.F32, 32),
            new Kind(ValueType.E5M2, ValueType.E4M3, ValueType.F16, 32));

    private static int fraction(ValueType type) {
        return switch (type) {
            case F16 -> 10;
            case BF16 -> 7;
            case E4M3 -> 3;
            case E5M2 -> 2;
            default -> 23;
        };
    }

    /** Makes all but two of {@code k} numbers zeros of either sign, and the exponents of the others small. */
    private static void few(SplittableRandom random, ValueType type, long[] words, int k) {
        long sign = 1L << type.bits() - 1;
        long fractions = (1L << fraction(type)) - 1;
        for (int i = 0; i < words.length; i++) {
            long field = (words[i] & sign - 1) >>> fraction(type);
            words[i] &= sign | (random.nextInt(k) < 2 ? fractions : 0);
            words[i] |= (words[i] & fractions) == 0 ? 0 : field / 4 << fraction(type);
        }
    }

    /** Numbers of several sorts: any bits, of like size, and now and then special ones. */
    private static long[] numbers(SplittableRandom random, ValueType type, int count, int sort) {
        long mask = -1L >>> 64 - type.bits();
        int fraction = fraction(type);
        long exponents = mask >>> 1 >>> fraction << fraction;
        long one = exponents >>> 1 & exponents;
        long[] words = new long[count];
        for (int i = 0; i < count; i++) {
            long bits = random.nextLong() & mask;
            if (sort > 0) {
                bits = bits & ~exponents | one + ((long) random.nextInt(-sort, sort) << fraction) & exponents;
            }
            if (random.nextInt(sort == 1 ? 1000 : 25) == 0) {
                bits = switch (random.nextInt(4)) {
                    case 0 -> exponents;
                    case 1 -> bits | exponents;
                    case 2 -> bits & ~exponents;
                    default -> bits & ~(mask >>> 1);
                };
            }
            words[i] = bits;
        }
        return words;
    }

    private static void check(Kind kind, long seed, TensorProduct product, Dot expected) {
        SplittableRandom random = new SplittableRandom(seed);
        int sort = random.nextInt(5);
        long[] a = numbers(random, kind.a(), M * kind.k(), sort);
        long[] b = numbers(random, kind.b(), N * kind.k(), sort);
        long[] c = numbers(random, kind.result(), M * N, random.nextInt(3) * 4);
        if (random.nextInt(3) == 0) {
            // Products that cancel in pairs.
            for (int i = 1; i < a.length; i += 2) {
                a[i] = a[i - 1] ^ 1L << kind.a().bits() - 1;
            }
            for (int i = 1; i < b.length; i += 2) {
                b[i] = b[i - 1];
            }
            Arrays.setAll(c, i -> random.nextBoolean() ? 0 : c[i]);
        }
        if (random.nextInt(4) == 0) {
            few(random, kind.a(), a, kind.k());
            few(random, kind.b(), b, 2);
            Arrays.setAll(c, i -> c[i] & 1L << kind.result().bits() - 1);
        }
        long[] d = c.clone();
        product.multiplyAdd(a, b, d, M, N, kind.k());
        for (int i = 0; i < M; i++) {
            for (int j = 0; j < N; j++) {
                long[] row = Arrays.copyOfRange(a, i * kind.k(), (i + 1) * kind.k());
                long[] column = Arrays.copyOfRange(b, j * kind.k(), (j + 1) * kind.k());
                long sum = expected.of(row, column, c[i * N + j]);
                if (sum != d[i * N + j]) {
                    assertEquals(HexFormat.of().toHexDigits(sum), HexFormat.of().toHexDigits(d[i * N + j]),
                            kind + " row " + i + " column " + j);
                }
            }
        }
    }

    private interface Dot {
        long of(long[] a, long[] b, long c);
    }

    @Property(tries = 750)
    @OrdinaryTries(300)
    void sumsOfShortFloats(@ForAll @LongRange long seed) {
        Kind kind = SHORT.get(new SplittableRandom(~seed).nextInt(SHORT.size()));
        Dot expected = (a, b, c) -> ExactDot.dot(kind.a(), kind.b(), a, b, c, kind.result(), 25, 23);
        check(kind, seed, TensorProduct.mma(kind.a(), kind.b(), kind.result(), false, TensorCore.HOPPER), expected);
        check(kind, seed, TensorProduct.wgmma(kind.a(), kind.b(), kind.result(), false), expected);
    }

    /** As {@code native-tests/tiny-products} has it of an H100. */
    @Test
    void whatIsRoundedToZeroHasNoSign() {
        for (ValueType result : List.of(ValueType.F32, ValueType.F16)) {
            ValueType type = result == ValueType.F32 ? ValueType.BF16 : ValueType.F16;
            long[] a = new long[16];
            long[] b = new long[16];
            a[3] = 0x8001;
            b[3] = 1;
            long[] d = {result == ValueType.F32 ? 0x8000_0000L : 0x8000};
            TensorProduct.wgmma(type, type, result, false).multiplyAdd(a, b, d, 1, 1, 16);
            assertEquals(0, d[0], result.toString());
        }
    }

    /** Published of Ampere: 24 bits, and half of K at once. */
    @Property(tries = 400)
    @OrdinaryTries(200)
    void sumsOfShortFloatsOnAmpere(@ForAll @LongRange long seed) {
        Kind kind = SHORT.get(new SplittableRandom(~seed).nextInt(SHORT.size()));
        check(kind, seed, TensorProduct.mma(kind.a(), kind.b(), kind.result(), false, TensorCore.AMPERE), (a, b, c) -> {
            long sum = c;
            int half = kind.a() == ValueType.TF32 ? 4 : 8;
            for (int k = 0; k < a.length; k += half) {
                sum = ExactDot.dot(kind.a(), kind.b(), Arrays.copyOfRange(a, k, k + half),
                        Arrays.copyOfRange(b, k, k + half), sum, kind.result(), 24, 23);
            }
            return sum;
        });
    }

    @Property(tries = 500)
    void sumsOfEightBitFloatsInWgmma(@ForAll @LongRange long seed) {
        Kind kind = EIGHT_BITS.get(new SplittableRandom(~seed).nextInt(EIGHT_BITS.size()));
        check(kind, seed, TensorProduct.wgmma(kind.a(), kind.b(), kind.result(), false),
                (a, b, c) -> ExactDot.dot(kind.a(), kind.b(), a, b, c, kind.result(), 13, 13));
    }

    @Property(tries = 500)
    void sumsOfEightBitFloatsInMma(@ForAll @LongRange long seed) {
        Kind kind = EIGHT_BITS.get(new SplittableRandom(~seed).nextInt(3));
        check(kind, seed, TensorProduct.mma(kind.a(), kind.b(), kind.result(), false, TensorCore.HOPPER),
                (a8, b8, c) -> {
            long[] a = asF16(kind.a(), a8);
            long[] b = asF16(kind.b(), b8);
            ValueType f16 = ValueType.F16;
            long first = ExactDot.dot(f16, f16, quarters(a, 0), quarters(b, 0), 0, ValueType.F32, 25, 23);
            long both = ExactDot.dot(f16, f16, quarters(a, 2), quarters(b, 2), first, ValueType.F32, 25, 23);
            float sum = Float.intBitsToFloat((int) both) + Float.intBitsToFloat((int) c);
            return Float.isNaN(sum) ? 0x7FFF_FFFFL : Float.floatToRawIntBits(sum) & 0xFFFF_FFFFL;
        });
    }

    private static long[] asF16(ValueType type, long[] words) {
        return Arrays.stream(words).map(w -> Float.floatToFloat16((float) ExactDot.value(type, w)) & 0xFFFFL).toArray();
    }

    /** The elements whose index mod 4 is {@code from} or the next. */
    private static long[] quarters(long[] all, int from) {
        long[] result = new long[all.length / 2];
        for (int i = 0; i < result.length; i++) {
            result[i] = all[i / 2 * 4 + from + i % 2];
        }
        return result;
    }

    @Property(tries = 500)
    void sumsOfIntegers(@ForAll @LongRange long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ValueType[] types = {ValueType.I8, ValueType.U8};
        ValueType aType = types[random.nextInt(2)];
        ValueType bType = types[random.nextInt(2)];
        boolean saturates = random.nextBoolean();
        long[] a = random.longs(M * 32).toArray();
        long[] b = random.longs(N * 32).toArray();
        long[] c = new long[M * N];
        Arrays.setAll(c, i -> random.nextBoolean() ? random.nextInt()
                : random.nextBoolean() ? Integer.MAX_VALUE - random.nextInt(90_000) : Integer.MIN_VALUE
                + random.nextInt(90_000));
        TensorProduct product = random.nextBoolean() ? TensorProduct.mma(aType, bType, ValueType.I32, saturates,
                TensorCore.HOPPER)
                : TensorProduct.wgmma(aType, bType, ValueType.I32, saturates);
        long[] d = c.clone();
        product.multiplyAdd(a, b, d, M, N, 32);
        for (int i = 0; i < M * N; i++) {
            BigInteger sum = BigInteger.valueOf(c[i]);
            for (int k = 0; k < 32; k++) {
                sum = sum.add(BigInteger.valueOf(aType.word(a[i / N * 32 + k]) * bType.word(b[i % N * 32 + k])));
            }
            long expected = saturates ? sum.max(BigInteger.valueOf(Integer.MIN_VALUE))
                    .min(BigInteger.valueOf(Integer.MAX_VALUE)).longValue() : sum.intValue();
            assertEquals(expected, d[i]);
        }
    }

    @Test
    void chainsOfDoubles() {
        TensorProduct product = TensorProduct.mma(ValueType.F64, ValueType.F64, ValueType.F64, false,
                TensorCore.HOPPER);
        long[] d = {bits(0x1p-60)};
        // (2^-60 + 1) - 1: the first step rounds, as one sum of all would not.
        product.multiplyAdd(new long[] {bits(1), bits(-1)}, new long[] {bits(1), bits(1)}, d, 1, 1, 2);
        assertEquals(0, d[0]);
        long signalling = 0x7FF0_0000_0000_0001L;
        d[0] = signalling + 1;
        product.multiplyAdd(new long[] {signalling}, new long[] {signalling + 2}, d, 1, 1, 1);
        assertEquals(0x7FF8_0000_0000_0003L, d[0]);
        d[0] = signalling + 1;
        product.multiplyAdd(new long[] {signalling}, new long[] {bits(1)}, d, 1, 1, 1);
        assertEquals(0x7FF8_0000_0000_0002L, d[0]);
        d[0] = 0;
        product.multiplyAdd(new long[] {signalling}, new long[] {bits(1)}, d, 1, 1, 1);
        assertEquals(0x7FF8_0000_0000_0001L, d[0]);
        d[0] = 0;
        product.multiplyAdd(new long[] {bits(Double.POSITIVE_INFINITY)}, new long[] {0}, d, 1, 1, 1);
        assertEquals(0xFFF8_0000_0000_0000L, d[0]);
    }

    private static long bits(double value) {
        return Double.doubleToRawLongBits(value);
    }

    @Test
    void combinationsThatThereAreNotAreRefused() {
        record Asked(boolean mma, ValueType a, ValueType b, ValueType result, String words) { }
        for (Asked asked : List.of(
                new Asked(true, ValueType.F16, ValueType.BF16, ValueType.F32, "multiply f16 with f16"),
                new Asked(true, ValueType.BF16, ValueType.BF16, ValueType.F16, "added in f32, not in f16"),
                new Asked(true, ValueType.F32, ValueType.F32, ValueType.F32, "f16, bf16, tf32, e4m3"),
                new Asked(true, ValueType.I8, ValueType.I8, ValueType.F32, "add in i32"),
                new Asked(true, ValueType.F64, ValueType.F64, ValueType.F32, "add in f64"),
                new Asked(true, ValueType.E4M3, ValueType.F16, ValueType.F32, "with e4m3 or e5m2"),
                new Asked(true, ValueType.F16, ValueType.F16, ValueType.BF16, "in f32 or f16"),
                new Asked(false, ValueType.F64, ValueType.F64, ValueType.F64, "use mma.sync"))) {
            String message = assertThrows(IllegalArgumentException.class, () -> {
                if (asked.mma()) {
                    TensorProduct.mma(asked.a(), asked.b(), asked.result(), false, TensorCore.HOPPER);
                } else {
                    TensorProduct.wgmma(asked.a(), asked.b(), asked.result(), false);
                }
            }).getMessage();
            assertTrue(message.contains(asked.words()), message);
        }
    }
}
