package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.THREADS;
import static dev.tilewright.hazard.SmallKernels.from;
import static dev.tilewright.hazard.SmallKernels.one;
import static dev.tilewright.hazard.SmallKernels.setUp;
import static dev.tilewright.hazard.SmallKernels.show;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import org.junit.jupiter.api.Test;

/** A barrier for the arrivals that follow copies, which without {@code .noinc} are added to what it takes. */
class AddedArrivalsTest {

    @Test
    void noincIsMissing() {
        HazardReport report = one(body -> copies(body, new CpAsyncMbarrierArrive()));
        Twins.found(HazardCode.WRONG_ARRIVAL_COUNT, "copied", report);
        assertTrue(report.findings().getFirst().fix().startsWith("use .noinc there"), report::toString);
        Twins.clean(one(body -> copies(body, new CpAsyncMbarrierArrive().withNoinc())));
    }

    private static void copies(Body body, CpAsyncMbarrierArrive arrive) {
        setUp(body, THREADS);
        body.purpose("copy").cpAsync(BUFFER.at(T.times(4)), from(T.times(4)), 4);
        body.purpose("copied").issue(arrive, Input.of(READY));
        body.purpose("landed").waitParity(READY, 0);
        show(body, Expr.of(THREADS - 1).minus(T).times(4));
    }
}
