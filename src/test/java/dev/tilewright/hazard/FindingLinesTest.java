package dev.tilewright.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * A finding says where in the emitted source and in Java its steps are, and blames the right one of two with the same
 * purpose.
 */
class FindingLinesTest {
    private static final Consumer<Body> TWO_WAITS = body -> {
        SmallKernels.setUp(body, 1);
        SmallKernels.load(body, 0, 256, 256);
        body.purpose("wait").waitParity(SmallKernels.READY, 0);
        body.purpose("wait").waitParity(SmallKernels.READY, 1);
    };

    @Test
    void ofItsOwnStepAndOfTheOther() {
        Consumer<Body> code = body -> {
            SmallKernels.setUp(body, 1);
            SmallKernels.load(body, 0, 256, 256);
            SmallKernels.show(body, SmallKernels.T.times(4));
        };
        Finding finding = SmallKernels.one(code).findings().getFirst();
        TileProgram program = SmallKernels.program(1, code);
        CudaSource source = CudaEmitter.emit(program);
        Access before = finding.before().orElseThrow();
        assertEquals(source.lineOf(finding.step()), finding.line());
        assertEquals(source.lineOf(finding.otherStep()), before.location().line());
        assertTrue(finding.message().contains(finding.location().toString()), finding::message);
        assertTrue(finding.message().contains(before.location().toString()), finding::message);
    }

    @Test
    void ofTheSecondOfTwoWaitsWithTheSamePurpose() {
        Finding finding = SmallKernels.one(TWO_WAITS).findings().getFirst();
        assertEquals(HazardCode.WRONG_PARITY, finding.code());
        assertEquals("wait", finding.purpose());
        assertEquals(9, finding.step(), "the first one is step 8");
        assertEquals("FindingLinesTest.java", finding.location().javaLine().orElseThrow().file());
    }

    @Test
    void theReportSaysWhatTheFindingsSay() {
        HazardReport report = SmallKernels.one(TWO_WAITS);
        assertEquals(report.findings().getFirst().message(), report.lines().getFirst());
        assertEquals(1 + report.lines().size(), report.toString().lines().count());
        assertTrue(report.toString().endsWith(String.join("\n", report.lines())), report::toString);
    }
}
