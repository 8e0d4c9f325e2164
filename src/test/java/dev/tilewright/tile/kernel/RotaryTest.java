package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.value.ValueType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.api.Test;

/** Pairs of numbers turned by angles, against floats of Java's. */
class RotaryTest {
    private static final int PLACES = 20;

    @ParameterizedTest
    @CsvSource({"BF16, 64, false, 5, 3", "F16, 8, true, 9, 5", "F32, 6, false, 1, 1", "F32, 10, true, 4, 2"})
    void turnsPairs(ValueType type, int width, boolean interleaved, int tokens, int heads) {
        int half = width / 2;
        KernelRun table = new KernelRun(Rotary.table(width)).out("cos", PLACES, half).out("sin", PLACES, half)
                .scalar("base", 10_000).run();
        double[] cos = table.numbers("cos");
        double[] sin = table.numbers("sin");
        double[] x = KernelRun.normal(type, tokens * heads * width, width);
        double[] places = new double[tokens];
        for (int i = 0; i < tokens; i++) {
            // The last one is not in the tables.
            places[i] = i == tokens - 1 && tokens > 1 ? PLACES : i * 7 % PLACES;
        }
        Rotary rotary = interleaved ? Rotary.of(type, width).withInterleavedPairs() : Rotary.of(type, width);
        double[] y = new KernelRun(rotary.kernel()).set("x", x, tokens, heads, width).set("place", places, tokens)
                .set("cos", cos, PLACES, half).set("sin", sin, PLACES, half).out("y", tokens, heads, width).run()
                .numbers("y");
        for (int i = 0; i < x.length; i++) {
            int place = (int) places[i / width / heads];
            int at = i % width;
            int pair = interleaved ? at / 2 : at % half;
            int first = i - at + (interleaved ? 2 * pair : pair);
            int second = first + (interleaved ? 1 : half);
            if (place == PLACES) {
                assertTrue(Double.isNaN(y[i]));
                continue;
            }
            float c = (float) cos[place * half + pair];
            float s = (float) sin[place * half + pair];
            float turned = i == first ? (float) x[first] * c - (float) x[second] * s
                    : (float) x[second] * c + (float) x[first] * s;
            assertEquals(KernelRun.rounded(type, turned), y[i], "element " + i);
        }
    }

    @Test
    void anglesFollowTheBase() {
        KernelRun table = new KernelRun(Rotary.table(8)).out("cos", 7, 4).out("sin", 7, 4).scalar("base", 500_000)
                .run();
        for (int place = 0; place < 7; place++) {
            for (int pair = 0; pair < 4; pair++) {
                double angle = place * Math.pow(500_000, -2.0 * pair / 8);
                assertEquals((float) Math.cos(angle), table.numbers("cos")[place * 4 + pair], 1e-7);
                assertEquals((float) Math.sin(angle), table.numbers("sin")[place * 4 + pair], 1e-7);
            }
        }
    }

    @Test
    void anOddWidthIsRefused() {
        assertEquals("a head has pairs of numbers, so an even width of 2 or more, got 7",
                assertThrows(IllegalArgumentException.class, () -> Rotary.of(ValueType.F32, 7)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> Rotary.table(0));
    }
}
