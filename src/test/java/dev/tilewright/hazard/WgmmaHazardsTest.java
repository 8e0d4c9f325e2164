package dev.tilewright.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.hazard.WgmmaKernel.Mistake;
import dev.tilewright.hazard.mutant.Mutant;
import dev.tilewright.hazard.mutant.MutantResult;
import dev.tilewright.hazard.mutant.MutantRun;
import dev.tilewright.hazard.mutant.MutantVerdict;
import dev.tilewright.hazard.mutant.Mutants;
import dev.tilewright.hazard.mutant.MutationTarget;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.ptx.mma.WgmmaFence;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Mistakes with products of a warpgroup: what is found, and at which step. */
class WgmmaHazardsTest {

    @Test
    void theRightKernelIsClean() {
        assertEquals(List.of(), WgmmaKernel.check().findings());
    }

    @ParameterizedTest
    @EnumSource
    void aMistakeIsFound(Mistake mistake) {
        List<Finding> findings = WgmmaKernel.check(mistake).findings();
        HazardCode code = switch (mistake) {
            case NO_FENCE, NO_FENCE_AGAIN -> HazardCode.WGMMA_NOT_FENCED;
            case NO_COMMIT -> HazardCode.GROUP_NOT_COMMITTED;
            case NO_WAIT, NO_SYNC_AFTER_WAIT, WAIT_TOO_SHALLOW -> HazardCode.OVERWRITE_IN_STORE;
            case NO_PROXY_FENCE -> HazardCode.MISSING_PROXY_FENCE;
            case NO_SYNC -> HazardCode.MISSING_BARRIER;
            case SUMS_TOUCHED, NO_LAST_WAIT -> HazardCode.REGISTERS_IN_FLIGHT;
        };
        assertEquals(code, findings.getFirst().code(), findings.toString());
        assertTrue(findings.stream().allMatch(f -> f.code() == code
                || f.code() == HazardCode.REGISTERS_IN_FLIGHT && mistake == Mistake.NO_WAIT
                || f.code() == HazardCode.WAIT_TOO_SHALLOW && mistake == Mistake.WAIT_TOO_SHALLOW),
                findings.toString());
    }

    /** Every edit of the kernel is found, or changes nothing. */
    @Test
    void mutants() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(8192, 128);
            for (int i = 0; i < 4096; i++) {
                source.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) (0x3F80 + i % 97));
            }
            MutantRun run =
                    new MutantRun(List.of(MutationTarget.moving(WgmmaKernel.launch(EnumSet.noneOf(Mistake.class)),
                    List.of(source), 2048, 16)), arena, 3);
            List<String> missed = new ArrayList<>();
            int found = 0;
            for (Mutant mutant : Mutants.of(WgmmaKernel.program(EnumSet.noneOf(Mistake.class))).stream()
                    .filter(Thorough.share(3)).toList()) {
                MutantResult result = run.of(mutant);
                found += result.verdict() == MutantVerdict.FOUND ? 1 : 0;
                if (result.verdict() == MutantVerdict.MISSED) {
                    missed.add(mutant.name() + ": " + mutant.edit() + ": " + result.reason());
                }
            }
            assertEquals(List.of(), missed);
            assertTrue(found > Thorough.of(3, 20), "found " + found);
        }
    }

    @Test
    void halfAWarpgroupIsRefused() {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                () -> new TileProgram("half", "two warps", 256, List.of(), new SharedLayout(List.of()),
                Body.steps(b -> b.when(Expr.Builtin.THREAD.lessThan(64),
                        half -> half.issue(new WgmmaFence())))));
        assertTrue(refused.getMessage().contains("all 128 threads of a warpgroup"), refused.getMessage());
        new TileProgram("whole", "a warpgroup", 256, List.of(), new SharedLayout(List.of()),
                Body.steps(b -> b.when(Expr.Builtin.THREAD.dividedBy(128).isEqualTo(1),
                whole -> whole.issue(new WgmmaFence()))));
    }
}
