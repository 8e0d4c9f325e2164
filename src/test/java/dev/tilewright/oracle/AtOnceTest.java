package dev.tilewright.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.hazard.explore.Exploration;
import dev.tilewright.hazard.explore.Explorer;
import dev.tilewright.hazard.explore.Unsupported;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Steps at mbarriers that the explorer makes at once, since nothing can come between, beside all their orders: the same
 * verdict on drawn kernels. {@code -Dtilewright.atonce=10000} for so many.
 */
class AtOnceTest {
    private static final int MOST_STATES = 3000;

    @Test
    void theVerdictIsTheSame() {
        int count = Integer.getInteger("tilewright.atonce", Thorough.of(40, 300));
        int compared = 0;
        long fewer = 0;
        List<String> bad = new ArrayList<>();
        for (long seed = 5_000_000; seed < 5_000_000 + count; seed++) {
            Sample sample = Drawn.kernel(seed);
            try {
                Exploration all = Explorer.exploreAll(sample.launch(), Sample.memory(), MOST_STATES);
                Exploration some = Explorer.explore(sample.launch(), Sample.memory(), MOST_STATES);
                fewer += all.states() - some.states();
                // What all orders did not come to an end with may be wrong in one that was left.
                if (all.isWrong() || all.isRight()) {
                    compared++;
                    if (some.isWrong() != all.isWrong() || all.isRight() && !some.isRight()
                            || all.isRight() && !some.endings().equals(all.endings())) {
                        bad.add("seed " + seed + " " + sample.what() + "\n  all " + all.endings() + "\n  at once "
                                + some.endings());
                    }
                }
            } catch (Unsupported e) {
                // What it does not know, it knows in neither way.
            }
        }
        assertEquals(List.of(), bad);
        assertTrue(compared > count * 9 / 10 && fewer > 0, compared + " compared, states fewer " + fewer);
    }
}
