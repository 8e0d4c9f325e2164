package dev.tilewright.oracle;

import dev.tilewright.hazard.HazardCheck;
import dev.tilewright.hazard.HazardReport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

class OracleTest {
    @Test
    void correctOnes() {
        long begin = System.nanoTime();
        int most = 0;
        for (long seed = 0; seed < Integer.getInteger("n", 100); seed++) {
            Sample sample = Kernels.draw(seed);
            Verdict v = Explorer.explore(sample.launch(), Sample.memory(), 20000);
            most = Math.max(most, v.states());
            HazardReport report = check(sample);
            if (!v.isRight() || !report.isClean() || v.states() > 3000) {
                System.out.println(seed + " " + sample.what() + "\n   " + v.why() + v.races() + " " + v.bounded() + v.states() + "\n   "
                        + report);
            }
        }
        System.out.println(most + " states, " + (System.nanoTime() - begin) / 1_000_000 + " ms");
    }

    static HazardReport check(Sample sample) {
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> memory = Sample.memory().stream().map(b -> {
                MemorySegment m = arena.allocate(b.length, 256);
                m.copyFrom(MemorySegment.ofArray(b));
                return m;
            }).toList();
            return HazardCheck.check(sample.launch(), memory);
        }
    }
}
