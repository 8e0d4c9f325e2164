package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.THREADS;
import static dev.tilewright.hazard.SmallKernels.from;
import static dev.tilewright.hazard.SmallKernels.one;
import static dev.tilewright.hazard.SmallKernels.setUp;
import static dev.tilewright.hazard.SmallKernels.show;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Token;
import org.junit.jupiter.api.Test;

/** Bytes that a thread announces after it has waited for a phase are the next one's: nothing is late about them. */
class AnnouncedForNextPhaseTest {

    @Test
    void theOtherHalfIsRead() {
        HazardReport report = one(body -> halves(body, true));
        assertEquals("read it", report.findings().getFirst().purpose(), report::toString);
        Twins.found(HazardCode.READ_IN_FLIGHT, "read it", report);
        Twins.clean(one(body -> halves(body, false)));
    }

    /** All threads arrive at one barrier each turn, and one of them loads one of two halves. */
    private static void halves(Body body, boolean wrong) {
        setUp(body, THREADS);
        body.purpose("turns").loop("turn", 4, (each, turn) -> {
            Expr half = turn.modulo(2);
            each.purpose("one loads").when(T.isEqualTo(0), one -> {
                one.purpose("announce").expectTx(READY, 4 * THREADS);
                one.purpose("load").bulkLoad(BUFFER.at(half.times(4 * THREADS)), from(turn.times(4 * THREADS)),
                        4 * THREADS, READY);
            });
            Token token = each.purpose("here").arrive(READY).token("token");
            each.purpose("landed").waitToken(READY, token);
            show(each, (wrong ? Expr.of(1).minus(half) : half).times(4 * THREADS).plus(T.times(4)));
        });
    }
}
