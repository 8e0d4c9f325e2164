package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.RESULT;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.THREADS;
import static dev.tilewright.hazard.SmallKernels.fill;
import static dev.tilewright.hazard.SmallKernels.one;
import static dev.tilewright.hazard.SmallKernels.store;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import org.junit.jupiter.api.Test;

/** A copy to global memory that does not wait for the writes of its source, by other threads than its own. */
class CopyBeforeWritesTest {

    @Test
    void onceInAKernel() {
        HazardReport report = one(body -> once(body, false));
        Twins.found(HazardCode.MISSING_BARRIER, "store", report);
        assertEquals(1, report.findings().size(), report::toString);
        Twins.clean(one(body -> once(body, true)));
    }

    private static void once(Body body, boolean meet) {
        fill(body);
        body.purpose("the copy engine sees it").proxyFence(FenceProxyAsync.Memory.SHARED);
        if (meet) {
            body.purpose("all have filled").syncThreads();
        }
        body.purpose("one stores").when(T.isEqualTo(0), one -> {
            store(one);
            one.purpose("read").bulkWaitRead(0);
        });
    }

    @Test
    void inTurnsWithTwoStages() {
        HazardReport report = one(body -> turns(body, true, false));
        assertEquals(HazardCode.MISSING_BARRIER, report.findings().getFirst().code(), report::toString);
        assertEquals("store", report.findings().getFirst().purpose(), report::toString);
        Twins.clean(one(body -> turns(body, true, true)));
    }

    @Test
    void theSyncAfterTheWaitIsMissing() {
        Twins.found(HazardCode.OVERWRITE_IN_STORE, "fill", one(body -> turns(body, false, true)));
    }

    /** @param first whether all meet after the wait for the stage @param second whether they do before the copy */
    private static void turns(Body body, boolean first, boolean second) {
        body.purpose("turns").loop("turn", 5, (each, turn) -> {
            Expr stage = turn.modulo(2).times(4 * THREADS);
            each.purpose("one waits").when(T.isEqualTo(0), one -> one.purpose("read").bulkWaitRead(1));
            if (first) {
                each.purpose("stage is free").syncThreads();
            }
            Fragment word = each.purpose("a word").load("word", ElementType.U32, 1, SmallKernels.from(T.times(4)));
            each.purpose("fill").store(BUFFER.at(stage.plus(T.times(4))), word);
            each.purpose("the copy engine sees it").proxyFence(FenceProxyAsync.Memory.SHARED);
            if (second) {
                each.purpose("stage is full").syncThreads();
            }
            each.purpose("one stores").when(T.isEqualTo(0), one -> {
                one.purpose("store").bulkStore(new Address.Global(RESULT, turn.times(4 * THREADS).toS64()),
                        BUFFER.at(stage), 4 * THREADS);
                one.purpose("a group").bulkCommit();
            });
        });
        body.purpose("one waits").when(T.isEqualTo(0), one -> one.purpose("all read").bulkWaitRead(0));
    }
}
