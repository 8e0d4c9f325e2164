package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Presets;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.CaseKind;
import dev.tilewright.verify.CaseKinds;
import dev.tilewright.verify.CaseRunner;
import dev.tilewright.verify.CheckSummary;
import dev.tilewright.verify.Verification;
import dev.tilewright.verify.VerifyCase;
import dev.tilewright.verify.draw.Kinds;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Drawn cases of each kind: the GPU leaves the reference's bytes. What it cannot run is skipped, and counted. */
@Order(2)
@Tag("gpu")
class DrawnCasesGpuTest {
    private static final int GROUPS = Integer.getInteger("tilewright.tests.drawn", 40);

    static Stream<String> kinds() {
        return Kinds.of(Presets.CATALOG, Presets.ALL).kinds().stream().filter(k -> k.weight() > 0).map(CaseKind::name);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theReferencesBytes(String kind) {
        CaseDevice gpu = CaseDevice.of(TestGpu.atLeast(Target.SM_80));
        CaseKinds one = new CaseKinds(Kinds.of(Presets.CATALOG, Presets.ALL).kinds().stream()
                .filter(k -> k.name().equals(kind)).toList());
        List<? extends VerifyCase> cases = LongStream.range(0, GROUPS).parallel().mapToObj(n -> one.group(3, n))
                .flatMap(List::stream).toList();
        Verification verification = new Verification(_ -> { });
        CaseRunner.run(verification, "gpu", gpu, cases);
        CheckSummary summary = verification.summary();
        summary.failures().stream().limit(20)
                .forEach(e -> System.err.println("FAILED " + e.name() + ": " + e.detail()));
        System.err.println(kind + ": " + summary.lastLine() + " on " + gpu.name() + "; " + verification.times());
        assertEquals(0, summary.count(CheckSummary.Outcome.FAILED));
        assertTrue(summary.count(CheckSummary.Outcome.PASSED) > 0);
    }
}
