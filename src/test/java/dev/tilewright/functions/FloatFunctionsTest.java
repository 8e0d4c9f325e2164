package dev.tilewright.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How far functions of f32 are from what they should be. The bit patterns at a stride:
 * {@code -Dtilewright.functions.stride=1} takes all 2^32 (on all cores, 16 of which take about 20 s a function) and
 * prints the greatest errors; of the functions that the regular expression {@code -Dtilewright.functions.names}
 * matches, in an ordinary run of a third of them.
 */
class FloatFunctionsTest {
    private static final int ORDINARY = 8191;
    private static final long STRIDE = Long.getLong("tilewright.functions.stride", ORDINARY);
    private static final long PAIRS = (1L << 30) / STRIDE;
    private static final int BLOCK = 1 << 20;
    private static final Pattern ONLY = Pattern.compile(System.getProperty("tilewright.functions.names", ".*"));
    private static final List<FunctionCases.OfFloat> FUNCTIONS = FunctionCases.F32.stream()
            .filter(c -> ONLY.matcher(c.name()).matches()).toList();
    /** Where something special begins or ends, and their neighbours. */
    private static final float[] SPECIAL = {0, Float.MIN_VALUE, 0x1p-126f, 0x1.fffffcp-127f, 1, 2, 0.5f, 1.5f, 3, 0.55f,
        0.7853982f, 1.5707964f, 3.1415927f, 88.72284f, 103.97208f, 104, 128, 149, 150, 16777216, 8388608, 0x1p127f,
        Float.MAX_VALUE, Float.POSITIVE_INFINITY, Float.NaN};

    /** The greatest error of some arguments, and where. */
    private record Worst(double ulps, float x, float y) {
        static final Worst NONE = new Worst(0, 0, 0);

        static Worst greater(Worst a, Worst b) {
            return b.ulps > a.ulps || b.ulps == a.ulps && b.x < a.x ? b : a;
        }
    }

