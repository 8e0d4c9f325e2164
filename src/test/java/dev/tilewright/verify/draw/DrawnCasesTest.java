package dev.tilewright.verify.draw;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.Thorough;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Drawn cases of every kind have no hazard, leave the same bytes in several orders and plainly, and those expected. */
class DrawnCasesTest {
    private static final int KERNELS = Integer.getInteger("tilewright.tests.drawn", 20);
    private static final long SEED = 7;

    static Stream<String> kinds() {
        return Kinds.DRAWN.stream().map(DrawnKind::name);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void haveNoHazardAndOneResult(String kind) {
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < KERNELS; i++) {
            if (!Thorough.takes(i, Thorough.oneIn("tilewright.tests.drawn", 10))) {
                continue;
            }
            DrawnCase c = drawn(kind, i);
            try {
                check(c);
            } catch (AssertionError | RuntimeException e) {
                wrong.add(c + "\n" + c.title() + "\n" + e + "\n");
            }
        }
        assertEquals(List.of(), wrong, () -> wrong.size() + " wrong");
    }

    private static DrawnCase drawn(String kind, long number) {
        return Kinds.DRAWN.stream().filter(k -> k.name().equals(kind)).findFirst().orElseThrow()
                .draw(SEED, number, new SplittableRandom(number), 1).getFirst();
    }

    private static void check(DrawnCase c) {
        DrawnRun run = c.run();
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> first = buffers(arena, run);
            HazardReport report = HazardCheck.check(run.launch(), first, HazardOptions.DEFAULT.withSeeds(1L, 2L));
            assertEquals(List.of(), report.findings(), report::toString);
            for (int i = 0; i < first.size(); i++) {
                if (run.expected().containsKey(i)) {
                    assertArrayEquals(run.expected().get(i), first.get(i).toArray(ValueLayout.JAVA_BYTE),
                            "buffer " + i);
                }
            }
            leavesThese(first, run, ReferenceOptions.DEFAULT.withApproximations(), arena);
            leavesThese(first, run, ReferenceOptions.DEFAULT.withApproximations().plain(), arena);
        }
    }

    private static void leavesThese(List<MemorySegment> bytes, DrawnRun run, ReferenceOptions options, Arena arena) {
        List<MemorySegment> others = buffers(arena, run);
        Reference.run(run.launch(), others, options);
        for (int i = 0; i < bytes.size(); i++) {
            assertEquals(-1, bytes.get(i).mismatch(others.get(i)), "buffer " + i + " by " + options);
        }
    }

    private static List<MemorySegment> buffers(Arena arena, DrawnRun run) {
        return run.buffers().stream().map(b -> arena.allocate(Math.max(1, b.length), 1024)
                .copyFrom(MemorySegment.ofArray(b))).toList();
    }
}
