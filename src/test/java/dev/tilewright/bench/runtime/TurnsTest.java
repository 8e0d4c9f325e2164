package dev.tilewright.bench.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Settings;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.bench.rival.RivalProcess;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How sides take turns, and by what bytes are checked. */
class TurnsTest {

    @Test
    void mediansOfMediansAlternately() {
        List<String> order = new ArrayList<>();
        double[] ours = {3, 1, 2};
        Turns turns = Turns.take(3, () -> {
            order.add("ours");
            return Spread.of(100, ours[order.size() / 2], 0);
        }, () -> {
            order.add("theirs");
            return Spread.of(5, 7, 6);
        });
        assertEquals(List.of("ours", "theirs", "ours", "theirs", "ours", "theirs"), order);
        assertEquals(2, turns.ours().median());
        assertEquals(6, turns.best());
        assertNull(Turns.of(Arrays.asList(Spread.of(1), null)));
    }

    @Test
    void withoutRivalsARowSaysSo() {
        List<Row> seen = new ArrayList<>();
        try (RivalProcess rival = new RivalProcess(Path.of("no-such-folder"));
                Bench bench = new Bench(Settings.DEFAULT, "bench", (_, _, _) -> { }, seen::add)) {
            ContenderRows rows = new ContenderRows(bench, "launch", rival);
            rows.both("work", Unit.MICROSECONDS, new Turns(Spread.of(2), null), Verdict.VERIFIED, 1.05);
        }
        assertEquals(Verdict.NOT_RUN, seen.getFirst().verdict());
        assertTrue(seen.getFirst().note().contains("nvcc"), seen.getFirst().note());
        assertTrue(seen.getLast().ratios().isEmpty());
    }

    @Test
    void aWrongWordIsNamed() {
        MemorySegment words = MemorySegment.ofArray(new int[5000]);
        Pattern.fill(words, 3);
        Pattern.expect("copy", words, 3, 0);
        words.setAtIndex(ValueLayout.JAVA_INT, 4321, words.getAtIndex(ValueLayout.JAVA_INT, 4321) + 1);
        String said = assertThrows(IllegalStateException.class, () -> Pattern.expect("copy", words, 3, 0)).getMessage();
        assertTrue(said.contains("word 4321 of 5000"), said);
    }
}