    private static void report(String name, double bound, Worst worst, float result, double exact, long count) {
        String text = "%-9s %.4f ulp at %s (%08x): %s in the place of %s; %,d arguments".formatted(name, worst.ulps,
                worst.x, Float.floatToRawIntBits(worst.x), result, exact, count);
        if (STRIDE != ORDINARY) {
            System.err.println(text);
        }
        assertTrue(worst.ulps <= bound, text);
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @FieldSource("FUNCTIONS")
    void asNearAsDocumented(FunctionCases.OfFloat c) {
        CompiledFunction.OfFloat f = CompiledFunction.compile(c.tree(), CompiledFunction.OfFloat.class);
        long blocks = (1L << 32) / BLOCK;
        LongStream all = LongStream.range(0, blocks);
        Worst worst = (STRIDE == ORDINARY ? all : all.parallel()).mapToObj(b -> {
            Worst found = Worst.NONE;
            long first = Math.ceilDiv(b * BLOCK, STRIDE) * STRIDE;
            for (long bits = first; bits < (b + 1) * BLOCK; bits += STRIDE) {
                float x = Float.intBitsToFloat((int) bits);
                found = worse(found, f, c, x);
            }
            return found;
        }).reduce(Worst.NONE, Worst::greater);
        for (float special : SPECIAL) {
            for (float x : new float[] {special, Math.nextUp(special), Math.nextDown(special)}) {
                worst = worse(worse(worst, f, c, x), f, c, -x);
            }
        }
        // Every float from 0.9999 to 1.0001.
        for (float x = 0.9999f; x < 1.0001f; x = Math.nextUp(x)) {
            worst = worse(worse(worst, f, c, x), f, c, -x);
        }
        report(c.name(), c.ulps(), worst, f.apply(worst.x), c.exact().applyAsDouble(worst.x), (1L << 32) / STRIDE);
    }

    private static Worst worse(Worst before, CompiledFunction.OfFloat f, FunctionCases.OfFloat c, float x) {
        float result = f.apply(x);
        double exact = c.exact().applyAsDouble(x);
        // Quick where the result is the exact one rounded.
        if (result == exact && exact != 0) {
            return before;
        }
        double ulps = DoubleFunctions.ulps(result, exact);
        return ulps > before.ulps ? new Worst(ulps, x, 0) : before;
    }

    @Test
    void powers() {
        CompiledFunction.OfFloats f = CompiledFunction.compile(FunctionCases.pow(ValueType.F32),
                CompiledFunction.OfFloats.class);
        IntStream blocks = IntStream.range(0, 1024);
        Worst worst = (STRIDE == ORDINARY ? blocks : blocks.parallel()).mapToObj(b -> {
            Worst found = Worst.NONE;
            SplittableRandom random = new SplittableRandom(b);
            for (long i = 0; i < PAIRS / 1024; i++) {
                float x = base(random, (int) i & 3);
                found = worse(found, f, x, (i & 3) == 0 ? Float.intBitsToFloat(random.nextInt()) : exponent(random, x));
            }
            return found;
        }).reduce(Worst.NONE, Worst::greater);
        for (float x : SPECIAL) {
            for (float y : SPECIAL) {
                for (int sign = 0; sign < 4; sign++) {
                    worst = worse(worst, f, (sign & 1) == 0 ? x : -x, (sign & 2) == 0 ? y : -y);
                }
            }
        }
        report("pow", FunctionCases.POW_ULPS, worst, f.apply(worst.x, worst.y),
                DoubleFunctions.pow(worst.x, worst.y), PAIRS);
    }

    private static float base(SplittableRandom random, int kind) {
        return switch (kind) {
            case 0 -> Float.intBitsToFloat(random.nextInt());
            case 1 -> Float.intBitsToFloat(random.nextInt() & Integer.MAX_VALUE);
            case 2 -> (float) (0.5 + 1.5 * random.nextDouble());
            default -> 1 + (random.nextInt(4000) - 2000) * 0x1p-23f;
        };
    }

    /** With which the power is neither 0 nor infinite, most often. */
    private static float exponent(SplittableRandom random, float x) {
        return (float) ((random.nextDouble() * 300 - 160) / (StrictMath.log(x) / StrictMath.log(2)));
    }

    private static Worst worse(Worst before, CompiledFunction.OfFloats f, float x, float y) {
        double ulps = DoubleFunctions.ulps(f.apply(x, y), DoubleFunctions.pow(x, y));
        return ulps > before.ulps ? new Worst(ulps, x, y) : before;
    }

    @Test
    void exactWhereTheResultIsAFloat() {
        CompiledFunction.OfFloat exp2 = compiled("exp2");
        CompiledFunction.OfFloat log2 = compiled("log2");
        for (int n = -149; n < 128; n++) {
            assertEquals(Math.scalb(1f, n), exp2.apply(n));
            assertEquals(n, log2.apply(Math.scalb(1f, n)));
        }
        CompiledFunction.OfFloat rsqrt = compiled("rsqrt");
        for (int n = -74; n < 63; n++) {
            assertEquals(Math.scalb(1f, -n), rsqrt.apply(Math.scalb(1f, 2 * n)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"expm1", "tanh", "erf", "silu", "gelu", "geluTanh", "sin"})
    void zerosKeepTheirSign(String name) {
        assertEquals(0f, compiled(name).apply(0f));
        assertEquals(-0f, compiled(name).apply(-0f));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tanh", "erf", "sin", "cos", "sigmoid"})
    void signsAndBounds(String name) {
        CompiledFunction.OfFloat f = compiled(name);
        for (long bits = 0; bits <= Float.floatToRawIntBits(Float.MAX_VALUE); bits += ORDINARY) {
            float x = Float.intBitsToFloat((int) bits);
            float result = f.apply(x);
            float opposite = f.apply(-x);
            assertTrue(Math.abs(result) <= 1 && Math.abs(opposite) <= 1, () -> name + " of " + x + ": " + result);
            switch (name) {
                case "cos" -> assertEquals(result, opposite);
                case "sigmoid" -> assertTrue(opposite >= 0 && opposite <= 0.5f && result >= 0.5f);
                default -> assertEquals(-result, opposite);
            }
        }
    }

    private static CompiledFunction.OfFloat compiled(String name) {
        return CompiledFunction.compile(FunctionCases.F32.stream().filter(c -> c.name().equals(name)).findFirst()
                .orElseThrow().tree(), CompiledFunction.OfFloat.class);
    }
}
