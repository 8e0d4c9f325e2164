package dev.tilewright.bench.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.bench.result.Spread;
import dev.tilewright.gpu.Gpu;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Sides of a measurement take turns, none of them always behind the same other. */
class DeviceTurnsTest {
    private static final int SIDES = 4;
    private static final int TURNS = 15;

    @Test
    void everySideComesBehindEveryOther() {
        List<Integer> started = new ArrayList<>();
        List<DeviceTurns.Work> sides = IntStream.range(0, SIDES).<DeviceTurns.Work>mapToObj(side -> (_, _) ->
                started.add(side)).toList();
        List<Spread> micros;
        try (Gpu gpu = Gpu.emulated(); DeviceTurns turns = new DeviceTurns(gpu, 0)) {
            micros = turns.take(TURNS, sides);
        }
        assertEquals(SIDES, micros.size());
        Set<List<Integer>> neighbours = new HashSet<>();
        for (int i = 1; i < started.size(); i++) {
            neighbours.add(started.subList(i - 1, i + 1));
        }
        assertEquals(SIDES * SIDES, neighbours.size(), neighbours::toString);
    }
}
