package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** TF32 rounding: values seen on hardware, and the definition of rounding. */
class Tf32Test {

    @ParameterizedTest
    @CsvSource({
        "3f801001, 3f802000", "3f803000, 3f804000", "3f805000, 3f804000", "3f801000, 3f800000", "3fffffff, 40000000",
        "7f7fffff, 7f800000", "ff7ff000, ff800000", "7f800000, 7f800000", "ff800000, ff800000",
        "7f800001, 7fffe000", "ffc00001, 7fffe000", "7fc00000, 7fffe000",
        "00000001, 00000000", "80000001, 80000000", "007fffff, 00800000", "80000000, 80000000"})
    void knownValues(String from, String to) {
        assertEquals(to, "%08x".formatted(Tf32.round(Integer.parseUnsignedInt(from, 16))));
    }

    @Property(tries = 3000)
    void theResultIsTheNearestMultipleAndTheEvenOneOfTwo(@ForAll int bits) {
        float value = Float.intBitsToFloat(bits);
        if (!Float.isFinite(value)) {
            return;
        }
        // Two neighbours of a binary32 number among those whose last 13 bits are zero; a double is exact on all three.
        int low = bits & ~0x1FFF;
        double below = Math.abs((double) value - Float.intBitsToFloat(low));
        double above = Math.abs(neighbourAwayFromZero(low) - value);
        int expected = below < above || below == above && (low >>> 13) % 2 == 0 ? low : low + 0x2000;
        assertEquals(expected, Tf32.round(bits));
    }

    /** The pattern of infinity stands for the number that would follow the largest. */
    private static double neighbourAwayFromZero(int low) {
        int next = low + 0x2000;
        return (next & 0x7FFF_FFFF) == 0x7F80_0000 ? Math.copySign(0x1p128, Float.intBitsToFloat(low))
                : Float.intBitsToFloat(next);
    }
}
