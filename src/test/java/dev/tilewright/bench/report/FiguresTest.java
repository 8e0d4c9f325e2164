package dev.tilewright.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

/** Ratios beside what is demanded of them: what is read says which side they are on. */
class FiguresTest {

    /** Drawn close to each other, down to neighbours among doubles. */
    @Property(tries = 500)
    void digitsTellARatioFromItsBound(@ForAll @DoubleRange(min = 0.01, max = 2000) double bound,
            @ForAll @IntRange(max = 52) int bits, @ForAll boolean isAbove) {
        double value = isAbove ? bound + Math.ulp(bound) * (1L << bits) : bound - Math.ulp(bound) * (1L << bits);
        if (value <= 0) {
            return;
        }
        BigDecimal shown = new BigDecimal(Figures.ratio(value, bound).replace(",", ""));
        BigDecimal demanded = new BigDecimal(Figures.ratio(bound, value).replace(",", ""));
        assertEquals(Integer.signum(Double.compare(value, bound)), shown.compareTo(demanded),
                shown + " beside " + demanded);
    }

    @Example
    void noMoreDigitsThanThat() {
        assertEquals("0.960", Figures.ratio(0.96, 0.97));
        assertEquals("0.970", Figures.ratio(0.97, 0.97));
        assertEquals("0.9697", Figures.ratio(0.9697, 0.97));
        assertEquals("0.9700", Figures.ratio(0.97, 0.9697));
        assertEquals("0.969999", Figures.ratio(0.969999, 0.97));
        assertTrue(Figures.ratio(Double.NaN, 1).equals("-"));
    }
}
