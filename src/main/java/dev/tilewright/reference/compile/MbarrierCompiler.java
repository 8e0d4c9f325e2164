package dev.tilewright.reference.compile;

import dev.tilewright.ptx.mbarrier.ArriveResult;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArrival;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierArriveNoComplete;
import dev.tilewright.ptx.mbarrier.MbarrierCompleteTx;
import dev.tilewright.ptx.mbarrier.MbarrierExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierInstruction;
import dev.tilewright.ptx.mbarrier.MbarrierInval;
import dev.tilewright.ptx.mbarrier.MbarrierPendingCount;
import dev.tilewright.ptx.mbarrier.MbarrierTestWait;
import dev.tilewright.ptx.mbarrier.MbarrierTestWaitParity;
import dev.tilewright.ptx.mbarrier.MbarrierTryWait;
import dev.tilewright.ptx.mbarrier.MbarrierTryWaitParity;
import dev.tilewright.ptx.mbarrier.MbarrierWait;
import dev.tilewright.reference.op.BarrierOps;
import dev.tilewright.reference.op.Op;
import dev.tilewright.reference.state.Slots;

/**
 * The mbarrier family. Arrivals and byte counts reach the barriers of other blocks; what hands out or takes a token,
 * and what tests, does not. A try_wait that is issued once tests as test_wait does: that it waits for a while is no
 * promise.
 */
final class MbarrierCompiler {
    private MbarrierCompiler() { }

    static Op compile(MbarrierInstruction form, GivenOperands o) {
        return switch (form) {
            case MbarrierInit _ -> new BarrierOps.Init(o.site(), o.barrier(true), o.number("arrivals"));
            case MbarrierInval _ -> new BarrierOps.Invalidate(o.site(), o.barrier(true));
            case MbarrierArrival f -> arrival(f, o);
            case MbarrierExpectTx _ -> new BarrierOps.ExpectTx(o.site(), o.barrier(false), o.number("bytes"));
            case MbarrierCompleteTx _ -> new BarrierOps.CompleteTx(o.site(), o.barrier(false), o.number("bytes"));
            case MbarrierPendingCount _ -> new BarrierOps.PendingCount(o.number("token"), o.result("count"));
            case MbarrierWait f -> new BarrierOps.Test(o.site(), o.barrier(true), question(f, o), o.result("done"));
        };
    }

    /** A wait: a test that is repeated until it finds the phase complete. */
    static Op wait(MbarrierWait form, GivenOperands o) {
        return new BarrierOps.Wait(o.site(), o.barrier(true), question(form, o));
    }

    private static BarrierOps.Question question(MbarrierWait form, GivenOperands o) {
        return switch (form) {
            case MbarrierTestWait _, MbarrierTryWait _ -> new BarrierOps.OfToken(o.number("token"));
            case MbarrierTestWaitParity _, MbarrierTryWaitParity _ -> new BarrierOps.OfParity(o.number("parity"));
        };
    }

    private static Op arrival(MbarrierArrival form, GivenOperands o) {
        return switch (form) {
            case MbarrierArrive f -> new BarrierOps.Arrive(o.site(), f.kind(), o.barrier(hasToken(f.result())),
                    f.count() ? o.number("count") : BarrierOps.ONCE, true, token(f.result(), o));
            case MbarrierArriveNoComplete f -> new BarrierOps.Arrive(o.site(), f.kind(), o.barrier(true),
                    o.number("count"), false, token(f.result(), o));
            case MbarrierArriveExpectTx f -> new BarrierOps.ArriveExpectTx(o.site(), f.kind(),
                    o.barrier(hasToken(f.result())), o.number("bytes"), token(f.result(), o));
            case CpAsyncMbarrierArrive f -> new BarrierOps.ArriveAfterCopies(o.site(), o.barrier(true), !f.noinc());
        };
    }

    private static boolean hasToken(ArriveResult result) {
        return result == ArriveResult.TOKEN;
    }

    private static int token(ArriveResult result, GivenOperands o) {
        return hasToken(result) ? o.result("token") : Slots.NONE;
    }
}
