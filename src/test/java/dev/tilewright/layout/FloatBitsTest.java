package dev.tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.Thorough;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rounding and NaNs: values seen on hardware, and the definition of rounding. */
class FloatBitsTest {

    @ParameterizedTest
    @CsvSource({
        "3f801001, 3f802000", "3f803000, 3f804000", "3f805000, 3f804000", "3f801000, 3f800000", "3fffffff, 40000000",
        "7f7fffff, 7f800000", "ff7ff000, ff800000", "7f800000, 7f800000", "ff800000, ff800000",
        "7f800001, 7fffe000", "ffc00001, 7fffe000", "7fc00000, 7fffe000",
        "00000001, 00000000", "80000001, 80000000", "007fffff, 00800000", "80000000, 80000000"})
    void knownValuesOfTf32(String from, String to) {
        assertEquals(to, "%08x".formatted(FloatBits.toTf32(Integer.parseUnsignedInt(from, 16))));
    }

    @Property(tries = 750)
    void tf32IsTheNearestMultipleAndTheEvenOneOfTwo(@ForAll int bits) {
        float value = Float.intBitsToFloat(bits);
        if (!Float.isFinite(value)) {
            return;
        }
        // Two neighbours of a binary32 number among those whose last 13 bits are zero; a double is exact on all three.
        int low = bits & ~0x1FFF;
        double below = Math.abs((double) value - Float.intBitsToFloat(low));
        double above = Math.abs(neighbourAwayFromZero(low) - value);
        int expected = below < above || below == above && (low >>> 13) % 2 == 0 ? low : low + 0x2000;
        assertEquals(expected, FloatBits.toTf32(bits));
    }

    /** The pattern of infinity stands for the number that would follow the largest. */
    private static double neighbourAwayFromZero(int low) {
        int next = low + 0x2000;
        return (next & 0x7FFF_FFFF) == 0x7F80_0000 ? Math.copySign(0x1p128, Float.intBitsToFloat(low))
                : Float.intBitsToFloat(next);
    }

    @Test
    void everyShortFloatIsWorthWhatItsBitsSay() {
        for (int bits = 0; bits < 1 << 16; bits++) {
            assertEquals(SmallFloat.F16.value(bits), (double) FloatBits.f16(bits));
            assertEquals(SmallFloat.BF16.value(bits), (double) FloatBits.bf16(bits));
        }
    }

    /** Where two short floats lie next to each other, the number half way between them, and its neighbours. */
    @Test
    void shortFloatsRoundToTheNearestAndTheEvenOneOfTwo() {
        for (int bits = 0; bits < 0x7F80; bits++) {
            if (!Thorough.takes(bits, 5)) {
                continue;
            }
            roundsAround(SmallFloat.BF16, bits);
            if (bits < 0x7C00) {
                roundsAround(SmallFloat.F16, bits);
            }
        }
    }

    private static void roundsAround(SmallFloat format, int bits) {
        float here = (float) format.value(bits);
        float next = (float) format.value(bits + 1);
        float between = Float.isInfinite(next) ? here : (float) ((0.0 + here + next) / 2);
        for (float value : new float[] {Math.nextDown(between), between, Math.nextUp(between)}) {
            rounds(format, value);
            rounds(format, -value);
        }
    }

    @Property(tries = 750)
    void anyFloatRoundsToShortOnes(@ForAll int bits) {
        rounds(SmallFloat.F16, Float.intBitsToFloat(bits));
        rounds(SmallFloat.BF16, Float.intBitsToFloat(bits));
    }

    private static void rounds(SmallFloat format, float value) {
        assertEquals(format.nearest(value), format == SmallFloat.F16 ? FloatBits.toF16(value)
                : FloatBits.toBf16(value));
    }

    @Test
    void nansAreFixed() {
        assertEquals(0x7FFF, FloatBits.toF16(Float.intBitsToFloat(0xFF80_0001)));
        assertEquals(0x7FFF, FloatBits.toBf16(Float.intBitsToFloat(0xFFC1_2345)));
        assertEquals(0x7FFF_FFFFL, FloatBits.addF32(0x7F80_0000L, 0xFF80_0000L));
        assertEquals(0x7FFF_FFFF_FFFF_FFFFL, FloatBits.toF64(Double.longBitsToDouble(0xFFF8_0000_0000_0001L)));
        assertEquals(0xFFF8_0000_0000_0000L, FloatBits.addF64(0x7FF0_0000_0000_0000L, 0xFFF0_0000_0000_0000L));
    }

    @Test
    void aSumOfF64KeepsTheFirstNan() {
        long one = 0x7FF8_0000_0000_0001L;
        long two = 0xFFF0_0000_0000_0002L;
        assertEquals(one, FloatBits.addF64(one, two));
        assertEquals(two, FloatBits.addF64(two, one));
        assertEquals(two, FloatBits.addF64(0, two));
    }

    /** 1 + 2 subnormal steps; a subnormal zero keeps its sign; the least normal less a subnormal. */
    @ParameterizedTest
    @CsvSource({"00000001, 00000002, 00000000", "80000001, 80000000, 80000000", "00800000, 80000001, 00800000",
        "00800001, 80800000, 00000000"})
    void flushedSums(String a, String b, String sum) {
        assertEquals(Long.parseLong(sum, 16), FloatBits.addF32Flushed(Long.parseLong(a, 16), Long.parseLong(b, 16)));
    }
}
