package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.Reference;
import dev.tilewright.tile.DrawnTileKernel;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/**
 * Kernels drawn at random: the program that is made of each leaves the executor's bytes with any number of threads, and
 * the check finds no mistake in it. {@code -Dtilewright.tiles=N} draws so many, {@code -Dtilewright.tiles.from} says
 * the first.
 */
class DrawnLoweringsTest {

    @Test
    void programsLeaveTheExecutorsBytes() {
        long from = Long.getLong("tilewright.tiles.from", 0);
        int count = Integer.getInteger("tilewright.tiles", Thorough.of(24, 40));
        int equal = 0;
        for (long seed = from; seed < from + count; seed++) {
            RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
            DrawnTileKernel drawn = new DrawnTileKernel(random);
            try {
                equal += judge(drawn, 32 << random.nextInt(4)) ? 1 : 0;
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + "\n" + drawn.kernel, e);
            }
        }
        int same = equal;
        assertTrue(equal > count / 4, () -> same + " of " + count + " were lowered");
    }

    private static boolean judge(DrawnTileKernel drawn, int threads) {
        Optional<DrawnLowering> lowering = DrawnLowering.of(drawn, threads);
        if (lowering.isEmpty()) {
            return false;
        }
        Launch launch = lowering.get().launch();
        Map<String, MemorySegment> memory = drawn.memory();
        Reference.run(launch, inOrder(drawn, memory));
        Map<String, long[]> got = drawn.words(memory);
        drawn.executed().forEach((name, words) -> assertArrayEquals(words, got.get(name), name));
        HazardReport report = HazardCheck.check(launch, inOrder(drawn, drawn.memory()));
        assertTrue(report.findings().isEmpty(), report::toString);
        return true;
    }

    private static List<MemorySegment> inOrder(DrawnTileKernel drawn, Map<String, MemorySegment> memory) {
        return drawn.kernel.tensors().stream().map(t -> memory.get(t.name())).toList();
    }
}
