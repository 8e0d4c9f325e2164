package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.Presets;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.CaseRunner;
import dev.tilewright.verify.CheckSummary;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.CopyCases;
import dev.tilewright.verify.CopyCheck;
import dev.tilewright.verify.Verification;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random presets, options, types and shapes on a real GPU; a seed names its cases for good. */
@Order(2)
@OnEveryStage
record RandomCasesGpuTest(Stage stage) {
    private static final int CASES = 25;

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 16);
    }

    @ParameterizedTest(name = "cases of seed {0}")
    @MethodSource("seeds")
    void agreeWithTheReference(long seed) {
        CaseDevice device = stage.device(Target.SM_90);
        CopyCases cases = new CopyCases(Presets.ALL, seed);
        for (int i = 0; i < stage.most(1, CASES); i++) {
            CopyCase copyCase = cases.next();
            assertEquals(Optional.empty(), CopyCheck.run(device, copyCase), copyCase::toString);
        }
    }

    /** As {@code tilewright verify} runs them: kernels loaded by many threads, several cases of each. */
    @Test
    void agreeWhenManyAreCheckedAtOnce() {
        CaseDevice device = stage.device(Target.SM_90);
        List<CopyCase> cases = new CopyCases(Presets.ALL, 17, 4).next(stage.most(CASES / 2, 4 * CASES));
        List<CheckSummary.Entry> results = new ArrayList<>();
        CaseRunner.run(new Verification(results::add), "on " + stage, device, cases);
        assertEquals(List.of(), results.stream().filter(e -> e.outcome() != CheckSummary.Outcome.PASSED).toList());
        assertEquals(cases.stream().map(CopyCase::toString).toList(), results.stream().map(CheckSummary.Entry::name)
                .toList());
    }
}
