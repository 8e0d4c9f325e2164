package dev.tilewright.builder.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.hazard.mutant.Mutant;
import dev.tilewright.hazard.mutant.MutantResult;
import dev.tilewright.hazard.mutant.MutantRun;
import dev.tilewright.hazard.mutant.MutantVerdict;
import dev.tilewright.hazard.mutant.Mutants;
import dev.tilewright.hazard.mutant.MutationTarget;
import dev.tilewright.verify.draw.PipelineCase;
import dev.tilewright.verify.draw.PipelineKernels.Apart;
import dev.tilewright.verify.draw.PipelineKernels.Both;
import dev.tilewright.verify.draw.PipelineKernels.Groups;
import dev.tilewright.verify.draw.PipelineKernels.PingPong;
import dev.tilewright.verify.draw.PipelineKernels.RowsAndColumns;
import dev.tilewright.verify.draw.PipelineKernels.Source;
import dev.tilewright.verify.draw.PipelineKernels.Style;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No step of a pipeline that orders anything is there in vain, and none is missing: of each pipeline with one edit the
 * check reports something, or its bytes are the same. A role that takes the next stage in each turn is the one edit
 * that only shuffles tiles, all in order.
 */
public class PipelineMutantsTest {
    private static final List<PipelineCase> CASES = made().toList();
    private static final Map<PipelineCase, List<Mutant>> MUTANTS = Collections.synchronizedMap(
            new IdentityHashMap<>());

    public static Stream<PipelineCase> cases() {
        return CASES.stream();
    }

    /** The mutants of one of the cases, made once for all tests. */
    public static List<Mutant> mutants(PipelineCase c) {
        return MUTANTS.computeIfAbsent(c, one -> Mutants.of(one.program()));
    }

    private static Stream<PipelineCase> made() {
        ThreadRange loader = ThreadRange.warp(0);
        ThreadRange readers = ThreadRange.warp(1);
        Arrivals each = Arrivals.EACH_THREAD;
        return Stream.of(new Apart(2, 5, Source.BULK, loader, readers, each, Style.TURNS, 1, true, false).build(),
                new Apart(2, 5, Source.BULK, loader, readers, each, Style.CURSOR, 1, true, false).build(),
                new Apart(2, 5, Source.BULK, loader, readers, each, Style.TURNS, 2, true, false).build(),
                new Apart(2, 5, Source.CP_ASYNC, loader, readers, each, Style.TURNS, 1, true, false).build(),
                new Apart(2, 5, Source.CP_ASYNC_AND_STORES, loader, readers, each, Style.TURNS, 1, true, false).build(),
                new Apart(2, 5, Source.STORES, loader, readers, each, Style.TURNS, 1, true, true).build(),
                new Both(2, 1, 5, 32, false, true).build(), new Both(2, 2, 5, 32, false, false).build(),
                new Groups(3, 2, 5, 64, GroupRing.Readers.BLOCK).build(),
                new RowsAndColumns(2, 2, 2, 4, 1, each, each == Arrivals.EACH_WARP).build(),
                new PingPong(2, 3).build());
    }

    @ParameterizedTest
    @OrdinaryShare(5)
    @MethodSource("cases")
    void noMutantIsMissed(PipelineCase c) {
        MemorySegment data = PipelineCases.source();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment source = arena.allocate(data.byteSize(), 256).copyFrom(data);
            MutantRun run =
                    new MutantRun(List.of(MutationTarget.moving(c.launch(), List.of(source), c.words() * 4L, 0)), arena,
                    2);
            List<MutantResult> results = mutants(c).stream().map(run::of).toList();
            assertEquals(List.of(), results.stream().filter(r -> r.verdict() == MutantVerdict.MISSED
                    && r.report().isClean() && !r.mutant().name().startsWith("next-stage")).toList());
            long reported = results.stream().filter(r -> !r.report().isClean()).count();
            assertTrue(2 * reported > results.size(), () -> reported + " of " + results);
        }
    }
}
