package dev.tilewright.bench.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.tilewright.bench.result.Ratio;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two sides whose turns are neighbours. */
class TurnRatiosTest {

    private static List<Spread> turns(double... medians) {
        return Arrays.stream(medians).mapToObj(Spread::of).toList();
    }

    @Test
    void whatBothSidesHaveInCommonIsNotInTheRatio() {
        // Every other turn is on a core on which everything takes longer; of the medians alone it would be 3.96 / 3.
        Spread ratios = Turns.ratios(turns(2.97, 3.96, 2.97, 3.96, 3.96), turns(3, 4, 3, 4, 3));
        assertEquals(0.99, ratios.median(), 1e-9);
        Row row = Row.of("launch", "empty", Row.OURS, Unit.MICROSECONDS, Spread.of(3, 4), Verdict.NO_OUTPUT)
                .besideInTurns("C++", ratios, 1.05);
        assertEquals(List.of(new Ratio("C++", ratios.median(), 1.05)), row.ratios());
        assertEquals("half of 5 turns have 0.990 to 0.990 of C++'s", row.note());
    }

    @Test
    void withoutTheOtherSideThereIsNone() {
        assertNull(Turns.ratios(turns(1, 2), Arrays.asList(null, null)));
    }
}
