package dev.tilewright.hazard.mutant;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.WarpKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Kernels whose warps meet in parts, broken by one edit each: found, or no mistake. */
class WarpMutantsTest {
    private static final Set<MutantKind> ALWAYS_WRONG = EnumSet.of(MutantKind.FEWER_LANES, MutantKind.MORE_LANES,
            MutantKind.MORE_THREADS);

    static Stream<WarpKernels.Case> cases() {
        return WarpKernels.all().stream();
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @MethodSource("cases")
    void noneIsMissed(WarpKernels.Case c) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment source = arena.allocate(4L * c.words(), 16);
            for (int i = 0; i < c.words(); i++) {
                source.setAtIndex(ValueLayout.JAVA_INT, i, WarpKernels.source(i));
            }
            Launch launch = new Launch(c.program(), 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
            MutantRun trial = new MutantRun(List.of(MutationTarget.moving(launch, List.of(source), 4L * c.words(), 0)),
                    arena, 3);
            List<MutantResult> results = Mutants.of(c.program()).stream().map(trial::of).toList();
            assertEquals(List.of(), results.stream().filter(r -> r.verdict() == MutantVerdict.MISSED).toList());
            for (MutantResult r : results) {
                assertTrue(r.verdict() == MutantVerdict.FOUND || !ALWAYS_WRONG.contains(r.mutant().kind()),
                        r::toString);
            }
        }
    }
}
