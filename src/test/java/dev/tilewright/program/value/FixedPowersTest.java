package dev.tilewright.program.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Powers of fixed-point numbers beside those of doubles and of decimals, at the ends, and of sums that are rounded. */
class FixedPowersTest {
    private static final int OFFSET = FixedPowers.OFFSET;

    /** A number of 4,096ths, as a sum. */
    private static float sum(int fixed) {
        return (float) (OFFSET + fixed / 4096.0);
    }

    @Test
    void areWithinTwoLastPlacesAndExactOfWholeNumbers() {
        for (int fixed = -126 * 4096; fixed < 128 * 4096; fixed++) {
            float power = FixedPowers.of(sum(fixed));
            float nearest = (float) StrictMath.pow(2, fixed / 4096.0);
            int places = Float.floatToRawIntBits(power) - Float.floatToRawIntBits(nearest);
            assertTrue(fixed % 4096 == 0 ? places == 0 : Math.abs(places) <= (fixed < 0 ? 2 : 1), fixed + " " + places);
        }
    }

    /** The nearest float by decimals: no power is so near to the middle of two that doubles err. */
    @Test
    void nearestFloatsAreThoseOfDecimals() {
        MathContext digits = new MathContext(40);
        BigDecimal root = BigDecimal.valueOf(2);
        for (int i = 0; i < 12; i++) {
            root = root.sqrt(digits);
        }
        BigDecimal power = BigDecimal.ONE;
        for (int i = 0; i < 4096; i++) {
            assertEquals(power.floatValue(), (float) StrictMath.pow(2, i / 4096.0), "2^(" + i + "/4096)");
            power = power.multiply(root, digits);
        }
    }

    @Test
    void endsAreZeroAndInfinity() {
        assertEquals(0x1p-126f, FixedPowers.of(sum(-126 * 4096)));
        assertEquals(0, FixedPowers.of(sum(-126 * 4096 - 1)));
        assertEquals(Float.POSITIVE_INFINITY, FixedPowers.of(sum(128 * 4096)));
        for (float less : new float[] {0, -1, -1e30f, Float.NEGATIVE_INFINITY}) {
            assertEquals(0, Float.floatToRawIntBits(FixedPowers.of(less)));
        }
        assertEquals(Float.POSITIVE_INFINITY, FixedPowers.of(1e30f));
        assertTrue(Float.isNaN(FixedPowers.of(Float.NaN)));
    }

    @Test
    void sumsAreRoundedToTwelveBits() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            float x = -100 * random.nextFloat();
            double rounded = Math.rint(x * 4096.0) / 4096;
            assertEquals(StrictMath.pow(2, rounded), FixedPowers.of(x + OFFSET), StrictMath.pow(2, rounded) * 0x1p-21);
        }
    }
}
