package dev.tilewright.bench.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/** How samples lie. */
class SpreadTest {

    @Property
    void quartilesPartTheSamples(@ForAll @Size(min = 1, max = 40) double[] drawn) {
        double[] samples = Arrays.stream(drawn).map(x -> Double.isNaN(x) ? 0 : x).toArray();
        Spread spread = Spread.of(samples);
        assertEquals(Arrays.stream(samples).min().orElseThrow(), spread.least());
        assertEquals(Arrays.stream(samples).max().orElseThrow(), spread.most());
        assertTrue(2 * Arrays.stream(samples).filter(x -> x <= spread.median()).count() >= samples.length);
        assertTrue(2 * Arrays.stream(samples).filter(x -> x >= spread.median()).count() >= samples.length);
        assertTrue(4 * Arrays.stream(samples).filter(x -> x < spread.lowerQuartile()).count() <= samples.length);
        assertTrue(4 * Arrays.stream(samples).filter(x -> x > spread.upperQuartile()).count() <= samples.length);
    }

    @Property
    void ratesOfTimesLieTheOtherWayRound(@ForAll @Size(min = 1, max = 20) double[] micros) {
        double[] positive = Arrays.stream(micros).map(x -> Math.max(0.1, Math.min(1e6, Math.abs(x)))).map(
                x -> Double.isNaN(x) ? 1 : x).toArray();
        Spread times = Spread.of(positive);
        Spread rates = times.gigabytesPerSecond(4096);
        assertEquals(4.096 / times.median(), rates.median(), 1e-12);
        assertEquals(4.096 / times.most(), rates.least(), 1e-12);
        assertEquals(times.samples(), rates.samples());
    }
}
